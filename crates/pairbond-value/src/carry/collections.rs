//! The standard library's collections, arrays and tuples as fields.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use super::parts::{Carry, Fault, Loading, Part, Saver, Several};
use crate::error::Error;
use crate::memory::Room;
use crate::value::Kinds;

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
        if let Some(value) = several.take(value)? {
            all.room().push(value);
        }
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
