//! The common part of the handles of all containers: one pointer to a native object, which stores
//! the element types at run time too.

/// `handle!(List<T: Element>, ListBody)`: identity, cloning and tracing. The handle has a
/// `body` and a marker.
macro_rules! handle {
    ($name:ident<$($p:ident: $bound:ident),+>, $body:ident) => {
        impl<$($p: $bound),+> $name<$($p),+> {
            pub(crate) fn from_body(body: Ref<$body>) -> Self {
                $name { body, _type: PhantomData }
            }

            /// The native object.
            #[must_use]
            pub fn as_borrow(&self) -> ErasedBorrow<'_> {
                self.body.as_borrow().erase()
            }

            /// The native object.
            #[must_use]
            pub fn into_erased(self) -> ErasedRef {
                self.body.into_erased()
            }

            /// Whether both are the same object.
            #[must_use]
            pub fn is(&self, other: &Self) -> bool {
                self.body.is(&other.body)
            }

            /// The container that an object is, if its elements are of these types.
            fn of_object(object: &ErasedRef) -> Option<Self> {
                let body = object.as_borrow().downcast::<$body>()?;
                Self::kinds_match(body.get()).then(|| Self::from_body(body.to_ref()))
            }
        }

        impl<$($p: $bound),+> Clone for $name<$($p),+> {
            fn clone(&self) -> Self {
                Self::from_body(self.body.clone())
            }
        }

        trace_fields! { <$($p: $bound),+> $name<$($p),+>: body;
            fn visit_reachable(reach: &mut crate::trace::Reach) {
                reach.visit_objects(|reach| {
                    $(<$p as Element>::visit_reachable(reach);)+
                });
            }
        }

        impl<$($p: $bound),+> From<$name<$($p),+>> for Any {
            fn from(value: $name<$($p),+>) -> Any {
                Any::Object(value.into_erased())
            }
        }

        impl<$($p: $bound),+> Element for $name<$($p),+> {
            type Value = Self;
            fn type_name() -> Cow<'static, str> {
                Self::type_name()
            }
            fn unique_name() -> Cow<'static, str> {
                let parameters = [$($p::unique_name()),+].join(", ");
                Cow::Owned(format!("{}<{parameters}>", stringify!($name)))
            }
            fn visit_reachable(reach: &mut crate::trace::Reach) {
                $(<$p as Element>::visit_reachable(reach);)+
            }
            fn visit_kinds(kinds: &mut super::kinds::Kinds<'_>) {
                kinds.visit_kind(super::element::Kind::of::<Self>());
                $(<$p as Element>::visit_kinds(kinds);)+
            }
            fn to_any(value: Self) -> Any {
                value.into()
            }
            fn from_any(value: &Any) -> Option<Self> {
                match value {
                    Any::Object(object) => Self::of_object(object),
                    _ => None,
                }
            }
        }

    };
}
pub(super) use handle;

/// The native object of a container: opaque to libraries, known to frontends.
macro_rules! body {
    ($body:ident, $key:literal) => {
        built_in! { $body: $key, attributes: true }
    };
}
pub(super) use body;

use std::borrow::Cow;

use super::element::Kind;

/// `a pairbond.Map from str to int`
pub(super) fn mapping_name(what: &str, keys: Kind, values: Kind) -> Cow<'static, str> {
    Cow::Owned(format!(
        "a {what} from {} to {}",
        keys.type_name(),
        values.type_name()
    ))
}
