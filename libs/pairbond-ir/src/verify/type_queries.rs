//! Questions about types that checks of operations ask.

use pairbond::prelude::*;

use crate::affine::DYNAMIC;
use crate::context::types::{Type, TypeHead};
use crate::numbers::Sign;

/// Returns the element type of vectors and tensors, and any other type itself.
fn lane_type(of: &Ref<Type>) -> &Ref<Type> {
    match of.head() {
        TypeHead::Vector { .. } | TypeHead::Tensor { .. } => Type::element_or_self(of),
        _ => of,
    }
}

/// `i32`, `index`, or vectors and tensors of these.
pub(super) fn is_integer_like(of: &Ref<Type>) -> bool {
    match lane_type(of).head() {
        TypeHead::Index => true,
        TypeHead::Integer { width, sign } => *sign == Sign::Signless && *width > 0,
        // The types of another dialect are not known.
        TypeHead::Opaque { .. } => true,
        _ => false,
    }
}

/// `f32`, or vectors and tensors of such.
pub(super) fn is_float_like(of: &Ref<Type>) -> bool {
    matches!(lane_type(of).head(), TypeHead::Float(_) | TypeHead::Opaque { .. })
}

/// Whether they are the same, sizes of tensors apart that one of them leaves open.
pub(super) fn are_compatible(a: &Ref<Type>, b: &Ref<Type>) -> bool {
    if a.is(b) {
        return true;
    }
    let (TypeHead::Tensor { shape: left }, TypeHead::Tensor { shape: right }) = (a.head(), b.head()) else {
        return false;
    };
    let same_attributes = a.attributes().len() == b.attributes().len()
        && a.attributes().iter().zip(b.attributes()).all(|(a, b)| a.is(b));
    let fit = |(a, b): (&i64, &i64)| a == b || *a == DYNAMIC || *b == DYNAMIC;
    let shapes = match (left, right) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(fit),
        (None, None) => true,
        _ => false,
    };
    same_attributes && shapes && Type::element_or_self(a).is(Type::element_or_self(b))
}
