//! [`Keyed`]: what maps and sets have in common.

use std::sync::atomic::AtomicUsize;

use pairbond_core::error::Error;
use pairbond_core::object::Object;
use pairbond_value::value::{Any, AnyRef, ElementCache, FrozenMapBody, MapBody, SetBody, Table, Verdict};

use super::values::PyKey;

/// A map or set of ours.
pub(super) trait Keyed: Object {
    /// Nothing for sets.
    type Value;
    fn element_cache(&self) -> &ElementCache;
    /// Changes with keys and values.
    fn version(&self) -> &AtomicUsize;
    fn value(value: &Self::Value) -> Option<&Any>;
    /// Whether a key can be stored as it is.
    fn takes(&self, key: &PyKey<'_>) -> bool;
    /// Looks at the table, maybe under a lock.
    fn with_table<R>(&self, look: impl FnOnce(&Table<Self::Value>) -> R) -> R;
    fn locate<R>(
        &self,
        hash: i64,
        key: AnyRef<'_>,
        act: impl FnOnce(&Table<Self::Value>, Option<usize>) -> R,
    ) -> Result<R, Error>;
}

macro_rules! hashed {
    ($($body:ty: $value:ty, $check:ident, $known:ident => $shown:expr;)*) => {$(
        impl Keyed for $body {
            type Value = $value;
            #[inline]
            fn element_cache(&self) -> &ElementCache {
                self.entries().element_cache()
            }
            #[inline]
            fn version(&self) -> &AtomicUsize {
                self.entries().version_word()
            }
            #[inline]
            fn value($known: &$value) -> Option<&Any> {
                $shown
            }
            fn takes(&self, key: &PyKey<'_>) -> bool {
                let key = key.as_ref().to_any();
                self.$check(key.clone())
                    .is_ok_and(|stored| stored.view().compare_key(key.view()) == Verdict::Same)
            }
            #[inline]
            fn with_table<R>(&self, look: impl FnOnce(&Table<$value>) -> R) -> R {
                self.entries().read(look)
            }
            #[inline]
            fn locate<R>(
                &self,
                hash: i64,
                key: AnyRef<'_>,
                act: impl FnOnce(&Table<$value>, Option<usize>) -> R,
            ) -> Result<R, Error> {
                self.entries().find_locked(hash, key, act)
            }
        }
    )*};
}
hashed! {
    MapBody: Any, check_key, value => Some(value);
    SetBody: (), check_value, _value => None;
}

impl Keyed for FrozenMapBody {
    type Value = Any;
    #[inline]
    fn element_cache(&self) -> &ElementCache {
        FrozenMapBody::element_cache(self)
    }
    #[inline]
    fn version(&self) -> &AtomicUsize {
        static NEVER: AtomicUsize = AtomicUsize::new(0);
        &NEVER
    }
    #[inline]
    fn value(value: &Any) -> Option<&Any> {
        Some(value)
    }
    fn takes(&self, _: &PyKey<'_>) -> bool {
        true
    }
    #[inline]
    fn with_table<R>(&self, look: impl FnOnce(&Table<Any>) -> R) -> R {
        look(self.table())
    }
    #[inline]
    fn locate<R>(
        &self,
        hash: i64,
        key: AnyRef<'_>,
        act: impl FnOnce(&Table<Any>, Option<usize>) -> R,
    ) -> Result<R, Error> {
        Ok(act(self.table(), self.table().find_place(hash, key)?))
    }
}
