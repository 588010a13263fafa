//! HTML documents as trees of native nodes: `html5ever` parses straight into them, the crate
//! `selectors` searches them, and Python uses them as users of BeautifulSoup and lxml expect. Any
//! thread may edit meanwhile; an erased node raises.
#![forbid(unsafe_code)]

mod node;
mod select;
mod sink;

pairbond::module!(
    /// The native half of `dom`.
    _dom { node::Node, sink::parse, sink::tostring }
);
