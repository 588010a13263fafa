//! Operators and comparisons.

use pairbond::prelude::*;

/// Two numbers.
#[pairbond::object("pairbond_testext.Vector")]
pub(crate) struct Vector {
    #[field(set)]
    x: Cell<f64>,
    #[field(set)]
    y: Cell<f64>,
}

impl Vector {
    fn of(x: f64, y: f64) -> Ref<Vector> {
        Ref::new(Vector {
            x: x.into(),
            y: y.into(),
        })
    }
}

#[pairbond::methods]
impl Vector {
    #[new]
    fn new(x: f64, y: f64) -> Self {
        Vector {
            x: x.into(),
            y: y.into(),
        }
    }

    fn __add__(&self, other: &Vector) -> Ref<Vector> {
        Vector::of(self.x.get() + other.x.get(), self.y.get() + other.y.get())
    }

    fn __sub__(&self, other: &Vector) -> Ref<Vector> {
        Vector::of(self.x.get() - other.x.get(), self.y.get() - other.y.get())
    }

    fn __mul__(&self, factor: f64) -> Ref<Vector> {
        Vector::of(self.x.get() * factor, self.y.get() * factor)
    }

    fn __rmul__(&self, factor: f64) -> Ref<Vector> {
        self.__mul__(factor)
    }

    fn __rsub__(&self, number: f64) -> Ref<Vector> {
        Vector::of(number - self.x.get(), number - self.y.get())
    }

    fn __truediv__(&self, divisor: f64) -> Result<Ref<Vector>, Error> {
        if divisor == 0.0 {
            return Err(Error::new(
                ErrorKind::ZeroDivision,
                "a vector is not divided by zero",
            ));
        }
        Ok(Vector::of(self.x.get() / divisor, self.y.get() / divisor))
    }

    fn __pow__(&self, exponent: f64) -> Ref<Vector> {
        Vector::of(self.x.get().powf(exponent), self.y.get().powf(exponent))
    }

    fn __matmul__(&self, other: &Vector) -> f64 {
        self.x.get() * other.x.get() + self.y.get() * other.y.get()
    }

    fn __iadd__(&self, other: &Vector) {
        self.x.set(self.x.get() + other.x.get());
        self.y.set(self.y.get() + other.y.get());
    }

    fn __neg__(&self) -> Ref<Vector> {
        Vector::of(-self.x.get(), -self.y.get())
    }

    fn __abs__(&self) -> f64 {
        self.x.get().hypot(self.y.get())
    }

    fn __float__(&self) -> f64 {
        self.__abs__()
    }

    fn __int__(&self) -> i64 {
        self.__abs__() as i64
    }

    fn __index__(&self) -> i64 {
        self.x.get() as i64
    }

    fn __divmod__(&self, divisor: f64) -> (f64, f64) {
        (self.x.get().div_euclid(divisor), self.x.get().rem_euclid(divisor))
    }

    fn __eq__(&self, other: &Vector) -> bool {
        self.x.get() == other.x.get() && self.y.get() == other.y.get()
    }

    fn __hash__(&self) -> u64 {
        self.x.get().to_bits() ^ self.y.get().to_bits()
    }

    fn __repr__(&self) -> String {
        format!("Vector({}, {})", self.x.get(), self.y.get())
    }

    fn __str__(&self) -> String {
        format!("({}, {})", self.x.get(), self.y.get())
    }
}

/// Has an order, but the equality and hash of every object.
#[pairbond::object("pairbond_testext.Ordered")]
pub(crate) struct Ordered {
    value: i64,
}

#[pairbond::methods]
impl Ordered {
    #[new]
    fn new(value: i64) -> Self {
        Ordered { value }
    }

    fn __lt__(&self, other: &Ordered) -> bool {
        self.value < other.value
    }

    fn __ge__(&self, other: i64) -> Result<bool, Error> {
        if other < 0 {
            Err(Error::value_error("not with negative numbers"))
        } else {
            Ok(self.value >= other)
        }
    }
}

/// Has an equality, and so no hash.
#[pairbond::object("pairbond_testext.Equal")]
pub(crate) struct Equal {
    value: i64,
}

#[pairbond::methods]
impl Equal {
    #[new]
    fn new(value: i64) -> Self {
        Equal { value }
    }

    fn __eq__(&self, other: &Equal) -> bool {
        self.value == other.value
    }
}

/// Its truth, length and hash are set by the test.
#[pairbond::object("pairbond_testext.Truth")]
pub(crate) struct Truth {
    truth: bool,
    len: i64,
    hash: i128,
}

#[pairbond::methods]
impl Truth {
    #[new]
    fn new(#[default(true)] truth: bool, #[default(0)] len: i64, #[default(0)] hash: i128) -> Self {
        Truth { truth, len, hash }
    }

    fn __bool__(&self) -> bool {
        self.truth
    }

    fn __len__(&self) -> i64 {
        self.len
    }

    fn __hash__(&self) -> i128 {
        self.hash
    }
}
