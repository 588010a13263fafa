//! Graphs in a format of serde that is not text.

use pairbond::prelude::*;
use pairbond::serial::{Graph, Loader, Save};

use super::things::Link;

#[test]
fn graphs_in_cbor() {
    let link = Ref::new(Link::default());
    link.next.set(Some(link.clone()));
    let root: List<Any> = [
        Any::from(link.clone()),
        Any::from(link.clone()),
        Any::from(f64::NAN),
        Any::from("a text of some length"),
        Any::Bytes(b"\0\xff".as_slice().into()),
    ]
    .into_iter()
    .collect();
    let root = Any::from(root);
    let mut save = Save::new();
    save.add_root(&root).unwrap();
    save.save_all().unwrap();
    let mut bytes = Vec::new();
    ciborium::into_writer(&save.finish().0, &mut bytes).unwrap();
    let graph: Graph = ciborium::from_reader(&*bytes).unwrap();
    let mut load = Loader::new(graph).unwrap();
    load.load_all().unwrap();
    let copy = load.take_root().unwrap();
    assert!(pairbond::serial::structural_equal(&root, &copy).unwrap());
    let copy = copy.to::<List<Any>>().unwrap();
    let (first, second) = (copy.get(0).unwrap(), copy.get(1).unwrap());
    let first = first.to::<Ref<Link>>().unwrap();
    assert!(first.is(&second.to::<Ref<Link>>().unwrap()));
    assert!(first.next.get().unwrap().is(&first));
    assert!(!first.is(&link));
    first.next.set(None);
    link.next.set(None);
    // Data that is not a graph is an error.
    assert!(ciborium::from_reader::<Graph, _>(&bytes[..bytes.len() / 2]).is_err());
}
