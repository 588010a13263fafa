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
    to.put_part(Part::Sequence(values.len()))?;
    for value in values {
        value.save_value(to)?;
    }
    Ok(())
}

fn load_all<T: Carry>(from: &mut Loading) -> Result<Vec<T>, Fault> {
    load_some(from.begin_sequence()?, from)
}

fn load_some<T: Carry>(count: usize, from: &mut Loading) -> Result<Vec<T>, Fault> {
    let (mut all, mut several) = (Vec::new(), Several::new());
    for _ in 0..count {
        let value = T::load_value(from);
        if let Some(value) = several.value_or_missing(value)? {
            all.room().push(value);
        }
    }
    several.all_present().map(|()| all)
}

fn finish_all<'v, T: Carry + 'v>(
    values: impl ExactSizeIterator<Item = &'v T>,
    from: &mut Loading,
) -> Result<(), Fault> {
    if !T::CHANGES {
        return from.skip_value();
    }
    from.expect_sequence(values.len())?;
    for value in values {
        value.fill_vacant(from)?;
    }
    Ok(())
}

macro_rules! sequences {
    ($($t:ty, $make:expr;)*) => {$(
        impl<T: Carry> Carry for $t {
            const CHANGES: bool = T::CHANGES;
            fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
                save_all(self.iter(), to)
            }
            fn load_value(from: &mut Loading) -> Result<Self, Fault> {
                load_all(from).map($make)
            }
            fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
                finish_all(self.iter(), from)
            }
            fn visit_kinds(kinds: &mut Kinds<'_>) {
                T::visit_kinds(kinds);
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
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        save_all(self.iter(), to)
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        from.expect_sequence(N)?;
        let all: Vec<T> = load_some(N, from)?;
        all.try_into()
            .map_err(|_| Fault::Error(Error::value_error("another number of values")))
    }
    fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
        finish_all(self.iter(), from)
    }
    fn visit_kinds(kinds: &mut Kinds<'_>) {
        T::visit_kinds(kinds);
    }
}

macro_rules! sets {
    ($set:ident, $($bound:ident)|+ $(, $h:ident)?) => {
        impl<T: Carry $(+ $bound)+ $(, $h: BuildHasher + Default)?> Carry for $set<T $(, $h)?> {
            fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
                to.put_part(Part::Bag(self.len()))?;
                self.iter().try_for_each(|value| value.save_value(to))
            }
            fn load_value(from: &mut Loading) -> Result<Self, Fault> {
                let count = from.begin_set()?;
                load_some::<T>(count, from).map(|all| all.into_iter().collect())
            }
            fn visit_kinds(kinds: &mut Kinds<'_>) {
                T::visit_kinds(kinds);
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
            fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
                to.put_part(Part::Pairs(self.len()))?;
                for (key, value) in self {
                    key.save_value(to)?;
                    value.save_value(to)?;
                }
                Ok(())
            }
            fn load_value(from: &mut Loading) -> Result<Self, Fault> {
                let (mut all, mut several) = (Self::default(), Several::new());
                for _ in 0..from.begin_mapping()? {
                    let key = several.value_or_missing(K::load_value(from))?;
                    let value = several.value_or_missing(V::load_value(from))?;
                    all.extend(key.zip(value));
                }
                several.all_present().map(|()| all)
            }
            fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
                if !V::CHANGES {
                    return from.skip_value();
                }
                // The same keys again: a map has an order of its own.
                for _ in 0..from.begin_mapping()? {
                    let key = K::load_value(from)?;
                    match self.get(&key) {
                        Some(value) => value.fill_vacant(from)?,
                        None => from.skip_value()?,
                    }
                }
                Ok(())
            }
            fn visit_kinds(kinds: &mut Kinds<'_>) {
                K::visit_kinds(kinds);
                V::visit_kinds(kinds);
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
            fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
                to.put_part(Part::Sequence($n))?;
                $(self.$i.save_value(to)?;)+
                Ok(())
            }
            #[allow(non_snake_case)]
            fn load_value(from: &mut Loading) -> Result<Self, Fault> {
                from.expect_sequence($n)?;
                let mut several = Several::new();
                $(let $t = several.value_or_missing($t::load_value(from))?;)+
                several.all_present()?;
                match ($($t,)+) {
                    ($(Some($t),)+) => Ok(($($t,)+)),
                    _ => Err(Fault::Wait),
                }
            }
            fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
                from.expect_sequence($n)?;
                $(self.$i.fill_vacant(from)?;)+
                Ok(())
            }
            fn visit_kinds(kinds: &mut Kinds<'_>) {
                $($t::visit_kinds(kinds);)+
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
