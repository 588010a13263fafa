//! What a field must be to be traced, read and set.
#![allow(unused, non_local_definitions)]
use pairbond::prelude::*;

struct Opaque;

#[pairbond::object("a.Untraceable")]
struct Untraceable {
    opaque: Opaque,
}

#[pairbond::object("a.Unreadable")]
struct Unreadable {
    #[field]
    #[untraced]
    opaque: Opaque,
}

#[pairbond::object("a.Unsettable")]
struct Unsettable {
    #[field(set)]
    name: Str,
}

fn main() {}
