//! A generic struct is a class for each type that a line names.
use pairbond::prelude::*;

#[pairbond::object("a.Grid")]
struct Grid<T> {
    #[field]
    cells: List<T>,
}

#[pairbond::object("a.Pair", T = f64, U = i64)]
struct Pair<T> {
    #[field]
    first: T,
}

#[pairbond::object("a.Lone", T = f64)]
struct Lone {}

#[pairbond::object("a.Borrowing", T = f64)]
struct Borrowing<'a, T> {
    name: &'a T,
}

#[pairbond::object("a.Good", T = f64)]
struct Good<T> {
    #[field]
    first: T,
}

#[pairbond::methods]
impl<T: Clone> Good<T> {
    fn first(&self) -> T {
        self.first.clone()
    }
}

#[pairbond::object("a.Closed", sealed, attributes)]
struct Closed {}

#[pairbond::object("a.Noted", attributes(note: String))]
struct Noted {
    #[field]
    note: Str,
}

#[pairbond::object("a.Hidden", native, repr)]
struct Hidden {}

#[pairbond::methods]
impl Closed {
    #[base(Noted)]
    fn below(&self) -> Ref<Noted> {
        todo!()
    }
}

fn main() {}
