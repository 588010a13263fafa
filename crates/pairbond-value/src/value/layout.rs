//! The [`Layout`] of values: the same in all binaries that share a runtime
//! ([`shapes`](crate::abi::shapes)).

use crate::abi::Layout;
use crate::value::{
    Any, Array, BigInt, Bytes, DType, Device, Element, FrozenMap, Function, Hashed, Key, List, Map, Set, Str,
    Table, Tuple,
};

own_layouts! {
    Any = "Any", Str = "Str", Bytes = "Bytes", BigInt = "BigInt", Function = "Function", Array = "Array",
    DType = "DType", Device = "Device",
}

own_layouts! {
    <T: Element> List<T> = "List", |to| to.write_text(&T::unique_name());
    <T: Element> Tuple<T> = "Tuple", |to| to.write_text(&T::unique_name());
    <K: Key> Set<K> = "Set", |to| to.write_text(&K::unique_name());
    <K: Key, V: Element> Map<K, V> = "Map", |to| { to.write_text(&K::unique_name()); to.write_text(&V::unique_name()) };
    <K: Key, V: Element> FrozenMap<K, V> = "FrozenMap", |to| { to.write_text(&K::unique_name()); to.write_text(&V::unique_name()) };
    <T: Layout> Table<T> = "Table", T::write_layout;
    <T: Layout> Hashed<T> = "Hashed", T::write_layout;
}

#[cfg(all(test, not(loom)))]
mod tests {
    use pairbond_core::any::RawAny;

    use super::*;
    use crate::error::Error;

    macro_rules! kinds {
        ($($kind:ident)*) => {
            /// The number of a kind, and whether the core sees it as this kind.
            fn kind(value: &Any) -> (&'static str, bool) {
                let core = match RawAny::new(value.clone()) {
                    RawAny::None => "None",
                    $(RawAny::$kind(_) => stringify!($kind),)*
                };
                let own = match value {
                    Any::None => "None",
                    $(Any::$kind(_) => stringify!($kind),)*
                };
                (own, own == core)
            }
            const NAMES: &[&str] = &["None", $(stringify!($kind)),*];
        };
    }
    kinds! { Bool Int BigInt Float Str Bytes Object Function Foreign DType Device Error }

    /// All but `Foreign`, which needs a language.
    #[test]
    fn cells_have_the_kinds_of_values_in_their_order() {
        let all = [
            Any::None,
            Any::Bool(true),
            Any::Int(1),
            Any::BigInt(BigInt::from(1_u128 << 80)),
            Any::Float(1.5),
            Any::Str("text".into()),
            Any::Bytes(Bytes::from(&b"bytes"[..])),
            Any::Object(List::<Any>::from_iter([Any::Int(1)]).into_erased()),
            Any::Function(Function::new("f", |_| Ok(Any::None))),
            Any::DType(DType {
                code: 2,
                bits: 64,
                lanes: 1,
            }),
            Any::Device(Device { kind: 1, index: 0 }),
            Any::Error(std::sync::Arc::new(Error::value_error("wrong"))),
        ];
        let mut seen: Vec<_> = all.iter().map(kind).collect();
        assert!(seen.iter().all(|(_, same)| *same), "{seen:?}");
        seen.insert(9, ("Foreign", true));
        assert!(seen.iter().map(|(name, _)| name).eq(NAMES));
    }
}
