//! Getters and setters.
#![allow(unused, non_local_definitions)]
use pairbond::prelude::*;

#[pairbond::object("a.A")]
struct A;

#[pairbond::methods]
impl A {
    #[getter]
    fn alone() -> u8 {
        0
    }
    #[getter]
    fn nothing(&self) {}
    #[getter]
    #[detach]
    fn more(&self, other: u8) -> u8 {
        other
    }
    #[setter]
    fn set_missing(&self, value: u8) {}
    #[setter]
    fn put(&self, value: u8) {}
    #[setter(more)]
    fn set_more(&self) -> u8 {
        0
    }
    #[getter]
    fn sometimes(&self) -> u8 {
        0
    }
    #[cfg(all())]
    #[setter]
    fn set_sometimes(&self, value: u8) -> Result<(), Error> {
        Ok(())
    }
    #[getter(of_all)]
    #[classmethod]
    fn of_class(&self, more: u8) {}
    #[getter]
    #[name("more")]
    fn same(&self) -> u8 {
        0
    }
}

fn main() {}
