//! One mistake in a method is one error, however often the type is used.
use pairbond::prelude::*;

#[pairbond::object("a.Node")]
struct Node {
    #[field(set)]
    next: Cell<Option<Ref<Node>>>,
    #[field]
    list: List<Node>,
}

#[pairbond::methods]
impl Node {
    fn following(&self) -> Option<Ref<Node>> {
        self.next.get()
    }
    fn fails(&self) -> std::result::Result<i64, String> {
        Ok(1)
    }
}

#[pairbond::function]
fn walk(node: Ref<Node>, other: &Node, all: Vec<Ref<Node>>) -> List<Node> {
    let _ = (other, all);
    node.list.clone()
}

pairbond::module!(a { Node, walk });

fn main() {}
