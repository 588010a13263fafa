//! The classes `pairbond.DType` and `pairbond.Device`.

use std::hash::{DefaultHasher, Hash, Hasher};

use pairbond_macros::methods;

use super::{Class, ClassVisitor, Member, Methods, ModuleVisitor};
use crate::error::Error;
use crate::value::{DTypeBody, DeviceBody};

macro_rules! classes {
    ($($body:ident, $key:literal, $about:literal { $($own:tt)* })*) => {$(
        impl Class for $body {
            const DOC: &'static str = $about;
            fn visit_members<V: ClassVisitor>(visitor: &mut V) {
                Self::describe_methods(visitor);
            }
        }

        impl Member for $body {
            fn visit_member<V: ModuleVisitor>(visitor: &mut V) {
                visitor.visit_class::<Self>();
            }
        }

        #[methods(crate = crate::expansion)]
        impl $body {
            #[new]
            fn new(name: &str) -> Result<Self, Error> {
                name.parse().map($body::from_value)
            }
            $($own)*
            fn __eq__(&self, other: &$body) -> bool {
                self.value() == other.value()
            }
            fn __hash__(&self) -> i64 {
                hash(self.value())
            }
            fn __str__(&self) -> String {
                self.value().to_string()
            }
            fn __repr__(&self) -> String {
                format!("{}('{}')", $key, self.value())
            }
        }
    )*};
}

classes! {
    DTypeBody, "pairbond.DType", "What the elements of an array are, by DLPack's names: DType('float32')." {
        /// DLPack's number of the kind: 0 int, 1 uint, 2 float, 3 handle, 4 bfloat, 5 complex, 6
        /// bool.
        #[getter]
        fn code(&self) -> u8 {
            self.value().code
        }
        /// Bits of one lane.
        #[getter]
        fn bits(&self) -> u8 {
            self.value().bits
        }
        /// Lanes of a vector; 1 for a scalar.
        #[getter]
        fn lanes(&self) -> u16 {
            self.value().lanes
        }
    }
    DeviceBody, "pairbond.Device", "Where an array lies, by DLPack's names: Device('cuda:1')." {
        /// DLPack's number of the kind: 1 cpu, 2 cuda, and so on.
        #[getter]
        fn kind(&self) -> i32 {
            self.value().kind
        }
        /// Which of its kind.
        #[getter]
        fn index(&self) -> i32 {
            self.value().index
        }
    }
}

fn hash(value: impl Hash) -> i64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish() as i64
}
