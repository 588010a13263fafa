//! [`Carry`](super::Carry) for types of the standard library and of this crate with one value;
//! `collections` has those of several values.

use std::path::PathBuf;
use std::time::Duration;

use super::parts::{Carry, Fault, Loading, Part, Saver, unexpected_value};
use crate::error::Error;
use crate::object::{Object, Ref, Weak};
use crate::value::{
    Any, Array, ArrayBody, BigInt, Bytes, Cell, DType, Device, Element, Foreign, FrozenMap, Function, Key,
    Kinds, List, Map, Set, Str, Tuple,
};

macro_rules! simple {
    ($($t:ty, $v:ident => $part:expr;)*) => {$(
        impl Carry for $t {
            #[inline]
            fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
                let $v = self;
                to.put_part($part)
            }
            #[inline]
            fn load_value(from: &mut Loading) -> Result<Self, Fault> {
                from.next_value()?.to::<Self>().map_err(Fault::Error)
            }
        }
    )*};
}

simple! {
    i8, v => Part::Int((*v).into());
    i16, v => Part::Int((*v).into());
    i32, v => Part::Int((*v).into());
    i64, v => Part::Int(*v);
    isize, v => Part::Int(*v as i64);
    u8, v => Part::Int((*v).into());
    u16, v => Part::Int((*v).into());
    u32, v => Part::Int((*v).into());
    u64, v => Part::Any(&Any::from(*v));
    usize, v => Part::Any(&Any::from(*v as u64));
    i128, v => Part::Any(&Any::from(*v));
    u128, v => Part::Any(&Any::from(*v));
    f64, v => Part::Float(*v);
    f32, v => Part::Float((*v).into());
    bool, v => Part::Bool(*v);
    String, v => Part::Text(v.as_ptr(), v.len());
    BigInt, v => Part::Any(&Any::from(v.clone()));
    DType, v => Part::Any(&Any::DType(*v));
    Device, v => Part::Any(&Any::Device(*v));
    Function, v => Part::Any(&Any::Function(v.clone()));
    Foreign, v => Part::Any(&Any::Foreign(v.clone()));
}

/// Without copying shared data.
macro_rules! shared {
    ($($t:ident, $expected:literal;)*) => {$(
        impl Carry for $t {
            #[inline]
            fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
                to.put_part(Part::Any(&Any::$t(self.clone())))
            }
            #[inline]
            fn load_value(from: &mut Loading) -> Result<Self, Fault> {
                match from.next_value()? {
                    Any::$t(value) => Ok(value),
                    other => Err(unexpected_value($expected, &other)),
                }
            }
        }
    )*};
}
shared! {
    Str, "str";
    Bytes, "bytes";
}

impl Carry for char {
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        to.put_text(self.encode_utf8(&mut [0; 4]))
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        from.next_value()?.to::<char>().map_err(Fault::Error)
    }
}

impl Carry for Box<str> {
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        to.put_text(self)
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        String::load_value(from).map(String::into_boxed_str)
    }
}

impl Carry for PathBuf {
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        match self.to_str() {
            Some(text) => to.put_text(text),
            None => Err(Error::value_error("the path is not UTF-8")),
        }
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        String::load_value(from).map(PathBuf::from)
    }
}

impl Carry for Duration {
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        (self.as_secs(), self.subsec_nanos()).save_value(to)
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        let (seconds, nanos) = <(u64, u32)>::load_value(from)?;
        if nanos >= 1_000_000_000 {
            return Err(Fault::Error(Error::value_error("a second has fewer nanoseconds")));
        }
        Ok(Duration::new(seconds, nanos))
    }
}

impl Carry for () {
    const NULLABLE: bool = true;
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        to.put_part(Part::None)
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        match from.next_value()? {
            Any::None => Ok(()),
            other => Err(unexpected_value("None", &other)),
        }
    }
}

impl Carry for Any {
    const NULLABLE: bool = true;
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        to.put_part(Part::Any(self))
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        from.next_value()
    }
}

impl<T: Object + Send + Sync> Carry for Ref<T> {
    #[inline]
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        to.put_part(Part::Object(self.header()))
    }
    #[inline]
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        match from.next_value()? {
            Any::Object(object) => object
                .downcast()
                .map_err(|other| unexpected_value(T::KEY, &Any::Object(other))),
            other => Err(unexpected_value(T::KEY, &other)),
        }
    }
}

impl<T: Object + Send + Sync> Carry for Weak<T> {
    const NULLABLE: bool = true;
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        to.put_part(Part::Weak(self.as_root()))
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        match from.next_value()? {
            Any::None => Ok(Weak::gone()),
            Any::Object(object) => match object.downcast::<T>() {
                Ok(object) => Ok(object.downgrade()),
                Err(other) => Err(unexpected_value(T::KEY, &Any::Object(other))),
            },
            other => Err(unexpected_value(T::KEY, &other)),
        }
    }
}

macro_rules! container {
    ($($name:ident<$($p:ident: $bound:ident),+>;)*) => {$(
        impl<$($p: $bound),+> Carry for $name<$($p),+> {
            fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
                to.put_part(Part::Object(self.as_borrow().header()))
            }
            fn load_value(from: &mut Loading) -> Result<Self, Fault> {
                let value = from.next_value()?;
                Self::from_any(&value).ok_or_else(|| unexpected_value(<Self as Element>::type_name(), &value))
            }
            fn visit_kinds(kinds: &mut Kinds<'_>) {
                <Self as Element>::visit_kinds(kinds);
            }
        }
    )*};
}
container! {
    List<T: Element>;
    Tuple<T: Element>;
    Set<T: Key>;
    Map<K: Key, V: Element>;
    FrozenMap<K: Key, V: Element>;
}

impl Carry for Array {
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        to.put_part(Part::Object(self.as_borrow().header()))
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        Ref::<ArrayBody>::load_value(from).map(Array::from_ref)
    }
}

impl<T: Carry> Carry for Cell<T> {
    const CHANGES: bool = true;
    const NULLABLE: bool = T::NULLABLE;
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        self.with(|value| to.save_mutable(value))
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        Ok(from.load_if_ready::<T>()?.map_or_else(Cell::vacant, Cell::new))
    }
    fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
        if self.is_vacant() {
            let value = T::load_value(from)?;
            self.fill(value);
            return Ok(());
        }
        if T::CHANGES {
            self.with(|value| value.fill_vacant(from))
        } else {
            from.skip_value()
        }
    }
    fn visit_kinds(kinds: &mut Kinds<'_>) {
        T::visit_kinds(kinds);
    }
}

impl<T: Carry> Carry for Option<T> {
    const CHANGES: bool = T::CHANGES;
    const NULLABLE: bool = true;
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        match self {
            None => to.put_part(Part::None),
            Some(value) => {
                if T::NULLABLE {
                    to.put_part(Part::Sequence(1))?;
                }
                value.save_value(to)
            }
        }
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        if from.take_none() {
            return Ok(None);
        }
        if T::NULLABLE {
            from.expect_sequence(1)?;
        }
        T::load_value(from).map(Some)
    }
    fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
        match self {
            Some(value) if T::CHANGES => {
                if T::NULLABLE {
                    from.expect_sequence(1)?;
                }
                value.fill_vacant(from)
            }
            _ => from.skip_value(),
        }
    }
    fn visit_kinds(kinds: &mut Kinds<'_>) {
        T::visit_kinds(kinds);
    }
}

impl<T: Carry> Carry for Box<T> {
    const CHANGES: bool = T::CHANGES;
    const NULLABLE: bool = T::NULLABLE;
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        (**self).save_value(to)
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        T::load_value(from).map(Box::new)
    }
    fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
        (**self).fill_vacant(from)
    }
    fn visit_kinds(kinds: &mut Kinds<'_>) {
        T::visit_kinds(kinds);
    }
}
