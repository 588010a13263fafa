//! [`Wrapped`]: a value of Python, such as an array of numpy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;

use crate::graph::{Meta, Node, Value, Variable, grad_fn_cell, require_grad};

/// Functions of Python that compute with values of one kind, in place of an implementation of
/// [`Value`].
#[pairbond::object("pairbond_tape.Backend", opaque)]
pub struct Backend {
    meta: Function,
    full: Function,
    detach: Function,
    add: Function,
    fit: Option<Function>,
    has_nan: Option<Function>,
}

#[pairbond::methods]
impl Backend {
    /// `meta(data)` returns a shape and the number of a type of elements; `full(number, shape,
    /// kind)`, `detach(value)` and `add(value, value)` return a value; `fit(value, shape, kind)`
    /// returns one or None, `has_nan(data)` a truth value.
    #[new]
    fn new(
        #[keyword] meta: Function,
        #[keyword] full: Function,
        #[keyword] detach: Function,
        #[keyword] add: Function,
        #[keyword] fit: Option<Function>,
        #[keyword] has_nan: Option<Function>,
    ) -> Backend {
        Backend {
            meta,
            full,
            detach,
            add,
            fit,
            has_nan,
        }
    }
}

/// Data of Python with a history. Extended in Python by a class with operations.
#[pairbond::object("pairbond_tape.Wrapped", extends = Variable, opaque, fast_getters)]
pub struct Wrapped {
    variable: Variable,
    /// The object of Python.
    #[field]
    data: Any,
    backend: Ref<Backend>,
    #[untraced]
    meta: Meta,
    /// How often the data were written to, as `_bump_version` counts: together with those that were
    /// detached.
    #[untraced]
    version: Cell<Arc<AtomicU64>>,
    /// The gradient that was accumulated.
    #[field(set)]
    grad: Cell<Option<Ref<Wrapped>>>,
}

#[pairbond::methods]
impl Wrapped {
    #[new]
    fn new(
        data: Any,
        backend: Ref<Backend>,
        #[keyword]
        #[default(false)]
        requires_grad: bool,
    ) -> Result<Wrapped> {
        let (shape, kind) = backend
            .meta
            .call(std::slice::from_ref(&data))?
            .to::<(Vec<usize>, u32)>()?;
        let made = Wrapped {
            variable: Variable::new::<Wrapped>(),
            data,
            backend,
            meta: Meta {
                shape: shape.into(),
                kind,
            },
            version: Cell::new(Arc::default()),
            grad: Cell::new(None),
        };
        require_grad(&made, requires_grad)?;
        Ok(made)
    }

    /// The node that made it; None for a leaf.
    #[getter]
    fn grad_fn(&self) -> &Cell<Option<Ref<Node>>> {
        grad_fn_cell(self)
    }

    /// Whether no node made it.
    #[getter]
    fn is_leaf(&self) -> bool {
        grad_fn_cell(self).with(Option::is_none)
    }
}

/// A value that Python returned.
fn as_wrapped(returned: &Any) -> Result<Ref<Wrapped>> {
    returned
        .downcast()
        .ok_or_else(|| Error::type_error("a function of a Backend returns a Wrapped"))
}

impl Wrapped {
    fn call_backend(&self, function: &Function, arguments: &[&Ref<Wrapped>]) -> Result<Ref<Wrapped>> {
        let arguments: Vec<Any> = arguments.iter().map(|&it| Any::from(it.clone())).collect();
        as_wrapped(&function.call(&arguments)?)
    }
}

/// Shape and kind as arguments of Python.
fn meta_arguments(first: Any, meta: &Meta) -> Result<[Any; 3]> {
    let lengths = meta.shape.iter().map(|&length| i64::try_from(length));
    let shape: Tuple<i64> = lengths.collect::<Result<_, _>>()?;
    Ok([first, shape.into(), i64::from(meta.kind).into()])
}

impl Value for Wrapped {
    const CALLS_PYTHON: bool = true;

    fn variable(&self) -> &Variable {
        &self.variable
    }

    fn grad(&self) -> &Cell<Option<Ref<Wrapped>>> {
        &self.grad
    }

    fn meta(&self) -> Meta {
        self.meta.clone()
    }

    fn full(number: f64, meta: &Meta, backend: Option<&ErasedRef>) -> Result<Ref<Wrapped>> {
        let backend = backend.and_then(|backend| backend.as_borrow().downcast::<Backend>());
        let backend = backend.ok_or_else(|| Error::runtime_error("zeros of Python need a Backend"))?;
        as_wrapped(&backend.full.call(&meta_arguments(number.into(), meta)?)?)
    }

    fn add(one: &Ref<Wrapped>, other: &Ref<Wrapped>) -> Result<Ref<Wrapped>> {
        one.call_backend(&one.backend.add, &[one, other])
    }

    fn detach(this: &Ref<Wrapped>) -> Result<Ref<Wrapped>> {
        let detached = this.call_backend(&this.backend.detach, &[this])?;
        detached.version.set(this.version.get());
        Ok(detached)
    }

    fn backend(&self) -> Option<ErasedRef> {
        Some(self.backend.clone().into_erased())
    }

    fn is_like(&self, other: &Wrapped) -> bool {
        self.meta == other.meta
    }

    fn fit_gradient(grad: &Ref<Wrapped>, meta: &Meta) -> Result<Option<Ref<Wrapped>>> {
        if grad.meta == *meta {
            return Ok(Some(grad.clone()));
        }
        let Some(fit) = &grad.backend.fit else {
            return Ok(None);
        };
        match fit.call(&meta_arguments(grad.clone().into(), meta)?)? {
            Any::None => Ok(None),
            fitting => as_wrapped(&fitting).map(Some),
        }
    }

    fn version(&self) -> u64 {
        self.version.with(|version| version.load(Ordering::Acquire))
    }

    fn count_write(&self, _: &'static str) {
        self.version
            .with(|version| version.fetch_add(1, Ordering::AcqRel));
    }

    fn last_writer(&self) -> &'static str {
        "_bump_version"
    }

    fn has_nan(&self) -> Result<bool> {
        match &self.backend.has_nan {
            Some(has_nan) => has_nan.call(std::slice::from_ref(&self.data))?.to::<bool>(),
            None => Ok(false),
        }
    }
}
