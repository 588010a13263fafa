//! `pairbond.DType` and `pairbond.Device` as frontends show them: small immutable objects that are
//! equal when they say the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use pairbond_macros::methods;

use super::{DType, Device};
use crate::class::{Class, ClassVisitor, Member, Methods, ModuleVisitor};
use crate::error::Error;
use crate::trace::{Trace, Tracer};

macro_rules! classes {
    ($($(#[$doc:meta])* $body:ident($value:ty), $key:literal, $about:literal { $($own:tt)* })*) => {$(
        $(#[$doc])*
        pub struct $body($value);

        impl $body {
            /// The object's value.
            #[must_use]
            pub fn make(value: $value) -> Self {
                $body(value)
            }
            /// The value.
            #[must_use]
            pub fn value(&self) -> $value {
                self.0
            }
        }

        built_in! { $body: $key, attributes: false }

        // SAFETY: it owns no references.
        unsafe impl Trace for $body {
            const TRACED: bool = false;
            fn trace(&self, _: &mut Tracer<'_>) {}
        }

        impl Class for $body {
            const DOC: &'static str = $about;
            fn describe<V: ClassVisitor>(visitor: &mut V) {
                Self::describe_methods(visitor);
            }
        }

        impl Member for $body {
            fn show<V: ModuleVisitor>(visitor: &mut V) {
                visitor.class::<Self>();
            }
        }

        #[methods(crate = crate::expansion)]
        impl $body {
            #[new]
            fn new(name: &str) -> Result<Self, Error> {
                name.parse().map($body)
            }
            $($own)*
            fn __eq__(&self, other: &$body) -> bool {
                self.0 == other.0
            }
            fn __hash__(&self) -> i64 {
                hash(self.0)
            }
            fn __str__(&self) -> String {
                self.0.to_string()
            }
            fn __repr__(&self) -> String {
                format!("{}('{}')", $key, self.0)
            }
        }
    )*};
}

classes! {
    /// The object that stands for a [`DType`] where values are objects.
    DTypeBody(DType), "pairbond.DType", "What the elements of an array are, by DLPack's names: DType('float32')." {
        /// DLPack's number of the kind: 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 5 complex, 6
        /// bool.
        #[getter]
        fn code(&self) -> u8 {
            self.0.code
        }
        /// Bits of one lane.
        #[getter]
        fn bits(&self) -> u8 {
            self.0.bits
        }
        /// Lanes of a vector; 1 for a scalar.
        #[getter]
        fn lanes(&self) -> u16 {
            self.0.lanes
        }
    }
    /// The object that stands for a [`Device`] where values are objects.
    DeviceBody(Device), "pairbond.Device", "Where an array lies, by DLPack's names: Device('cuda:1')." {
        /// DLPack's number of the kind: 1 cpu, 2 cuda, and so on.
        #[getter]
        fn kind(&self) -> i32 {
            self.0.kind
        }
        /// Which of its kind.
        #[getter]
        fn index(&self) -> i32 {
            self.0.index
        }
    }
}

fn hash(value: impl Hash) -> i64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish() as i64
}
