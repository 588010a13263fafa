//! Modules.
#![allow(unused, non_local_definitions)]

#[pairbond::object("a.A")]
struct A;

pairbond::module!(class { A });

pairbond::module!(a { A, A });

pairbond::module!(
    #[inline]
    a { A }
);

pairbond::module!(a { #[inline] A });

pairbond::module!(a { A } b);

pairbond::module!(a);

fn main() {}
