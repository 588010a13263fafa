//! Exception classes.

#[pairbond::exception]
struct NoKey;

#[pairbond::exception("Plain")]
struct NoModule;

#[pairbond::exception("a.B", extend = ValueError)]
struct Option;

#[pairbond::exception("a.C")]
struct Fields {
    line: u32,
}

fn main() {}
