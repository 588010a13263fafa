//! The contexts, locations and insertion points of `with` statements of this thread. The innermost
//! of each kind applies.

use std::any::Any as AnyType;
use std::cell::RefCell;
use std::rc::Rc;

use pairbond::prelude::*;

use super::Context;
use crate::context::attributes::Attribute;
use crate::error;

/// What a `with` on an insertion point enters. Insertion points stand above contexts, so the stack
/// knows nothing else of them; their own module gets them back by their type.
pub(crate) trait InsertionScope: AnyType {
    /// The context of the surroundings, as far as that is known now.
    fn context(&self) -> Option<Ref<Context>>;
}

/// One `with`.
pub(crate) enum Frame {
    /// `with context:`
    Context(Ref<Context>),
    /// `with location:`
    Location(Ref<Attribute>),
    /// `with insertion_point:`
    ///
    /// Reference-counted, so that a longer use keeps it without a reference to its contents, which
    /// would be counted for all threads.
    Insertion(Rc<dyn InsertionScope>),
}

thread_local! {
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// Begins a `with`.
pub(crate) fn push_frame(frame: Frame) {
    FRAMES.with_borrow_mut(|frames| frames.push(frame));
}

/// Ends the innermost `with`, which must be that one.
///
/// # Errors
/// `RuntimeError`: it is another.
pub(crate) fn pop_frame(is_it: impl FnOnce(&Frame) -> bool) -> Result<bool> {
    let popped = FRAMES.with_borrow_mut(|frames| match frames.last() {
        Some(frame) if is_it(frame) => frames.pop(),
        _ => None,
    });
    // Dropped out here: what dies may run code that looks at the stack.
    match popped {
        Some(_) => Ok(false),
        None => Err(Error::runtime_error(
            "with statements must end in the order in which they began, on their thread",
        )),
    }
}

/// The innermost context, or that of the innermost location or insertion point.
pub(super) fn current_or_none() -> Option<Ref<Context>> {
    innermost_with(|frame| match frame {
        Frame::Context(context) => Some(context.clone()),
        Frame::Location(location) => Some(location.context().clone()),
        Frame::Insertion(point) => point.context(),
    })
}

/// Returns the first result of a function for frames, from the innermost outwards.
fn innermost_with<T>(wanted: impl Fn(&Frame) -> Option<T>) -> Option<T> {
    FRAMES.with_borrow(|frames| frames.iter().rev().find_map(wanted))
}

/// The context that is current on this thread.
///
/// # Errors
/// `IRError`: there is none.
pub(crate) fn current_context() -> Result<Ref<Context>> {
    current_or_none()
        .ok_or_else(|| error::ir_error("no context: pass context=…, or work inside of `with context:`"))
}

/// Whether a context is that of the innermost `with` that has one, insertion points apart; or there
/// is none.
pub(super) fn is_within(context: &Ref<Context>) -> bool {
    let found = innermost_with(|frame| match frame {
        Frame::Context(it) => Some(it.is(context)),
        Frame::Location(it) => Some(it.context().is(context)),
        Frame::Insertion(_) => None,
    });
    found.unwrap_or(true)
}

/// The innermost location of this thread; none if a context was entered since that is another.
#[must_use]
pub(crate) fn current_location() -> Option<Ref<Attribute>> {
    FRAMES.with_borrow(|frames| {
        let mut inner: Option<&Ref<Context>> = None;
        for frame in frames.iter().rev() {
            match frame {
                Frame::Location(it) => {
                    return inner
                        .is_none_or(|inner| inner.is(it.context()))
                        .then(|| it.clone());
                }
                Frame::Context(it) => inner = inner.or(Some(it)),
                Frame::Insertion(_) => {}
            }
        }
        None
    })
}

/// The innermost insertion point of this thread; none if a context or location was entered since
/// that is of another context. Kept for this thread.
pub(crate) fn innermost_insertion() -> Option<Rc<dyn InsertionScope>> {
    let (found, inner) = FRAMES.with_borrow(|frames| {
        let mut inner: Option<Ref<Context>> = None;
        for frame in frames.iter().rev() {
            let context = match frame {
                Frame::Insertion(point) => return Some((point.clone(), inner)),
                Frame::Context(it) => it,
                Frame::Location(it) => it.context(),
            };
            inner = inner.or_else(|| Some(context.clone()));
        }
        None
    })?;
    // Mostly nothing was entered since.
    let inside = inner.is_none_or(|inner| found.context().is_none_or(|own| own.is(&inner)));
    inside.then_some(found)
}
