//! A field that does not convert is underlined, once; so is a struct that is no record.
use std::cell::RefCell;

use pairbond::Record;

#[derive(Record)]
struct Config {
    name: String,
    cache: RefCell<i64>,
}

struct Plain {
    x: i64,
}

#[pairbond::function]
fn configure(config: Config, #[rest] more: Plain) -> Config {
    config
}

pairbond::module!(a { configure, Config });

fn main() {}
