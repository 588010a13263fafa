//! A function that is not exposed.

fn read() {}

pairbond::module!(a { read });

fn main() {}
