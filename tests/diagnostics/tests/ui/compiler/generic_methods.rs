//! Methods that are written for other types only, and arguments that do not meet a bound.
use pairbond::prelude::*;

#[pairbond::object("a.GridF64", T = f64)]
#[pairbond::object("a.GridI64", T = i64)]
struct Grid<T> {
    #[field]
    first: T,
}

#[pairbond::methods(T = f64)]
impl<T: Clone> Grid<T> {
    fn first(&self) -> T {
        self.first.clone()
    }
}

fn main() {}
