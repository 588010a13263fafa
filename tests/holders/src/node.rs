//! Objects that others hold.

use pairbond::Object;
use pairbond::prelude::*;
use pairbond::tree::{Children, Links, TreeNode};

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
        ring((first..first + count.max(1)).map(Node::new), |node| &node.next)
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

/// A ring of these objects. Returns the first.
fn ring<T: Object + Send + Sync>(
    values: impl Iterator<Item = T>,
    next: impl Fn(&T) -> &Cell<Option<Ref<T>>>,
) -> Ref<T> {
    let nodes: Vec<_> = values.map(Ref::new).collect();
    for (i, node) in nodes.iter().enumerate() {
        next(node).set(Some(nodes[(i + 1) % nodes.len()].clone()));
    }
    nodes[0].clone()
}

/// As [`Node`], but it owns no Python object by itself, so Python's collector need not know its
/// wrappers.
#[pairbond::object("pairbond_holders.Bare")]
pub(crate) struct Bare {
    #[field]
    number: i64,
    #[field(set)]
    next: Cell<Option<Ref<Bare>>>,
    /// A leaf, whose wrapper is known to the collector when it has attributes.
    #[field(set)]
    leaf: Cell<Option<Ref<Leaf>>>,
    /// What may own Python objects.
    #[field(set)]
    node: Cell<Option<Ref<Node>>>,
    #[field]
    children: List<Bare>,
    #[field(set)]
    parent: Cell<Option<Weak<Bare>>>,
}

#[pairbond::methods]
impl Bare {
    #[new]
    fn new(#[default(0)] number: i64) -> Self {
        Bare {
            number,
            next: Cell::new(None),
            leaf: Cell::new(None),
            node: Cell::new(None),
            children: List::new(),
            parent: Cell::new(None),
        }
    }

    /// A ring of `count` nodes, made natively.
    #[staticmethod]
    fn ring(count: i64, #[default(0)] first: i64) -> Ref<Bare> {
        ring((first..first + count.max(1)).map(Bare::new), |node| &node.next)
    }
}

/// A node of a tree that owns no Python object by itself. Its name says whether its number is odd.
#[pairbond::object("pairbond_holders.Twig", name = Self::name, tree)]
pub(crate) struct Twig {
    links: Links,
    twigs: Children<Twig>,
    #[field]
    number: i64,
}

impl Twig {
    fn name(&self) -> &'static str {
        if self.number % 2 == 0 { "even" } else { "odd" }
    }
}

#[pairbond::methods]
impl Twig {
    #[new]
    fn new(#[default(0)] number: i64) -> Self {
        Twig {
            links: Links::new(),
            twigs: Children::new(),
            number,
        }
    }

    /// A root with `count` children.
    #[staticmethod]
    fn bush(count: i64) -> Result<Ref<Twig>> {
        let root = Ref::new(Twig::new(0));
        for number in 1..=count {
            root.list(|it| &it.twigs).push(&Ref::new(Twig::new(number)))?;
        }
        Ok(root)
    }

    /// The children.
    #[getter]
    fn twigs(this: Borrow<'_, Self>) -> Vec<Ref<Twig>> {
        this.to_ref().list(|it| &it.twigs).iter().collect()
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
