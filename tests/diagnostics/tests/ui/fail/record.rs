//! What no record is, and options that it does not have.
use pairbond::Record;

#[derive(Record)]
struct Tuple(i64, i64);

#[derive(Record)]
struct Unit;

#[derive(Record)]
enum Either {
    A { x: i64 },
    B,
}

#[derive(Record)]
struct Borrowing<'a> {
    name: &'a str,
}

#[derive(Record)]
#[record(strict)]
struct Strict {
    x: i64,
}

#[derive(Record)]
#[record(class = "Point")]
struct Nowhere {
    x: i64,
}

#[derive(Record)]
#[record(class = "shop.Point")]
struct Unspeakable {
    #[record(rename = "x-axis")]
    x: i64,
}

#[derive(Record)]
struct Same {
    x: i64,
    #[record(rename = "x")]
    y: i64,
    #[record(skip)]
    z: i64,
}

// Their uses are no further errors.
#[pairbond::function]
fn takes(a: Same, b: Strict, #[rest] c: Nowhere) -> Unspeakable {
    todo!()
}

fn main() {}
