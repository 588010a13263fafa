//! A field that threads cannot share is one error, however often the type is used.
use std::cell::RefCell;

use pairbond::prelude::*;
use pairbond::{New, Record};

#[derive(Clone, Record)]
struct Config {
    name: String,
}

#[pairbond::object("a.Node")]
struct Node {
    #[field]
    name: Str,
    #[field(set)]
    next: Cell<Option<Ref<Node>>>,
    #[field]
    list: List<Node>,
    #[untraced]
    cache: RefCell<Vec<u8>>,
}

#[pairbond::methods]
impl Node {
    #[new]
    fn new(name: Str) -> Self {
        Node {
            name,
            next: Cell::default(),
            list: List::new(),
            cache: RefCell::default(),
        }
    }
    fn following(&self) -> Option<Ref<Node>> {
        self.next.get()
    }
    fn all(&self, more: Vec<Ref<Node>>) -> Vec<Ref<Node>> {
        more
    }
    fn __add__(&self, other: &Node) -> New<Node> {
        New(Node::new(other.name.clone()))
    }
}

#[pairbond::function]
fn walk(node: Ref<Node>, other: &Node, all: Vec<Ref<Node>>, config: Config) -> List<Node> {
    node.list.clone()
}

pairbond::module!(a { Node, walk, Config });

fn main() {}
