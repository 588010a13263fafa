//! A promise for the whole object does not make the standard library's cells safe: the error says
//! what to use.
use std::cell::RefCell;

#[pairbond::object("a.Node")]
struct Node {
    #[untraced]
    cache: RefCell<Vec<u8>>,
}

unsafe impl Sync for Node {}

fn main() {}
