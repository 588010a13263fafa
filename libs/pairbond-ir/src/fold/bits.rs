//! Integers of up to 128 bits, as attributes and as numbers.

use pairbond::prelude::*;

use crate::context::attributes::{Attribute, AttributeHead, width_of};
use crate::context::types::Type;

/// An integer of some width: its bits, with zeros above.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) width: u32,
    pub(super) value: u128,
}

impl Bits {
    /// Of an attribute that is an integer of at most 128 bits.
    pub(super) fn from_attribute(attribute: &Attribute) -> Option<Bits> {
        let AttributeHead::Integer(bytes) = attribute.head() else {
            return None;
        };
        let (width, _) = width_of(attribute.types().first()?)?;
        if width == 0 || width > 128 {
            return None;
        }
        let mut all = [0; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        let value = u128::from_le_bytes(all);
        Some(Bits { width, value })
    }

    /// The same width, another value: its lowest bits.
    pub(super) fn with_value(self, value: u128) -> Bits {
        let value = value & Bits::low_mask(self.width);
        Bits { value, ..self }
    }

    fn low_mask(width: u32) -> u128 {
        u128::MAX >> (128 - width)
    }

    pub(super) fn is_all_ones(self) -> bool {
        self.value == Bits::low_mask(self.width)
    }

    pub(super) fn to_signed(self) -> i128 {
        let unused = 128 - self.width;
        (self.value << unused).cast_signed() >> unused
    }

    /// As an attribute of a type of this width.
    pub(super) fn to_attribute(self, r#type: &Ref<Type>) -> Ref<Attribute> {
        let bytes = &self.value.to_le_bytes()[..self.width.div_ceil(8) as usize];
        Attribute::with_type(AttributeHead::Integer(bytes.into()), r#type.clone())
    }
}
