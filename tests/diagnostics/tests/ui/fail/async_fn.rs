//! What an `async fn` cannot be.
#![allow(unused)]

use pairbond::prelude::*;

#[pairbond::object("shop.Item")]
struct Item {}

#[pairbond::function]
async fn borrows(text: &str, item: Borrow<'_, Item>) {}

#[pairbond::function]
#[detach]
async fn detached() {}

#[pairbond::methods]
impl Item {
    #[new]
    async fn new() -> Self {
        Item {}
    }

    #[getter]
    async fn name(&self) -> String {
        String::new()
    }

    async fn near(&self, other: &Item) {}

    async fn handle(this: Borrow<'_, Self>) {}
}

fn main() {}
