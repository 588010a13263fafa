//! Enums.

use pairbond::prelude::*;

/// Sizes.
#[pairbond::object("shop.Size")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Size {
    Small,
    Large = 5,
}

/// The next size.
#[pairbond::function]
pub(crate) fn larger(size: Size) -> Size {
    match size {
        Size::Small | Size::Large => Size::Large,
    }
}

/// Shapes.
#[pairbond::object("shop.Shape")]
#[derive(Clone)]
pub(crate) enum Shape {
    Circle { radius: f64 },
    Scaled { shape: Ref<Shape>, by: f64 },
    Nothing,
}
