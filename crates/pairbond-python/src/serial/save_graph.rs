//! Objects → graph.
//!
//! An object whose Python class says itself how it is pickled or copied goes beside the graph, as a
//! Python object would; so does one that belongs to a graph that was taken before.

use std::collections::HashMap;

use pairbond_core::error::Error;
use pairbond_core::memory::{Gather, Room, or_unwind, try_collect, try_copy, try_push};
use pairbond_core::object::{ErasedRef, Ref};
use pairbond_macros::{function, methods, object};
use pairbond_serial::{Buffer, Edge, Graph, Save};
use pairbond_value::convert::Source;
use pairbond_value::value::{Any, Array, Bytes, Cell, Foreign};

use super::members::{Lent, Members};
use crate::convert::PySource;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper;

/// A graph that was taken.
#[object("pairbond._Taken", sealed, opaque, crate = crate::expansion)]
pub(crate) struct Taken {
    #[untraced]
    graph: Cell<Option<Graph>>,
    objects: Cell<Vec<ErasedRef>>,
    beside: Vec<Any>,
    early: Vec<bool>,
}

#[methods(crate = crate::expansion)]
impl Taken {
    /// The graph as bytes. With `inside`, the memory of its arrays too.
    fn table(&self, inside: bool) -> Result<Bytes, Error> {
        self.graph
            .with(|graph| graph.as_ref().map(|graph| Bytes::from(graph.to_bytes(inside))))
            .ok_or_else(consumed_error)
    }

    /// The memory of its arrays, each as an array of bytes.
    fn buffers(&self) -> Result<Vec<Array>, Error> {
        self.graph
            .with(|graph| {
                let buffers = graph.as_ref()?.buffers().iter();
                Some(
                    buffers
                        .map(|buffer| match buffer {
                            Buffer::Array(array) | Buffer::Lent(array) => array.clone(),
                            Buffer::Bytes(bytes) => Array::from(bytes.clone()),
                        })
                        .gather(),
                )
            })
            .ok_or_else(consumed_error)
    }

    /// Returns the values that go beside the graph.
    fn beside(&self) -> Vec<Any> {
        or_unwind(try_copy(&self.beside))
    }

    /// Whether each of these must be there before the objects are.
    fn early(&self) -> Vec<bool> {
        or_unwind(try_copy(&self.early))
    }

    /// The keys of its types.
    fn keys(&self) -> Result<Vec<String>, Error> {
        self.graph
            .with(|graph| {
                let graph = graph.as_ref()?;
                Some(graph.schemas().iter().map(|schema| schema.key.clone()).gather())
            })
            .ok_or_else(consumed_error)
    }

    /// The number of its objects.
    fn __len__(&self) -> usize {
        self.objects.with(Vec::len)
    }

    /// Remembers its objects as members of a graph, which are numbered from `first` on.
    fn enter(&self, members: Lent<'_>, graph: i64, first: i64) -> Result<(), Error> {
        let objects = self.objects.with(|all| try_copy(all))?;
        Ok(members.get().add(objects, graph, first)?)
    }

    /// The number of each object whose wrapper has state in Python, whether its class was made in
    /// Python, and the wrapper.
    fn selves(&self) -> Result<Vec<(usize, bool, Any)>, Error> {
        let interp = Interp::current()?;
        let mut selves = Vec::new();
        let objects = self.objects.with(|all| try_collect(all.iter().cloned()))?;
        for (number, object) in objects.into_iter().enumerate() {
            if let Some(own) = wrapper::existing_wrapper(object.as_borrow())
                && let class = own.class()
                && let is_own = class != interp.class_of(object.header().info())
                && (is_own || has_state(&own))
            {
                try_push(&mut selves, (number, is_own, Any::Object(object)))?;
            }
        }
        Ok(selves)
    }
}

impl Taken {
    pub(super) fn take_graph(&self) -> Result<Graph, Error> {
        self.graph.replace(None).ok_or_else(consumed_error)
    }
}

fn consumed_error() -> Error {
    Error::value_error("this graph was made into objects already")
}

/// Returns whether a wrapper's class was made in Python, or the wrapper may have attributes.
fn has_state(own: &Owned) -> bool {
    // SAFETY: attached; a living wrapper.
    unsafe { !wrapper::is_exact(own.class()) || wrapper::may_have_attributes(own.as_ptr()) }
}

fn opaque(object: &Owned) -> Result<Any, Error> {
    // SAFETY: attached; alive during the call.
    match unsafe { PySource::new(object.as_ptr()) }.read_foreign() {
        Ok(object) => Ok(Any::Foreign(object)),
        Err(_) => Err(Error::runtime_error("pairbond is not open in this interpreter")),
    }
}

/// Takes an object apart, with everything that it leads to except members that exist already, and
/// objects that `custom(class)` or `claimed(object)` puts beside the graph. `custom` is called once
/// for each class, also for the classes of objects that have no wrapper. `alone`: the object alone,
/// with its descendants in a tree; everything else that it refers to goes beside it.
#[function(crate = crate::expansion)]
#[name("_take")]
pub(super) fn take(
    root: Any,
    #[required] members: Option<Lent<'_>>,
    custom: Foreign,
    alone: bool,
    claimed: Option<Foreign>,
) -> Result<Ref<Taken>, Error> {
    let Any::Object(root) = root else {
        return Err(Error::type_error("expected a pairbond object"));
    };
    let interp = Interp::current()?;
    let mut classes: HashMap<usize, bool> = HashMap::new();
    let members: Option<&Members> = members.map(|members| members.get());
    let mut save = Save::new();
    save.set_border(Box::new(|object| {
        if alone {
            return Ok(Edge::External { late: false });
        }
        if members.is_some_and(|members| members.place(object).is_some()) {
            return Ok(Edge::External { late: true });
        }
        let class = match wrapper::existing_wrapper(object.as_borrow()) {
            Some(own) => own.class(),
            None => interp.class_of(object.header().info()),
        };
        // SAFETY: attached; the class of a living wrapper, or one that the interpreter keeps.
        let class = unsafe { Owned::from_borrowed(class.cast()) };
        let mut is_external = match classes.get(&class.as_ptr().addr()) {
            Some(known) => *known,
            None => {
                let answer = custom.call(&[opaque(&class)?])?.to::<bool>()?;
                classes.room().insert(class.as_ptr().addr(), answer);
                answer
            }
        };
        if let Some(claimed) = &claimed
            && !is_external
        {
            is_external = claimed.call(&[Any::Object(object.clone())])?.to::<bool>()?;
        }
        Ok(if is_external {
            Edge::External { late: true }
        } else {
            Edge::Inside
        })
    }));
    let is_tree = root.header().info().is_node();
    if alone {
        save.with_children();
    }
    save.root_inside(root);
    save.save_all()?;
    let (mut graph, mut beside, objects) = save.finish_with_objects();
    if alone
        && !is_tree
        && let Some(first) = objects.first()
    {
        graph.refer_outside(&mut beside, &Any::Object(first.clone()));
    }
    Ok(Ref::new(Taken {
        early: beside.iter().map(|it| it.early).gather(),
        beside: beside.into_iter().map(|it| it.value).gather(),
        graph: Cell::new(Some(graph)),
        objects: Cell::new(objects),
    }))
}
