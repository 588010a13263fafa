//! Classes that are written against CPython's API and described by no type: those of containers and
//! arrays, of iterators and views, of functions of C.
//!
//! * `classes` – making them; `define` – definitions of their methods; `support` – native objects
//!   behind their wrappers, results, `repr`.

pub(crate) mod classes;
mod define;
pub(crate) mod support;
