//! Special methods.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.A")]
struct A;

#[pairbond::methods]
impl A {
    fn __init__(&self) {}
    fn __new__() -> Self {
        A
    }
    fn __del__(&self) {}
    fn __getattribute__(&self, name: &str) {}
    fn __length__(&self) -> usize {
        0
    }
    fn __gettitem__(&self, index: usize) {}
    fn __frobnicate__(&self) {}
    fn __len__(&self, other: u8) -> usize {
        0
    }
    fn __getitem__(&self) {}
    fn __setitem__(&self, key: u8) {}
    fn __eq__(&self, #[keyword] other: u8) -> bool {
        true
    }
    fn __repr__() -> String {
        String::new()
    }
    #[classmethod]
    fn __str__() -> String {
        String::new()
    }
    fn __class_getitem__(&self, item: u8) {}
    #[name("__hash__")]
    fn first(&self) -> u64 {
        0
    }
    fn __hash__(&self) -> u64 {
        0
    }
}

fn main() {}
