//! An object that is returned by value.
#![allow(unused, non_local_definitions)]

#[pairbond::object("shop.Item")]
struct Item {}

#[pairbond::function]
fn made() -> Item {
    Item {}
}

#[pairbond::function]
fn tried() -> Result<Item, pairbond::Error> {
    Ok(Item {})
}

#[pairbond::function]
fn right() -> pairbond::New<Item> {
    pairbond::New(Item {})
}

fn main() {}
