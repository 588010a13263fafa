//! The library of the documentation: each type is one that a page of `docs/` shows, under the same
//! name.
//!
//! `tests/python/test_docs.py` runs the Python examples of the pages with it.
#![forbid(unsafe_code)]

mod goods;
mod kinds;
mod places;

use goods::*;
use kinds::*;
use places::*;

pairbond::module!(
    /// What the documentation's examples sell.
    shop {
        Package, Stock, Cart, with_item, Item, Book, Offer, Parcel, postage, cheapest, Picture, inverted, scale, squares, level, keep, forget, Size, larger, Shape, Block, Op,
        Shelf, Thing
    }
);
