//! Graph → objects, in two steps.
//!
//! First all objects are made. Python objects that they refer to may in turn refer to them, so
//! these come later: until then a *promise* stands for each, which is kept in place. A reader
//! meanwhile sees an object that says so. Then the promises are kept, and waiting places are
//! filled.

use pairbond_core::error::Error;
use pairbond_core::memory::{Gather, try_push};
use pairbond_core::object::{ErasedRef, Ref};
use pairbond_macros::{function, methods, object};
use pairbond_serial::{Buffer, Graph, Loader};
use pairbond_value::convert::{FromValue, Mismatch, Source};
use pairbond_value::value::{Any, Array, Bytes, Cell, Foreign};

use super::save_graph::Taken;
use crate::define;
use crate::interp;
use crate::owned::Owned;

/// Objects in the making.
#[object("pairbond._Making", sealed, opaque, crate = crate::expansion)]
pub(crate) struct Making {
    #[untraced]
    loader: Cell<Option<Box<Loader>>>,
    /// Of the values that go beside the graph, where they are not there yet.
    promises: Vec<Option<Foreign>>,
    objects: Vec<ErasedRef>,
}

#[methods(crate = crate::expansion)]
impl Making {
    /// The object of a number.
    fn object(&self, number: usize) -> Result<ErasedRef, Error> {
        self.objects
            .get(number)
            .cloned()
            .ok_or_else(|| Error::value_error("the data has no such object"))
    }

    /// Makes an instance of a Python class the wrapper of an object: the result of `new()`, if
    /// it is given, which must stand for nothing yet.
    fn adopt(&self, number: usize, of: Foreign, new: Option<Foreign>) -> Result<(), Error> {
        super::attach_wrapper::adopt(self.object(number)?.as_borrow(), &of, new.as_ref())
    }

    /// The number of objects.
    fn __len__(&self) -> usize {
        self.objects.len()
    }

    /// Completes the objects, with the values that were not there yet, by number: those that are
    /// opaque to natives, and objects.
    fn finish(&self, foreign: Vec<(usize, Foreign)>, native: Vec<(usize, External)>) -> Result<(), Error> {
        let mut loader = self
            .loader
            .replace(None)
            .ok_or_else(|| Error::value_error("these objects are complete already"))?;
        let mut kept = 0;
        for (number, object) in foreign {
            if let Some(Some(promise)) = self.promises.get(number) {
                promise.fulfill_promise(&object)?;
                kept += 1;
            }
        }
        for (number, value) in native {
            loader.set_external(number, value.0)?;
        }
        if kept != self.promises.iter().flatten().count() {
            return Err(Error::value_error(
                "the data is damaged: values that go beside the graph are missing",
            ));
        }
        loader.fill_vacant()?;
        complete(&loader)
    }
}

/// Gives fields that the data lacks what the classes that Python defined give them.
pub(super) fn complete(loader: &Loader) -> Result<(), Error> {
    for (node, field) in loader.lacking_fields() {
        define::complete_field(&loader.node(node)?, field)?;
    }
    Ok(())
}

/// Makes the objects of a graph: of bytes (with the memory of its arrays, if that goes beside it),
/// or as it was taken. `kinds` says of each value that goes beside it whether it is there (0: the
/// next one of `early`), or comes later as a Python object (1) or a native one (2).
#[function(crate = crate::expansion)]
#[name("_make")]
pub(super) fn make(
    graph: Any,
    #[required] buffers: Option<Vec<Array>>,
    kinds: Bytes,
    early: Vec<External>,
) -> Result<Ref<Making>, Error> {
    let mut graph = match &graph {
        Any::Bytes(bytes) => Graph::from_bytes(bytes)?,
        other => other
            .downcast::<Taken>()
            .ok_or_else(|| Error::type_error("a graph is expected"))?
            .take_graph()?,
    };
    if let Some(buffers) = buffers {
        if buffers.len() != graph.buffers().len() {
            return Err(Error::value_error("the data is damaged: buffers are missing"));
        }
        *graph.buffers_mut() = buffers.into_iter().map(Buffer::Lent).gather();
    }
    if kinds.len() != graph.external_count() as usize {
        return Err(Error::value_error(
            "the data is damaged: values that go beside the graph are missing",
        ));
    }
    let count = graph.len();
    let mut loader = Loader::new(graph)?;
    let mut early = early.into_iter();
    let mut promises = Vec::new();
    for (number, kind) in kinds.iter().enumerate() {
        let (promise, value) = match kind {
            0 => (None, early.next().map(|it| it.0)),
            1 => {
                let promise = new_placeholder()?;
                (Some(promise.clone()), Some(Any::Foreign(promise)))
            }
            _ => (None, None),
        };
        if let Some(value) = value {
            loader.set_external(number, value)?;
        }
        try_push(&mut promises, promise)?;
    }
    loader.make_objects()?;
    let mut objects = Vec::new();
    objects.try_reserve_exact(count)?;
    for node in 0..count {
        objects.push(loader.node(node)?);
    }
    let done = promises.iter().all(Option::is_none) && kinds.iter().all(|kind| *kind == 0);
    let loader = if done {
        loader.fill_vacant()?;
        complete(&loader)?;
        None
    } else {
        Some(Box::new(loader))
    };
    Ok(Ref::new(Making {
        loader: Cell::new(loader),
        promises,
        objects,
    }))
}

/// A value that goes beside a graph. A float that is no number is one that was a key, and stays the
/// object that it is.
pub(super) struct External(Any);

impl<'a> FromValue<'a> for External {
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match source.read_any()? {
            Any::Float(value) if value.is_nan() => source.read_foreign().map(Any::Foreign),
            value => Ok(value),
        }
        .map(External)
    }
    fn expected_type() -> std::borrow::Cow<'static, str> {
        Any::expected_type()
    }
}

/// A place for a Python object that is not there yet.
fn new_placeholder() -> Result<Foreign, Error> {
    let interp = crate::interp::Interp::current()?;
    // SAFETY: attached; the placeholder lives as long as the interpreter.
    unsafe {
        let placeholder = Owned::from_borrowed(interp.base_class().cast());
        Ok(Foreign::new_promise(interp::tag(), placeholder.into_ptr().cast()))
    }
}
