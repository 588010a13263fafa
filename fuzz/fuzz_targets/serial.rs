//! Any bytes as a graph: an error, or objects that can be used in every way. The first byte says
//! whether they are bytes or text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pairbond::prelude::*;
use pairbond::serial::{Graph, Loader, Save};

#[pairbond::object("fuzz.Thing")]
struct Thing {
    name: Str,
    text: Option<String>,
    numbers: Vec<(i64, f32)>,
    up: Option<Ref<Thing>>,
    other: Cell<Option<Ref<Thing>>>,
    any: Cell<Any>,
    list: List<Thing>,
    map: Map<Str, i64>,
    cells: Vec<Cell<Option<Ref<Thing>>>>,
    weak: Cell<Option<Weak<Thing>>>,
    #[default(7)]
    later: u8,
}

fn taken(value: &Any) -> Result<Graph, Error> {
    let mut save = Save::new();
    save.add_root(value)?;
    save.save_all()?;
    Ok(save.finish().0)
}

fn made(graph: Graph) -> Result<Any, Error> {
    let mut load = Loader::new(graph)?;
    load.load_all()?;
    load.take_root()
}

fuzz_target!(|data: &[u8]| {
    let _ = <Thing as pairbond::Object>::info();
    let Some((kind, data)) = data.split_first() else { return };
    let value = if kind % 2 == 0 {
        Graph::from_bytes(data).and_then(made)
    } else {
        std::str::from_utf8(data).map_err(Error::from).and_then(pairbond::serial::from_json)
    };
    if let Ok(value) = value {
        let again = taken(&value).expect("what was made can be taken apart");
        let copy = made(Graph::from_bytes(&again.to_bytes(true)).expect("what was written")).expect("what was made before");
        assert!(pairbond::serial::structural_equal(&value, &copy).expect("comparable"));
        assert_eq!(pairbond::serial::structural_hash(&value).ok(), pairbond::serial::structural_hash(&copy).ok());
        drop((value, copy));
        pairbond::collect();
    }
});
