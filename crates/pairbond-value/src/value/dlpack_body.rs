//! `pairbond.DType` and `pairbond.Device`: small immutable objects that are equal when they say the
//! same. `class/dlpack_classes.rs` has what frontends show of them.

use super::{DType, Device};

macro_rules! bodies {
    ($($(#[$doc:meta])* $body:ident($value:ty), $key:literal;)*) => {$(
        $(#[$doc])*
        pub struct $body($value);

        impl $body {
            /// The object's value.
            #[must_use]
            pub fn from_value(value: $value) -> Self {
                $body(value)
            }
            /// The value.
            #[must_use]
            pub fn value(&self) -> $value {
                self.0
            }
        }

        built_in! { $body: $key, attributes: false }

        untraced!($body);
    )*};
}

bodies! {
    /// The object that stands for a [`DType`] where values are objects.
    DTypeBody(DType), "pairbond.DType";
    /// The object that stands for a [`Device`] where values are objects.
    DeviceBody(Device), "pairbond.Device";
}
