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

/// Computes attributes that are not there, and watches those that are set.
#[pairbond::object("pairbond_holders.Dynamic")]
#[derive(Default)]
pub(crate) struct Dynamic {
    #[field]
    log: List<Str>,
}

#[pairbond::methods]
impl Dynamic {
    #[new]
    fn new() -> Self {
        Dynamic::default()
    }

    fn __getattr__(&self, name: &str) -> Result<String, Error> {
        match name.strip_prefix("made_") {
            Some(rest) => Ok(rest.to_owned()),
            None => Err(Error::new(ErrorKind::Attribute, format!("no {name}"))),
        }
    }

    fn __setattr__(this: Borrow<'_, Self>, name: &str, value: Any) -> Result<(), Error> {
        this.log.push(Str::from(format!("set {name}")));
        Any::from(this.to_ref()).set_attr_generic(name, Some(value))
    }

    fn __delattr__(this: Borrow<'_, Self>, name: &str) -> Result<(), Error> {
        this.log.push(Str::from(format!("del {name}")));
        Any::from(this.to_ref()).set_attr_generic(name, None)
    }
}

/// A descriptor.
#[pairbond::object("pairbond_holders.Described")]
#[derive(Default)]
pub(crate) struct Described {
    name: Cell<Str>,
}

#[pairbond::methods]
impl Described {
    #[new]
    fn new() -> Self {
        Described::default()
    }

    fn __set_name__(&self, _owner: Any, name: Str) {
        self.name.set(name);
    }

    fn __get__(this: Borrow<'_, Self>, instance: Option<Any>, _owner: Option<Any>) -> Result<Any, Error> {
        match instance {
            None => Ok(this.to_ref().into()),
            Some(instance) => instance.get_attr(&format!("_{}", this.name.get())),
        }
    }

    fn __set__(&self, instance: Any, value: Any) -> Result<(), Error> {
        instance.set_attr(&format!("_{}", self.name.get()), value)
    }

    fn __delete__(&self, instance: Any) -> Result<(), Error> {
        instance.del_attr(&format!("_{}", self.name.get()))
    }
}

#[pairbond::function]
pub(crate) fn enable_logging(most: &str) -> Result<(), Error> {
    pairbond::log_to_python(most.parse().or_raise(ErrorKind::Value)?)
}

/// Logs a record of each level, here or on a thread that Python does not know.
#[pairbond::function]
#[detach]
pub(crate) fn log_records(text: String, elsewhere: bool) {
    let work = move || {
        log::error!(target: "native::part", "error {text}");
        log::warn!(target: "native::part", "warning {text}");
        log::info!(target: "native::part", "info {text}");
        log::debug!(target: "native::part", "debug {text}");
        log::trace!(target: "native::part", "trace {text}");
    };
    if elsewhere {
        std::thread::spawn(work).join().expect("logging does not panic");
    } else {
        work();
    }
}
