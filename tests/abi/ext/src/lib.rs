//! An extension module that shares the types of abi-shapes with others.
#![forbid(unsafe_code)]

use abi_shapes::{Base, Color, Derived, Known, Opaque, Shape};
use pairbond::prelude::*;

#[pairbond::function]
fn unrelated() -> u32 {
    #[cfg(feature = "unrelated-2")]
    return unrelated_2::thing().version;
    #[cfg(not(feature = "unrelated-2"))]
    return unrelated_1::thing().version;
}

#[pairbond::function]
fn make_known(name: &str) -> Ref<Known> {
    Known::make(name)
}
#[pairbond::function]
fn look_at_known(known: &Known) -> String {
    known.look()
}
#[pairbond::function]
fn set_next(known: &Known, next: Ref<Known>) {
    known.set_next(next);
}
#[pairbond::function]
fn make_opaque(text: &str) -> Ref<Opaque> {
    Opaque::make(text)
}
#[pairbond::function]
fn look_at_opaque(opaque: &Opaque) -> String {
    opaque.look()
}
#[pairbond::function]
fn make_shape(radius: f64) -> Shape {
    Shape::Circle { radius }
}
#[pairbond::function]
fn look_at_shape(shape: Shape) -> String {
    match shape {
        Shape::Circle { radius } => format!("circle {radius}"),
        Shape::Named(name) => name,
        Shape::Empty => "empty".into(),
    }
}
#[pairbond::function]
fn other_color(color: Color) -> Color {
    match color {
        Color::Red => Color::Green,
        Color::Green => Color::Red,
    }
}
#[pairbond::function]
fn make_derived(id: u64) -> Ref<Derived> {
    Derived::make(id)
}
#[pairbond::function]
fn look_at_base(base: &Base) -> u64 {
    abi_shapes::look_at_base(base)
}
#[pairbond::function]
fn look_at_derived(derived: &Derived) -> String {
    abi_shapes::look_at_derived(derived)
}
#[pairbond::function]
fn new_map() -> Map<Str, i64> {
    Map::new()
}
/// Lists, maps and errors cross, too.
#[pairbond::function]
fn fill(list: List<Any>, map: Map<Str, i64>) -> Result<usize> {
    for number in 0..20_i64 {
        list.push(number.into());
        map.insert(format!("key {number}").into(), number);
    }
    Ok(list.len() + map.len())
}
#[pairbond::function]
fn fail(function: Function) -> Result<Any> {
    function.call(&["a text that is longer than a word".into()])
}

/// The type of tests/abi/v1.
#[pairbond::object("abi.V1")]
pub struct V1 {
    value: u64,
}
#[pairbond::function]
fn make_v1(value: u64) -> Ref<V1> {
    Ref::new(V1 { value })
}
#[pairbond::function]
fn look_at_v1(object: &V1) -> u64 {
    object.value
}

#[cfg(pairbond_next_abi)]
#[pairbond::function]
fn next() -> u32 {
    pairbond::next_abi()
}
#[cfg(not(pairbond_next_abi))]
#[pairbond::function]
fn next() -> u32 {
    0
}

pairbond::module!(
    /// Shares its types.
    ext {
        Known, Opaque, Shape, Color, Base, Derived, unrelated, make_known, look_at_known, set_next, make_opaque, look_at_opaque, make_shape,
        look_at_shape, other_color, make_derived, look_at_base, look_at_derived, new_map, fill, fail, V1, make_v1,
        look_at_v1, next
    }
);
