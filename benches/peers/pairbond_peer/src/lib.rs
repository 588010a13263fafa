//! pairbond as its guide recommends it.
#![forbid(unsafe_code)]

use pairbond::prelude::*;

/// A node with a child that changes and one that does not. Its class cannot be changed, as the
/// floor's.
#[pairbond::object("pairbond_peer.Node", immutable_type)]
pub struct Node {
    #[field]
    value: i64,
    #[field]
    weight: f64,
    #[field]
    child: Cell<Option<Ref<Node>>>,
    #[field]
    fixed: Option<Ref<Node>>,
}

#[pairbond::methods]
impl Node {
    #[new]
    fn new(value: i64, weight: f64, #[keyword] fixed: Option<Ref<Node>>) -> Self {
        Node { value, weight, child: Cell::new(None), fixed }
    }

    fn call0(&self) {}

    fn call3(&self, a: i64, b: i64, c: i64) -> i64 {
        a + b + c
    }

    fn set_child(&self, child: Ref<Node>) {
        self.child.set(Some(child));
    }

    /// A method that Python classes may override.
    #[overridable]
    fn weigh(this: Borrow<'_, Self>, factor: f64) -> Result<f64, Error> {
        Ok(this.weight * factor)
    }

    /// The same, which they may not.
    fn weigh_plainly(this: Borrow<'_, Self>, factor: f64) -> Result<f64, Error> {
        Ok(this.weight * factor)
    }
}

/// Nanoseconds per call of a function, called from Rust.
fn time(calls: u32, call: impl Fn() -> Result<f64, Error>) -> Result<f64, Error> {
    let start = std::time::Instant::now();
    for _ in 0..calls {
        std::hint::black_box(call()?);
    }
    Ok(start.elapsed().as_nanos() as f64 / f64::from(calls))
}

/// Calls of an overridable method from Rust, and of a plain one.
#[pairbond::function]
fn time_override(node: Borrow<'_, Node>, calls: u32) -> Result<(f64, f64), Error> {
    let overridable = time(calls, || Node::weigh(std::hint::black_box(node), 2.0))?;
    Ok((overridable, time(calls, || Node::weigh_plainly(std::hint::black_box(node), 2.0))?))
}

/// As `Node`, of a class that can be changed, as the classes of the other peers.
#[pairbond::object("pairbond_peer.OpenNode")]
pub struct OpenNode {
    #[field]
    value: i64,
    #[field]
    weight: f64,
    #[field]
    child: Cell<Option<Ref<Node>>>,
    #[field]
    fixed: Option<Ref<Node>>,
}

#[pairbond::methods]
impl OpenNode {
    #[new]
    fn new(value: i64, weight: f64, #[keyword] fixed: Option<Ref<Node>>) -> Self {
        OpenNode { value, weight, child: Cell::new(None), fixed }
    }
}

/// An object that reaches no Python object: Python's collector never hears of it until it gets an
/// attribute.
#[pairbond::object("pairbond_peer.Leaf")]
pub struct Leaf {
    #[field]
    value: i64,
    #[field]
    weight: f64,
}

#[pairbond::methods]
impl Leaf {
    #[new]
    fn new(value: i64, weight: f64) -> Self {
        Leaf { value, weight }
    }
}

#[pairbond::function]
fn make_leaves(n: i64) -> Vec<Ref<Leaf>> {
    (0..n).map(|i| Ref::new(Leaf::new(i, 1.0))).collect()
}

/// Nodes by number.
#[pairbond::object("pairbond_peer.Sequence")]
pub struct Sequence {
    items: Vec<Ref<Node>>,
}

#[pairbond::methods]
impl Sequence {
    fn __len__(&self) -> usize {
        self.items.len()
    }

    fn __getitem__(&self, index: usize) -> Result<&Ref<Node>, Error> {
        self.items.get(index).ok_or_else(|| Error::index_error("index out of range"))
    }
}

/// An iterator.
#[pairbond::object("pairbond_peer.Numbers")]
pub struct Numbers {
    left: Cell<i64>,
}

#[pairbond::methods]
impl Numbers {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Option<i64> {
        let left = self.left.get();
        self.left.set((left - 1).max(0));
        (left > 0).then_some(left)
    }
}

#[pairbond::function]
fn numbers(n: i64) -> Ref<Numbers> {
    Ref::new(Numbers { left: n.into() })
}

fn node(value: i64) -> Ref<Node> {
    Ref::new(Node::new(value, 1.0, None))
}

#[pairbond::function]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pairbond::function]
fn call0() {}

#[pairbond::function]
fn call3(a: i64, b: i64, c: i64) -> i64 {
    a + b + c
}

#[pairbond::function]
fn value_of(node: Borrow<'_, Node>) -> i64 {
    node.value
}

/// The same, which Python classes may take over.
#[pairbond::function]
#[overridable]
fn asked_value_of(node: Borrow<'_, Node>) -> Result<i64, Error> {
    Ok(node.value)
}

/// The same, by value.
#[pairbond::function]
fn value_out(node: Node) -> i64 {
    node.value
}

#[pairbond::function]
fn make_closure() -> Function {
    Function::build("closure").from(|| ())
}

#[pairbond::function]
fn make_node() -> Ref<Node> {
    node(7)
}

#[pairbond::function]
fn make_parent() -> Ref<Node> {
    let parent = node(1);
    parent.child.set(Some(node(7)));
    parent
}

#[pairbond::function]
fn make_list(n: i64) -> Vec<Ref<Node>> {
    (0..n).map(node).collect()
}

#[pairbond::function]
fn make_sequence(n: i64) -> Ref<Sequence> {
    Ref::new(Sequence { items: (0..n).map(node).collect() })
}

#[pairbond::function]
fn apply(callable: Callback<'_>) -> Result<Any, Error> {
    callable.call(&[])
}

#[pairbond::function]
fn fail() -> Result<(), Error> {
    Err(Error::value_error("failed"))
}

pairbond::module!(pairbond_peer { Node, OpenNode, Leaf, make_leaves, Sequence, version, call0, call3, value_of, asked_value_of, value_out, make_closure, make_node, make_parent, make_list, make_sequence, Numbers, numbers, apply, fail, time_override });
