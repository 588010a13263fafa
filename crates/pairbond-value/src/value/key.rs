//! How keys are hashed and compared.
//!
//! Promises, in order of weight:
//! 1. Keys that Python takes for one are one: `1`, `1.0` and `True`; `"a"` and a Python object that
//!    is equal to `"a"` and has its hash. So numbers hash as Python documents it ("Hashing of
//!    numeric types"), tuples as CPython's do, and strings by the function that the process's
//!    runtime was given ([`set_text_hash`](crate::runtime::set_text_hash)) – CPython's own, unless
//!    a string was hashed before Python was there.
//! 2. Comparing says at once what natives know ([`Verdict`]); only `Ask` runs foreign code, and
//!    never under a lock.
//! 3. Native objects are compared by their type's `__eq__` and `__hash__` in Rust where it has
//!    them, and by identity otherwise. Overrides in Python subclasses are not asked: a key must
//!    hash alike on threads that cannot reach Python.
//!
//! A NaN of Rust's is the same key as a NaN with the same bits: it is stored by value, and has no
//! identity. A frontend stores the object that its language has for one
//! ([`Foreign::is_nan`](crate::value::Foreign::is_nan)), which is a key that only this object is
//! equal to.

use crate::error::{Error, ErrorKind};
use crate::frontend::frontend_of;
use crate::object::ErasedBorrow;
use crate::runtime;
use crate::value::frozen::FrozenMapBody;
use crate::value::hash::{
    hash_address, hash_float, hash_large, hash_plain, hash_small, is_integer, is_large_integer,
};
use crate::value::list::ListBody;
use crate::value::map::MapBody;
use crate::value::recursion_guard::with_recursion_guard;
use crate::value::set::SetBody;
use crate::value::tuple::TupleBody;
use crate::value::{Any, AnyRef, FrontendValues, View};

/// The result of comparing two keys in native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One key.
    Same,
    /// Two.
    Different,
    /// Their owners must be asked ([`keys_equal`]).
    Ask,
}

impl AnyRef<'_> {
    /// Whether both are one key, without running foreign code.
    #[inline]
    #[must_use]
    pub fn compare_key(self, other: AnyRef<'_>) -> Verdict {
        self.view().compare_key(other.view())
    }

    /// The hash, as Python's `hash()` gives it.
    ///
    /// # Errors
    /// `TypeError` when it is not hashable; what `__hash__` raised.
    #[inline]
    pub fn hash(self) -> Result<i64, Error> {
        self.view().hash()
    }
}

impl View<'_> {
    /// As [`AnyRef::compare_key`].
    #[inline]
    #[must_use]
    pub fn compare_key(self, other: View<'_>) -> Verdict {
        self.compare_to_depth(other, DEEPEST)
    }

    #[inline]
    fn compare_to_depth(self, other: View<'_>, depth: u32) -> Verdict {
        use View::{BigInt, Bool, Bytes, DType, Device, Float, Foreign, Function, Int, None, Object, Str};
        let same = match (self, other) {
            (None, None) => true,
            (Str(a), Str(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Bytes(a), Bytes(b)) => a == b,
            (Bool(a), Bool(b)) => a == b,
            (Bool(a), Int(b)) | (Int(b), Bool(a)) => i64::from(a) == b,
            (Float(a), Float(b)) => a == b || a.to_bits() == b.to_bits(),
            (Int(a), Float(b)) | (Float(b), Int(a)) => is_integer(b, a),
            (Bool(a), Float(b)) | (Float(b), Bool(a)) => is_integer(b, a.into()),
            (Object(a), Object(b)) => {
                if std::ptr::eq(a.header(), b.header()) {
                    true
                } else if compares_by_value(a) || compares_by_value(b) {
                    return compare_tuples(a, b, depth);
                } else {
                    false
                }
            }
            (Foreign(a), Foreign(b)) => {
                let ((a_tag, a), (b_tag, b)) = (a.tag_and_object(), b.tag_and_object());
                if a_tag == b_tag && a != b {
                    return Verdict::Ask;
                }
                a_tag == b_tag
            }
            (Foreign(_), _) | (_, Foreign(_)) => return Verdict::Ask,
            (Function(a), Function(b)) if a.is(b) => true,
            // Python callables have an `__eq__`: bound methods of one object are equal.
            (Function(a), Function(b)) if a.foreign().is_some() && b.foreign().is_some() => {
                return Verdict::Ask;
            }
            (BigInt(a), BigInt(b)) => a == b,
            // One that is small stands for the same number.
            (BigInt(a), Int(b)) | (Int(b), BigInt(a)) => a.to_i64() == Some(b),
            (BigInt(a), Float(b)) | (Float(b), BigInt(a)) => is_large_integer(b, a),
            (DType(a), DType(b)) => a == b,
            (Device(a), Device(b)) => a == b,
            _ => false,
        };
        if same { Verdict::Same } else { Verdict::Different }
    }

    /// As [`AnyRef::hash`].
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn hash(self) -> Result<i64, Error> {
        Ok(match self {
            View::None => runtime::none_hash(),
            View::Bool(value) => value.into(),
            View::Int(value) => hash_small(value),
            View::Float(value) => hash_float(value),
            View::Str(value) => match runtime::text_hash(value.as_bytes(), true) {
                -1 => return Err(Error::new(ErrorKind::Memory, "there is no memory to hash a text")),
                hash => hash,
            },
            View::Bytes(value) => runtime::text_hash(value, false),
            View::BigInt(value) => hash_large(value),
            View::DType(value) => hash_plain(value),
            View::Device(value) => hash_plain(value),
            View::Function(value) => match (value.foreign(), value.native()) {
                (Some(foreign), _) => return frontend_of(foreign.tag()).hash(foreign),
                (None, Some(native)) => hash_address(std::ptr::from_ref(native.get()).addr()),
                (None, None) => 0,
            },
            View::Object(value) => return hash_object(value),
            View::Foreign(value) => return frontend_of(value.tag()).hash(value),
            View::Error(_) => return Err(unhashable_error(self.kind())),
        })
    }
}

/// Whether two keys are equal. May run foreign code: no lock may be held.
///
/// # Errors
/// What a comparison raised.
pub fn keys_equal(a: &Any, b: &Any) -> Result<bool, Error> {
    match a.view().compare_key(b.view()) {
        Verdict::Same => return Ok(true),
        Verdict::Different => return Ok(false),
        Verdict::Ask => {}
    }
    match (a, b) {
        (Any::Foreign(foreign), _) | (_, Any::Foreign(foreign)) => {
            frontend_of(foreign.tag()).values_equal(a, b)
        }
        (Any::Function(function), _) => match function.foreign() {
            Some(foreign) => frontend_of(foreign.tag()).values_equal(a, b),
            None => Ok(false),
        },
        (Any::Object(a), Any::Object(b)) => equal_objects(a.as_borrow(), b.as_borrow()),
        _ => Ok(false),
    }
}

/// How deep tuples lie in one another, at most, that are compared without asking.
const DEEPEST: u32 = 8;

/// Tuples of what natives know are compared at once, as Python compares them: up to the first
/// elements that differ.
#[cold]
fn compare_tuples(a: ErasedBorrow<'_>, b: ErasedBorrow<'_>, depth: u32) -> Verdict {
    let (Some(a), Some(b)) = (a.downcast::<TupleBody>(), b.downcast::<TupleBody>()) else {
        return Verdict::Ask;
    };
    let (a, b) = (a.get().items(), b.get().items());
    if a.len() != b.len() {
        return Verdict::Different;
    }
    if depth == 0 {
        return Verdict::Ask;
    }
    let mut pairs = a.iter().zip(b);
    pairs
        .find_map(|(a, b)| match a.view().compare_to_depth(b.view(), depth - 1) {
            Verdict::Same => None,
            other => Some(other),
        })
        .unwrap_or(Verdict::Same)
}

/// Whether an object is compared by more than its identity.
fn compares_by_value(object: ErasedBorrow<'_>) -> bool {
    object.is::<TupleBody>() || object.is::<FrozenMapBody>() || object.header().info().equality().is_some()
}

fn equal_objects(a: ErasedBorrow<'_>, b: ErasedBorrow<'_>) -> Result<bool, Error> {
    if let (Some(a), Some(b)) = (a.downcast::<TupleBody>(), b.downcast::<TupleBody>()) {
        return with_recursion_guard(|| a.get().is_equal(b.get()));
    }
    if let (Some(a), Some(b)) = (a.downcast::<FrozenMapBody>(), b.downcast::<FrozenMapBody>()) {
        return with_recursion_guard(|| a.get().is_equal(b.get()));
    }
    for (a, b) in [(a, b), (b, a)] {
        if let Some(equality) = a.header().info().equality()
            && let Some(answer) = equality.objects_equal(a, b)?
        {
            return Ok(answer);
        }
    }
    Ok(false)
}

fn hash_object(object: ErasedBorrow<'_>) -> Result<i64, Error> {
    if let Some(tuple) = object.downcast::<TupleBody>() {
        return with_recursion_guard(|| tuple.get().hash());
    }
    if let Some(map) = object.downcast::<FrozenMapBody>() {
        return with_recursion_guard(|| map.get().hash());
    }
    if object.is::<ListBody>() || object.is::<MapBody>() || object.is::<SetBody>() {
        return Err(unhashable_error(object.header().info().key()));
    }
    let info = object.header().info();
    match info.equality() {
        None => Ok(hash_address(std::ptr::from_ref(object.header()).addr())),
        Some(equality) => match equality.ask_hash(object) {
            // Python hashes the int that `__hash__` returns.
            Some(Ok(hash @ (Any::Int(_) | Any::Bool(_) | Any::BigInt(_)))) => AnyRef::from(&hash).hash(),
            Some(Ok(_)) => Err(Error::type_error("__hash__ method should return an integer")),
            Some(Err(error)) => Err(error),
            None => Err(unhashable_error(info.key())),
        },
    }
}

#[cold]
fn unhashable_error(kind: &str) -> Error {
    Error::type_error(format!("unhashable type: '{kind}'"))
}
