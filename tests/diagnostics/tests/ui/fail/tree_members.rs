//! What a node shows of its tree.
use pairbond::tree::{Children, Links};

#[pairbond::object("a.Node", tree(parent: Node, kids, children: Node, above, detach = def, erase))]
struct Node {
    links: Links,
    children: Children<Node>,
}

fn main() {}
