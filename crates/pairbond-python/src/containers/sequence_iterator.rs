//! Iterating over lists and tuples: a list as it is at each step.

use std::sync::atomic::{AtomicIsize, Ordering};

use pairbond_core::error::Error;
use pairbond_value::value::{ListBody, TupleBody};
use pyo3_ffi as py;

use super::elements::{element_at, ready_at};
use super::iter_cache::Glance;
use super::keep::{Keeper, iterator_class, reduce_iterator};
use super::sequence::Sequence;
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::ffi::_PyObject_GC_New;
use crate::heap_types::support::{Methods, Object_, method_noargs};
use crate::interp::Interp;
use crate::owned::Owned;

/// Iterates over a list as it is at each step, or over a tuple.
#[repr(C)]
struct Iterator {
    keeper: Keeper,
    /// The next index; beyond the end (or -1 where it goes backwards) for good when it was reached
    /// once. Threads that share an iterator may each be given the same element, and no more comes
    /// of it.
    next: AtomicIsize,
    /// 1, or -1 where it goes backwards.
    step: isize,
    /// Of the wrapper's object, which it is compared with at each step.
    elements: Glance,
}

impl Iterator {
    #[inline]
    fn sequence(&self) -> Option<Sequence<'_>> {
        let container = self.keeper.container();
        if container.is_null() {
            return None;
        }
        // SAFETY: attached; kept by the iterator, which its caller keeps.
        unsafe { Sequence::of(container) }
    }

    /// Lets go of the container.
    fn end(&self) {
        self.elements.forget();
        self.keeper.let_go();
    }

    /// The element at an index that is not negative. The thread is attached.
    fn at(&self, at: isize) -> Result<Option<Owned>, Error> {
        let container = self.keeper.container();
        if !container.is_null()
            // SAFETY: this thread is attached. The iterator keeps the wrapper.
            && let Some(item) = unsafe { self.elements.get_current(container, at) }
        {
            return Ok(Some(item));
        }
        match self.sequence() {
            // SAFETY: this thread is attached. The iterator keeps the wrapper.
            Some(Sequence::List(list)) => unsafe { element_at(self.keeper.container(), list, at) },
            // SAFETY: this thread is attached. The iterator keeps the wrapper.
            Some(Sequence::Tuple(tuple)) => unsafe { element_at(self.keeper.container(), tuple, at) },
            _ => Ok(None),
        }
    }
}

/// An iterator over a wrapper.
///
/// # Safety
/// Attached; the wrapper of a list or tuple.
pub(super) unsafe fn new_iterator(sequence: Object_, backwards: bool) -> Result<Owned, Error> {
    // SAFETY: attached; the wrapper of a list or tuple: the caller ensures it. Every field is
    // written before the collector may look.
    unsafe {
        let (next, elements) = match Sequence::of(sequence) {
            Some(it) => {
                let next = if backwards { it.len() as isize - 1 } else { 0 };
                (next, Glance::new(sequence, it))
            }
            None => {
                return Err(crate::heap_types::support::body_of::<ListBody>(sequence)
                    .err()
                    .unwrap_or_else(take));
            }
        };
        let class = Interp::current()?.helper_class(super::ITERATOR);
        let made = owned_or_error(_PyObject_GC_New(class))?;
        let iterator = made.as_ptr().cast::<Iterator>();
        (&raw mut (*iterator).next).write(AtomicIsize::new(next));
        (&raw mut (*iterator).step).write(if backwards { -1 } else { 1 });
        (&raw mut (*iterator).elements).write(elements);
        Keeper::take_hold(made.as_ptr(), sequence);
        Ok(made)
    }
}

unsafe extern "C" fn next(iterator: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours; it keeps the wrapper.
    unsafe {
        let this = &*iterator.cast::<Iterator>();
        let at = this.next.load(Ordering::Relaxed);
        let container = this.keeper.container();
        if let Some(item) = this.elements.get(container, at) {
            this.next.store(at + this.step, Ordering::Relaxed);
            return item.into_ptr();
        }
        if cfg!(Py_GIL_DISABLED)
            && !container.is_null()
            && at >= 0
            && let Some(item) =
                ready_at::<ListBody>(container, at).or_else(|| ready_at::<TupleBody>(container, at))
        {
            this.next.store(at + this.step, Ordering::Relaxed);
            return item.into_ptr();
        }
        next_slowly(this, at)
    }
}

#[inline(never)]
unsafe extern "C" fn next_slowly(this: &Iterator, at: isize) -> Object_ {
    if at < 0 {
        this.end();
        return std::ptr::null_mut();
    }
    match this.at(at) {
        Ok(Some(item)) => {
            this.next.store(at + this.step, Ordering::Relaxed);
            item.into_ptr()
        }
        Ok(None) => {
            this.next.store(-1, Ordering::Relaxed);
            this.end();
            std::ptr::null_mut()
        }
        Err(error) => {
            crate::errors::raise(error);
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn length_hint(iterator: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with one of ours.
        let this = unsafe { &*iterator.cast::<Iterator>() };
        let at = this.next.load(Ordering::Relaxed);
        let len = this.sequence().map_or(0, Sequence::len);
        crate::heap_types::support::new_int(match usize::try_from(at) {
            Err(_) => 0,
            Ok(at) if this.step < 0 => (at + 1).min(len),
            Ok(at) => len.saturating_sub(at),
        })
    })
}

unsafe extern "C" fn iterator_reduce(iterator: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with one of ours, which keeps the wrapper.
        let this = unsafe { &*iterator.cast::<Iterator>() };
        let mut next = this.next.load(Ordering::Relaxed);
        reduce_iterator(|| {
            let at = next;
            next += this.step;
            if at < 0 { Ok(None) } else { this.at(at) }
        })
    })
}

static METHODS: Methods<3> = Methods([
    method_noargs(c"__length_hint__", length_hint, c"How many elements are left."),
    method_noargs(c"__reduce__", iterator_reduce, c"An iterator over what is left."),
    py::PyMethodDef::zeroed(),
]);

/// The thread is attached.
pub(super) fn make_iterator(module: &Owned) -> Result<Owned, Error> {
    // SAFETY: attached; both are for such objects.
    unsafe {
        iterator_class(
            module,
            c"pairbond.SequenceIterator",
            size_of::<Iterator>(),
            next,
            &METHODS.0,
        )
    }
}
