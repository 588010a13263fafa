//! Graphs of objects: copied, compared, written and read.

mod damaged;
mod formats;
mod graphs;
mod schema;
mod things;

use pairbond::serial::{Graph, Loader, Save};
use pairbond::{Any, Error};

/// Through bytes and back.
fn carried(value: &Any) -> Result<Any, Error> {
    read(&written(value)?)
}

fn written(value: &Any) -> Result<Vec<u8>, Error> {
    let mut save = Save::new();
    save.add_root(value)?;
    save.save_all()?;
    let (graph, beside) = save.finish();
    assert!(beside.is_empty());
    Ok(graph.to_bytes(true))
}

fn read(bytes: &[u8]) -> Result<Any, Error> {
    let mut load = Loader::new(Graph::from_bytes(bytes)?)?;
    load.load_all()?;
    load.take_root()
}
