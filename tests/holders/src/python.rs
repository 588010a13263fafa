//! Driving Python from Rust.

use pairbond::prelude::*;
use pairbond::python::{ObjectExt, import};

#[pairbond::function]
pub(crate) fn import_module(name: &str) -> Result<Any, Error> {
    import(name)
}

/// Does what `action` names with an object.
#[pairbond::function]
pub(crate) fn operate(action: &str, object: Any, #[rest] others: Vec<Any>) -> Result<Any, Error> {
    let name = || others[0].to::<String>();
    Ok(match action {
        "get_attr" => object.get_attr(&name()?)?,
        "set_attr" => object.set_attr(&name()?, others[1].clone()).map(|()| Any::None)?,
        "del_attr" => object.del_attr(&name()?).map(|()| Any::None)?,
        "get_item" => object.get_item(others[0].clone())?,
        "set_item" => object
            .set_item(others[0].clone(), others[1].clone())
            .map(|()| Any::None)?,
        "del_item" => object.del_item(others[0].clone()).map(|()| Any::None)?,
        "call_method" => object.call_method(&name()?, &others[1..])?,
        "call" => object.call_object(&others, &[])?,
        "call_named" => object.call_object(&others, &["key"])?,
        "count" => Any::from(object.count()? as i64),
        "text" => object.text()?.into(),
        "is_instance" => Any::from(object.is_instance(&others[0])?),
        _ => object.iterate()?.collect::<Result<List<Any>, Error>>()?.into(),
    })
}

/// The same on a thread that Python does not know.
#[pairbond::function]
#[detach]
pub(crate) fn operate_elsewhere(action: String, object: Any, #[rest] others: Vec<Any>) -> Result<Any, Error> {
    let run = move || operate(&action, object, others);
    std::thread::spawn(run).join().expect("errors are returned")
}
