#[pairbond::object("ui.Parent", sealed)]
struct Parent {
    #[field]
    number: i64,
}

#[pairbond::object("ui.Child", extends = Parent)]
struct Child {
    base: Parent,
}

fn main() {}
