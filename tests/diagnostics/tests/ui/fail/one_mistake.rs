//! One mistake is reported once, however often the type is used.
use pairbond::prelude::*;

#[pairbond::object("a.A", sealled)]
struct A {
    #[field]
    next: Cell<Option<Ref<A>>>,
}

#[pairbond::methods]
impl A {
    fn next(&self) -> Option<Ref<A>> {
        self.next.get()
    }
}

#[pairbond::function]
fn walk(a: Ref<A>, with: &A) -> Vec<Ref<A>> {
    vec![a]
}

#[pairbond::function]
fn first(a: List<A>) -> Option<Ref<A>> {
    a.get(0)
}

pairbond::module!(a { A, walk, first });

fn main() {}
