//! Objects that others hold.

use pairbond::prelude::*;

/// A node with references of every kind, all of which can change.
#[pairbond::object("pairbond_holders.Node")]
pub(crate) struct Node {
    /// Tells nodes apart without Python.
    #[field]
    number: i64,
    /// A typed reference.
    #[field(set)]
    pub(crate) next: Cell<Option<Ref<Node>>>,
    /// Any value.
    #[field(set)]
    value: Cell<Any>,
    /// Many references.
    #[field]
    children: List<Node>,
    /// A reference that does not keep its object.
    #[field(set)]
    parent: Cell<Option<Weak<Node>>>,
}

#[pairbond::methods]
impl Node {
    #[new]
    pub(crate) fn new(#[default(0)] number: i64) -> Self {
        Node {
            number,
            next: Cell::new(None),
            value: Cell::new(Any::None),
            children: List::new(),
            parent: Cell::new(None),
        }
    }

    /// A ring of `count` nodes, made natively.
    #[staticmethod]
    fn ring(count: i64, #[default(0)] first: i64) -> Ref<Node> {
        let nodes: Vec<_> = (0..count.max(1))
            .map(|i| Ref::new(Node::new(first + i)))
            .collect();
        for (i, node) in nodes.iter().enumerate() {
            node.next.set(Some(nodes[(i + 1) % nodes.len()].clone()));
        }
        nodes[0].clone()
    }

    /// A chain of `count` nodes, made natively.
    #[staticmethod]
    fn chain(count: i64) -> Ref<Node> {
        let mut first = Ref::new(Node::new(0));
        for number in 1..count {
            let node = Node::new(number);
            node.next.set(Some(first));
            first = Ref::new(node);
        }
        first
    }

    /// Itself.
    fn same(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    /// Itself, as an owned reference.
    fn owned(this: Borrow<'_, Self>) -> Ref<Self> {
        this.to_ref()
    }
}

impl Node {
    pub(crate) fn hold(&self, value: Any) {
        self.value.set(value);
    }

    pub(crate) fn link(&self, next: Option<Ref<Node>>) {
        self.next.set(next);
    }
}

/// An object that can reach no Python object by itself.
#[pairbond::object("pairbond_holders.Leaf")]
pub(crate) struct Leaf {
    #[field]
    number: i64,
}

#[pairbond::methods]
impl Leaf {
    #[new]
    pub(crate) fn new(#[default(0)] number: i64) -> Self {
        Leaf { number }
    }
}
