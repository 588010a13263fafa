//! [`Context`]: where types, attributes and locations are made, each once.
//!
//! Types ([`types`]) and attributes ([`attributes`]) belong to this module: the context has the
//! tables of both, each of them holds its context, and either may contain the other. What prints
//! and parses them is above, in [`crate::print`] and [`crate::parse`].
//!
//! # Promises, in order of weight
//! 1. In one context there is at any time at most one object of each type and attribute: equality
//!    is identity, in Rust and in Python.
//! 2. A type or attribute keeps its context; the context keeps none of them ([`unique`]), so they
//!    go with their last use.
//! 3. Objects of two contexts never meet: mixing them is an error at that point ([`same_context`]).

pub(crate) mod attributes;
mod handlers;
mod op_names;
mod resources;
mod stack;
mod threads;
pub(crate) mod types;
mod unique;

use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond::prelude::*;

use crate::context::attributes::{Attribute, AttributeHead, AttributeKey};
use crate::context::types::{Type, TypeKey};
use crate::error;
use crate::op_definition;
pub use handlers::DiagnosticHandler;
pub(crate) use resources::Resource;
pub(crate) use stack::{
    Frame, InsertionScope, current_context, current_location, innermost_insertion, pop_frame, push_frame,
};
pub use threads::ThreadPool;
pub(crate) use unique::{Table, Uniqued, are_identical};

/// Of Python: the dialects that are declared (`python/pairbond_ir/_dialects.py`).
const DIALECTS: &str = "pairbond_ir.dialects";
/// Of Python: declares a dialect of which there is a module.
const FIND: &str = "pairbond_ir.find_dialect";
/// Of Python: that a dialect is declared.
const DESCRIPTOR: &str = "pairbond_ir.dialect_descriptor";

/// Declared when the first text with one of its operations is read: programs written for MLIR's
/// bindings use the class of functions without importing it. Classes of the other dialects come
/// when they are imported, as a handle of a class made in Python takes longer to make.
const DECLARED_WHEN_READ: &str = "func";

/// The operations of the dialect that is always there.
const BUILTIN: [&str; 2] = ["builtin.module", "builtin.unrealized_conversion_cast"];

/// How many contexts are alive.
static LIVE: AtomicUsize = AtomicUsize::new(0);

/// Where types, attributes and locations are made, each once.
#[pairbond::object("pairbond_ir.Context", opaque)]
pub struct Context {
    #[untraced]
    types: Table<Type>,
    #[untraced]
    attributes: Table<Attribute>,
    /// Data that attributes refer to by name.
    resources: Map<Str, Resource>,
    #[untraced]
    resource_names: resources::Names,
    /// The empty dictionary, which most operations have.
    empty: Cell<Option<Weak<Attribute>>>,
    /// The names of operations.
    #[untraced]
    names: op_names::Names,
    /// Whether operations of unregistered dialects may be read. No dialect is registered, so this
    /// decides whether reading works at all unless the names are builtin's.
    #[field(set)]
    allow_unregistered_dialects: Cell<bool>,
    /// Whether passes may run on several threads.
    #[untraced]
    parallel: Cell<bool>,
    /// On how many they may, if a pool was given.
    pool: Cell<Option<Ref<ThreadPool>>>,
    /// Whether errors that are raised are told to the handlers of diagnostics, too.
    #[field(set)]
    emit_error_diagnostics: Cell<bool>,
    /// The last is asked first.
    handlers: Cell<Vec<Ref<DiagnosticHandler>>>,
}

impl Context {
    /// The type for a key, the same one each time.
    pub(crate) fn type_of(this: &Ref<Context>, key: TypeKey) -> Ref<Type> {
        this.types.get(this, key)
    }

    /// The attribute for a key, the same one each time.
    pub(crate) fn attribute_of(this: &Ref<Context>, key: AttributeKey) -> Ref<Attribute> {
        this.attributes.get(this, key)
    }

    /// The name of an operation, as one string for all that are called so.
    ///
    /// # Errors
    /// It is empty, or has a null character.
    pub(crate) fn op_name(&self, name: &str) -> Result<Str> {
        self.names.get(name)
    }

    /// The name of an attribute; that of the one before, if it is the same.
    pub(crate) fn attribute_name(&self, name: &str) -> Str {
        self.names.get_attribute_name(name)
    }

    /// The empty dictionary.
    pub(crate) fn no_attributes(this: &Ref<Context>) -> Ref<Attribute> {
        if let Some(known) = this.empty.get().and_then(|it| it.upgrade()) {
            return known;
        }
        let made = Attribute::without_parts(this, AttributeHead::Dictionary(Box::default()));
        this.empty.set(Some(made.downgrade()));
        made
    }

    /// Whether types and attributes of a dialect may be read.
    pub(crate) fn allows_dialect(&self, dialect: &str) -> bool {
        dialect == "builtin" || self.allow_unregistered_dialects.get() || op_definition::has_dialect(dialect)
    }

    /// Declares the dialect of an operation that is about to be read, if there is a module of it
    /// and it is declared by reading: `func`, and where dialects must be known each.
    ///
    /// # Errors
    /// As importing the module.
    pub(crate) fn declare_dialect(&self, name: &str) -> Result<()> {
        let Some((dialect, _)) = name.split_once('.') else {
            return Ok(());
        };
        let is_wanted = dialect == DECLARED_WHEN_READ || !self.allow_unregistered_dialects.get();
        if !is_wanted || BUILTIN.contains(&name) || op_definition::find_definition(name).is_some() {
            return Ok(());
        }
        match pairbond::registry::get_function(FIND) {
            Ok(find) => find.call(&[Str::from(dialect).into()]).map(drop),
            // No Python is there.
            Err(_) => Ok(()),
        }
    }

    /// Refuses operations that may not be read: unknown ones of `builtin`, and where dialects must
    /// be known undeclared ones.
    ///
    /// # Errors
    /// The reason.
    pub(crate) fn check_operation(&self, name: &str) -> Result<(), String> {
        let known = BUILTIN.contains(&name) || op_definition::find_definition(name).is_some();
        if known || self.allow_unregistered_dialects.get() && !name.starts_with("builtin.") {
            return Ok(());
        }
        Err(match name.split_once('.') {
            Some(("builtin", _)) => format!("operation '{name}' is none of the dialect 'builtin'"),
            _ => format!("operation '{name}' is not declared, and so may not be read"),
        })
    }

    /// Returns the handlers of diagnostics.
    pub(crate) fn diagnostic_handlers(&self) -> Vec<Ref<DiagnosticHandler>> {
        self.handlers.get()
    }

    pub(crate) fn without_handler(&self, handler: Borrow<'_, DiagnosticHandler>) {
        // Dropped when the field is free again.
        let _gone = self.handlers.update(|all| {
            let at = all.iter().position(|it| it.as_borrow().is(handler));
            at.map(|at| all.remove(at))
        });
    }

    /// Whether errors are told to them.
    pub(crate) fn tells_errors(&self) -> bool {
        self.emit_error_diagnostics.get()
    }

    /// How many threads passes may run on.
    pub(crate) fn thread_count(&self) -> usize {
        let pool = || self.pool.get().map(|it| it.get_max_concurrency());
        match self.parallel.get() {
            true => pool().unwrap_or_else(threads::processor_count),
            false => 1,
        }
    }

    pub(crate) fn forget_type(&self, hash: u64, id: u64) {
        self.types.remove_entry(hash, id);
    }

    pub(crate) fn forget_attribute(&self, hash: u64, id: u64) {
        self.attributes.remove_entry(hash, id);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

#[pairbond::methods]
impl Context {
    /// A context of its own, whose passes run on the threads of a pool if one is given.
    #[new]
    #[must_use]
    pub fn new(#[keyword] thread_pool: Option<Ref<ThreadPool>>) -> Self {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Context {
            types: Table::new(),
            attributes: Table::new(),
            resources: Map::new(),
            resource_names: resources::Names::default(),
            empty: Cell::new(None),
            names: op_names::Names::default(),
            allow_unregistered_dialects: Cell::new(true),
            parallel: Cell::new(true),
            pool: Cell::new(thread_pool),
            emit_error_diagnostics: Cell::new(false),
            handlers: Cell::default(),
        }
    }

    /// Whether operations of a name are known: those of declared dialects, of which there is a
    /// module in `pairbond_ir.dialects`, and the builtin ones.
    fn is_registered_operation(&self, operation_name: &str) -> Result<bool> {
        let is_known = |name| BUILTIN.contains(&name) || op_definition::find_definition(name).is_some();
        if let Some((dialect, _)) = operation_name
            .split_once('.')
            .filter(|_| !is_known(operation_name))
        {
            pairbond::registry::get_function(FIND)?.call(&[Str::from(dialect).into()])?;
        }
        Ok(is_known(operation_name))
    }

    /// The dialects by their names, `context.dialects.arith.AddIOp` or `context.dialects["arith"]`:
    /// those that were declared, and those of which there is a module in `pairbond_ir.dialects`.
    #[getter]
    fn dialects(&self) -> Result<Any> {
        pairbond::registry::get_function(DIALECTS)?.call(&[])
    }

    /// The same.
    #[getter]
    fn d(&self) -> Result<Any> {
        self.dialects()
    }

    /// The name of a dialect. `ValueError` if it is not declared.
    fn get_dialect_descriptor(&self, dialect_name: Str) -> Result<Any> {
        pairbond::registry::get_function(DESCRIPTOR)?.call(&[dialect_name.into()])
    }

    /// There is nothing to load: dialects are declared for the process.
    fn load_all_available_dialects(&self) {}

    /// Whether passes in Rust may run on several functions at the same time, as they do unless this
    /// was called.
    fn enable_multithreading(&self, enable: bool) {
        self.parallel.set(enable);
    }

    /// How many threads passes run on at most.
    fn get_num_threads(&self) -> usize {
        self.thread_count()
    }

    /// Lets passes run on the threads of a pool.
    fn set_thread_pool(&self, pool: Ref<ThreadPool>) {
        self.pool.set(Some(pool));
        self.parallel.set(true);
    }

    /// Returns the number of its pool; 0 if none was given.
    #[name("_mlir_thread_pool_ptr")]
    fn pool_number(&self) -> usize {
        self.pool
            .get()
            .map_or(0, |it| ThreadPool::pool_id(it.as_borrow()))
    }

    /// Returns how many contexts are alive in this process.
    #[classmethod]
    #[name("_get_live_count")]
    fn live_count() -> usize {
        LIVE.load(Ordering::Relaxed)
    }

    /// Returns itself.
    #[name("_get_context_again")]
    fn existing_wrapper(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    /// From now on a function is called with each `Diagnostic`. The last one attached is called
    /// first, and if it returns True the others are not. The handler that is returned can detach
    /// it, and does at the end of its `with` statement.
    fn attach_diagnostic_handler(this: Borrow<'_, Self>, callback: Function) -> Ref<DiagnosticHandler> {
        let handler = Ref::new(DiagnosticHandler::new(callback, &this.to_ref()));
        this.handlers.update(|all| all.push(handler.clone()));
        handler
    }

    /// How many types and attributes of this context are in use, locations included.
    #[getter]
    fn live(&self) -> (usize, usize) {
        (self.types.len(), self.attributes.len())
    }

    /// The context of the innermost `with` of this thread; None outside of all.
    #[classmethod]
    #[getter(current)]
    fn current_here() -> Option<Ref<Context>> {
        stack::current_or_none()
    }

    fn __enter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        push_frame(Frame::Context(this.to_ref()));
        this
    }

    fn __exit__(this: Borrow<'_, Self>, kind: Any, error: Any, traceback: Any) -> Result<bool> {
        let _ = (kind, error, traceback);
        pop_frame(|frame| matches!(frame, Frame::Context(context) if context.as_borrow().is(this)))
    }
}

/// Refuses objects of another context.
///
/// # Errors
/// `IRError`: they are two.
pub(crate) fn same_context(wanted: &Ref<Context>, found: &Ref<Context>, what: &str) -> Result<()> {
    if wanted.is(found) {
        return Ok(());
    }
    Err(error::ir_error(format!(
        "{what} is of another context than what it is used with, or than the innermost with statement"
    )))
}

/// The context of what something is made of, which must be that of the innermost `with`; or else
/// the current one.
///
/// # Errors
/// `IRError`: they are two, or there is none.
pub(crate) fn implied_context(own: Option<Ref<Context>>, what: &str) -> Result<Ref<Context>> {
    match own {
        Some(own) if stack::is_within(&own) => Ok(own),
        Some(own) => same_context(&current_context()?, &own, what).map(|()| own),
        None => current_context(),
    }
}

/// The context that was named, or else that of the innermost `with`.
///
/// # Errors
/// `IRError`: there is neither.
pub(crate) fn context_or_current(context: Option<Ref<Context>>) -> Result<Ref<Context>> {
    context.map_or_else(current_context, Ok)
}
