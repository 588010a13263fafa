//! The key names a module and a class.
#![allow(unused, non_local_definitions)]

#[pairbond::object]
struct None;

#[pairbond::object("Package")]
struct NoModule;

#[pairbond::object("lockgraph.")]
struct NoName;

#[pairbond::object("lock-graph.Package")]
struct Dash;

#[pairbond::object("class.Package")]
struct Keyword;

#[pairbond::object(lockgraph::Package)]
struct Path;

fn main() {}
