//! [`FieldInfo`]: the description of one field of a type.

use super::{DescribedBy, Opaque, TraceFn};
use crate::layout::LayoutWriter;
use crate::raw::RawAny;
use crate::types::CarryTable;

/// One field of an object's value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FieldInfo {
    /// The name in Rust.
    pub name: &'static str,
    /// Documentation comment; empty when there is none.
    pub doc: &'static str,
    /// The Rust type as written, white space normalised.
    pub rust_type: &'static str,
    /// Bytes from the beginning of the value.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// Whether frontends may set it.
    pub settable: bool,
    /// Shows the references of the field alone, for reports; `None` when it shows none.
    pub trace: Option<TraceFn>,
    /// How its values are taken apart and made again; `None`: not at all.
    pub carry: Option<CarryTable>,
    /// The value where data has none.
    pub default: Option<FieldDefault>,
    /// See [`FieldFlags`].
    pub flags: FieldFlags,
    /// Shows how the field is laid out; `None`: by its size alone.
    pub layout: Option<fn(&mut LayoutWriter)>,
    /// The field of a type that was made at run time.
    pub dynamic: Option<&'static Opaque>,
}

impl FieldInfo {
    /// Whether the field is the value of the type that its type extends.
    #[must_use]
    pub const fn is_base(&self) -> bool {
        self.flags.contains(FieldFlags::BASE)
    }

    /// What the field is, if its type was made at run time.
    #[doc(hidden)]
    #[must_use]
    pub fn description<D: 'static>(&self) -> Option<&'static D>
    where
        FieldInfo: DescribedBy<D>,
    {
        // SAFETY: that is what the description is of, as the trait's implementation promises.
        self.dynamic
            .map(|field| unsafe { &*std::ptr::from_ref(field).cast::<D>() })
    }

    /// Whether it is left out of data.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        self.flags.contains(FieldFlags::TRANSIENT)
    }
}

/// Properties of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct FieldFlags(pub u32);

impl FieldFlags {
    /// None.
    pub const NONE: FieldFlags = FieldFlags(0);
    /// It is the value of the type that its type extends.
    pub const BASE: FieldFlags = FieldFlags(1);
    /// It is left out of data, and made by its default.
    pub const TRANSIENT: FieldFlags = FieldFlags(2);
    /// Comparing objects by structure leaves it out.
    pub const NOT_COMPARED: FieldFlags = FieldFlags(4);

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn contains(self, other: FieldFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: FieldFlags) -> Self {
        FieldFlags(self.0 | other.0)
    }
}

/// Makes the value of a field that data does not have, and drops it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FieldDefault {
    /// `(place, field, error)`: writes a value of the field; on `false` an error.
    pub write: unsafe extern "C-unwind" fn(*mut u8, *const FieldInfo, *mut RawAny) -> bool,
    /// Drops one.
    pub drop: unsafe extern "C-unwind" fn(*mut u8),
}
