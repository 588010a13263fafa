//! The [`Layout`] of values: the same in all binaries that share a runtime
//! ([`shapes`](crate::abi::shapes)).

use crate::abi::{Layout, LayoutWriter};
use crate::value::{
    Any, Array, BigInt, Bytes, DType, Device, Element, FrozenMap, Function, Hashed, Key, List, Map, Set, Str,
    Table, Tuple,
};

macro_rules! own {
    ($($t:ty = $name:literal),* $(,)?) => {$(
        // SAFETY: a type of this library, compared when binaries join.
        unsafe impl Layout for $t {
            fn write(to: &mut LayoutWriter) {
                to.known::<$t>($name);
            }
        }
    )*};
}

own! {
    Any = "Any", Str = "Str", Bytes = "Bytes", BigInt = "BigInt", Function = "Function", Array = "Array",
    DType = "DType", Device = "Device",
}

macro_rules! of {
    ($(<$($g:ident: $bound:path),*> $t:ty = $name:literal, $show:expr);* $(;)?) => {$(
        // SAFETY: a type of this library, compared when binaries join, and its type arguments.
        unsafe impl<$($g: $bound),*> Layout for $t {
            fn write(to: &mut LayoutWriter) {
                to.known::<$t>($name);
                let show: fn(&mut LayoutWriter) = $show;
                show(to);
            }
        }
    )*};
}

of! {
    <T: Element> List<T> = "List", |to| to.text(&T::id());
    <T: Element> Tuple<T> = "Tuple", |to| to.text(&T::id());
    <K: Key> Set<K> = "Set", |to| to.text(&K::id());
    <K: Key, V: Element> Map<K, V> = "Map", |to| { to.text(&K::id()); to.text(&V::id()) };
    <K: Key, V: Element> FrozenMap<K, V> = "FrozenMap", |to| { to.text(&K::id()); to.text(&V::id()) };
    <T: Layout> Table<T> = "Table", T::write;
    <T: Layout> Hashed<T> = "Hashed", T::write;
}

#[cfg(test)]
mod tests {
    use crate::abi::shapes::values;
    use crate::carry::Kinds;
    use crate::dynamic;
    use crate::value::{
        Any, ArrayBody, BlockBody, Described, ElementCache, FrozenMapBody, FunctionBody, Kind, ListBody,
        MapBody, MovedBody, SetBody, StrBody, Table, TupleBody,
    };

    macro_rules! shapes {
        ($($t:ty),* $(,)?) => { [$((size_of::<$t>(), align_of::<$t>())),*] };
    }

    /// The core compares the shapes of these types when binaries join.
    #[test]
    fn values_have_the_shapes_that_binaries_compare() {
        let bodies = shapes![
            StrBody,
            ListBody,
            TupleBody,
            MapBody,
            FrozenMapBody,
            SetBody,
            FunctionBody
        ];
        assert_eq!(bodies, values::BODIES);
        let others = shapes![
            MovedBody,
            ArrayBody,
            BlockBody,
            Described,
            Table<Any>,
            ElementCache,
            Kind
        ];
        assert_eq!(others, values::OTHERS);
        let made = shapes![dynamic::Table, dynamic::Field, dynamic::FieldKind];
        assert_eq!(made, values::DYNAMIC);
        assert_eq!(shapes![Kinds<'static>], [values::KINDS]);
    }
}
