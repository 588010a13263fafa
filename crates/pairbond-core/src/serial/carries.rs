//! What the standard library and this one offer as fields, taken apart and made again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::path::PathBuf;
use std::time::Duration;

use super::carry::{Carry, Fault, Kinds, Loading, Part, Saver, Several, unexpected};
use crate::error::Error;
use crate::object::{Object, Ref, Weak};
use crate::value::{
    Any, Array, ArrayBody, BigInt, Bytes, Cell, DType, Device, Element, Foreign, FrozenMap, Function, Key,
    List, Map, Set, Str, Tuple,
};

macro_rules! simple {
    ($($t:ty, $v:ident => $part:expr;)*) => {$(
        impl Carry for $t {
            #[inline]
            fn save(&self, to: &mut Saver) -> Result<(), Error> {
                let $v = self;
                to.put($part)
            }
            #[inline]
            fn load(from: &mut Loading) -> Result<Self, Fault> {
                from.any()?.to::<Self>().map_err(Fault::Error)
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

/// Without copying what is there.
macro_rules! shared {
    ($($t:ident, $expected:literal;)*) => {$(
        impl Carry for $t {
            #[inline]
            fn save(&self, to: &mut Saver) -> Result<(), Error> {
                to.put(Part::Any(&Any::$t(self.clone())))
            }
            #[inline]
            fn load(from: &mut Loading) -> Result<Self, Fault> {
                match from.any()? {
                    Any::$t(value) => Ok(value),
                    other => Err(unexpected($expected, &other)),
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
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        to.text(self.encode_utf8(&mut [0; 4]))
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        from.any()?.to::<char>().map_err(Fault::Error)
    }
}

impl Carry for Box<str> {
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        to.text(self)
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        String::load(from).map(String::into_boxed_str)
    }
}

impl Carry for PathBuf {
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        match self.to_str() {
            Some(text) => to.text(text),
            None => Err(Error::value_error("the path is not UTF-8")),
        }
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        String::load(from).map(PathBuf::from)
    }
}

impl Carry for Duration {
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        (self.as_secs(), self.subsec_nanos()).save(to)
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        let (seconds, nanos) = <(u64, u32)>::load(from)?;
        if nanos >= 1_000_000_000 {
            return Err(Fault::Error(Error::value_error("a second has fewer nanoseconds")));
        }
        Ok(Duration::new(seconds, nanos))
    }
}

impl Carry for () {
    const NULLABLE: bool = true;
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        to.put(Part::None)
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        match from.any()? {
            Any::None => Ok(()),
            other => Err(unexpected("None", &other)),
        }
    }
}

impl Carry for Any {
    const NULLABLE: bool = true;
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        to.put(Part::Any(self))
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        from.any()
    }
}

impl<T: Object + Send + Sync> Carry for Ref<T> {
    #[inline]
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        to.put(Part::Object(self.header()))
    }
    #[inline]
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        match from.any()? {
            Any::Object(object) => object
                .downcast()
                .map_err(|other| unexpected(T::KEY, &Any::Object(other))),
            other => Err(unexpected(T::KEY, &other)),
        }
    }
}

impl<T: Object + Send + Sync> Carry for Weak<T> {
    const NULLABLE: bool = true;
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        to.put(Part::Weak(self.as_root()))
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        match from.any()? {
            Any::None => Ok(Weak::gone()),
            Any::Object(object) => match object.downcast::<T>() {
                Ok(object) => Ok(object.downgrade()),
                Err(other) => Err(unexpected(T::KEY, &Any::Object(other))),
            },
            other => Err(unexpected(T::KEY, &other)),
        }
    }
}

macro_rules! container {
    ($($name:ident<$($p:ident: $bound:ident),+>;)*) => {$(
        impl<$($p: $bound),+> Carry for $name<$($p),+> {
            fn save(&self, to: &mut Saver) -> Result<(), Error> {
                to.put(Part::Object(self.as_borrow().header()))
            }
            fn load(from: &mut Loading) -> Result<Self, Fault> {
                let value = from.any()?;
                Self::from_any(&value).ok_or_else(|| unexpected(<Self as Element>::name(), &value))
            }
            fn kinds(kinds: &mut Kinds<'_>) {
                <Self as Element>::kinds(kinds);
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
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        to.put(Part::Object(self.as_borrow().header()))
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        Ref::<ArrayBody>::load(from).map(Array::from_ref)
    }
}

impl<T: Carry> Carry for Cell<T> {
    const CHANGES: bool = true;
    const NULLABLE: bool = T::NULLABLE;
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        self.with(|value| to.softly(value))
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        Ok(from.softly::<T>()?.map_or_else(Cell::vacant, Cell::new))
    }
    fn finish(&self, from: &mut Loading) -> Result<(), Fault> {
        if self.is_vacant() {
            let value = T::load(from)?;
            self.fill(value);
            return Ok(());
        }
        if T::CHANGES {
            self.with(|value| value.finish(from))
        } else {
            from.skip()
        }
    }
    fn kinds(kinds: &mut Kinds<'_>) {
        T::kinds(kinds);
    }
}

impl<T: Carry> Carry for Option<T> {
    const CHANGES: bool = T::CHANGES;
    const NULLABLE: bool = true;
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        match self {
            None => to.put(Part::None),
            Some(value) => {
                if T::NULLABLE {
                    to.put(Part::Sequence(1))?;
                }
                value.save(to)
            }
        }
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        if from.take_none() {
            return Ok(None);
        }
        if T::NULLABLE {
            from.exactly(1)?;
        }
        T::load(from).map(Some)
    }
    fn finish(&self, from: &mut Loading) -> Result<(), Fault> {
        match self {
            Some(value) if T::CHANGES => {
                if T::NULLABLE {
                    from.exactly(1)?;
                }
                value.finish(from)
            }
            _ => from.skip(),
        }
    }
    fn kinds(kinds: &mut Kinds<'_>) {
        T::kinds(kinds);
    }
}

impl<T: Carry> Carry for Box<T> {
    const CHANGES: bool = T::CHANGES;
    const NULLABLE: bool = T::NULLABLE;
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        (**self).save(to)
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        T::load(from).map(Box::new)
    }
    fn finish(&self, from: &mut Loading) -> Result<(), Fault> {
        (**self).finish(from)
    }
    fn kinds(kinds: &mut Kinds<'_>) {
        T::kinds(kinds);
    }
}

fn save_all<'v, T: Carry + 'v>(
    values: impl ExactSizeIterator<Item = &'v T>,
    to: &mut Saver,
) -> Result<(), Error> {
    to.put(Part::Sequence(values.len()))?;
    for value in values {
        value.save(to)?;
    }
    Ok(())
}

fn load_all<T: Carry>(from: &mut Loading) -> Result<Vec<T>, Fault> {
    load_some(from.sequence()?, from)
}

fn load_some<T: Carry>(count: usize, from: &mut Loading) -> Result<Vec<T>, Fault> {
    let (mut all, mut several) = (Vec::new(), Several::new());
    for _ in 0..count {
        let value = T::load(from);
        all.extend(several.take(value)?);
    }
    several.end().map(|()| all)
}

fn finish_all<'v, T: Carry + 'v>(
    values: impl ExactSizeIterator<Item = &'v T>,
    from: &mut Loading,
) -> Result<(), Fault> {
    if !T::CHANGES {
        return from.skip();
    }
    from.exactly(values.len())?;
    for value in values {
        value.finish(from)?;
    }
    Ok(())
}

macro_rules! sequences {
    ($($t:ty, $make:expr;)*) => {$(
        impl<T: Carry> Carry for $t {
            const CHANGES: bool = T::CHANGES;
            fn save(&self, to: &mut Saver) -> Result<(), Error> {
                save_all(self.iter(), to)
            }
            fn load(from: &mut Loading) -> Result<Self, Fault> {
                load_all(from).map($make)
            }
            fn finish(&self, from: &mut Loading) -> Result<(), Fault> {
                finish_all(self.iter(), from)
            }
            fn kinds(kinds: &mut Kinds<'_>) {
                T::kinds(kinds);
            }
        }
    )*};
}
sequences! {
    Vec<T>, |all| all;
    VecDeque<T>, VecDeque::from;
    Box<[T]>, Vec::into_boxed_slice;
}

impl<T: Carry, const N: usize> Carry for [T; N] {
    const CHANGES: bool = T::CHANGES;
    fn save(&self, to: &mut Saver) -> Result<(), Error> {
        save_all(self.iter(), to)
    }
    fn load(from: &mut Loading) -> Result<Self, Fault> {
        from.exactly(N)?;
        let all: Vec<T> = load_some(N, from)?;
        all.try_into()
            .map_err(|_| Fault::Error(Error::value_error("another number of values")))
    }
    fn finish(&self, from: &mut Loading) -> Result<(), Fault> {
        finish_all(self.iter(), from)
    }
    fn kinds(kinds: &mut Kinds<'_>) {
        T::kinds(kinds);
    }
}

macro_rules! sets {
    ($set:ident, $($bound:ident)|+ $(, $h:ident)?) => {
        impl<T: Carry $(+ $bound)+ $(, $h: BuildHasher + Default)?> Carry for $set<T $(, $h)?> {
            fn save(&self, to: &mut Saver) -> Result<(), Error> {
                to.put(Part::Bag(self.len()))?;
                self.iter().try_for_each(|value| value.save(to))
            }
            fn load(from: &mut Loading) -> Result<Self, Fault> {
                let count = from.bag()?;
                load_some::<T>(count, from).map(|all| all.into_iter().collect())
            }
            fn kinds(kinds: &mut Kinds<'_>) {
                T::kinds(kinds);
            }
        }
    };
}
sets!(HashSet, Hash | Eq, H);
sets!(BTreeSet, Ord);

macro_rules! maps {
    ($map:ident, $($bound:ident)|+ $(, $h:ident)?) => {
        impl<K: Carry $(+ $bound)+, V: Carry $(, $h: BuildHasher + Default)?> Carry for $map<K, V $(, $h)?> {
            const CHANGES: bool = V::CHANGES;
            fn save(&self, to: &mut Saver) -> Result<(), Error> {
                to.put(Part::Pairs(self.len()))?;
                for (key, value) in self {
                    key.save(to)?;
                    value.save(to)?;
                }
                Ok(())
            }
            fn load(from: &mut Loading) -> Result<Self, Fault> {
                let (mut all, mut several) = (Self::default(), Several::new());
                for _ in 0..from.pairs()? {
                    let key = several.take(K::load(from))?;
                    let value = several.take(V::load(from))?;
                    all.extend(key.zip(value));
                }
                several.end().map(|()| all)
            }
            fn finish(&self, from: &mut Loading) -> Result<(), Fault> {
                if !V::CHANGES {
                    return from.skip();
                }
                // The same keys again: a map has an order of its own.
                for _ in 0..from.pairs()? {
                    let key = K::load(from)?;
                    match self.get(&key) {
                        Some(value) => value.finish(from)?,
                        None => from.skip()?,
                    }
                }
                Ok(())
            }
            fn kinds(kinds: &mut Kinds<'_>) {
                K::kinds(kinds);
                V::kinds(kinds);
            }
        }
    };
}
maps!(HashMap, Hash | Eq, H);
maps!(BTreeMap, Ord);

macro_rules! tuples {
    ($n:literal; $($t:ident $i:tt),+) => {
        impl<$($t: Carry),+> Carry for ($($t,)+) {
            const CHANGES: bool = $($t::CHANGES)||+;
            fn save(&self, to: &mut Saver) -> Result<(), Error> {
                to.put(Part::Sequence($n))?;
                $(self.$i.save(to)?;)+
                Ok(())
            }
            #[allow(non_snake_case)]
            fn load(from: &mut Loading) -> Result<Self, Fault> {
                from.exactly($n)?;
                let mut several = Several::new();
                $(let $t = several.take($t::load(from))?;)+
                several.end()?;
                match ($($t,)+) {
                    ($(Some($t),)+) => Ok(($($t,)+)),
                    _ => Err(Fault::Wait),
                }
            }
            fn finish(&self, from: &mut Loading) -> Result<(), Fault> {
                from.exactly($n)?;
                $(self.$i.finish(from)?;)+
                Ok(())
            }
            fn kinds(kinds: &mut Kinds<'_>) {
                $($t::kinds(kinds);)+
            }
        }
    };
}
tuples!(1; A 0);
tuples!(2; A 0, B 1);
tuples!(3; A 0, B 1, C 2);
tuples!(4; A 0, B 1, C 2, D 3);
tuples!(5; A 0, B 1, C 2, D 3, E 4);
tuples!(6; A 0, B 1, C 2, D 3, E 4, F 5);
