//! [`Shares`]: references that are counted many at a time.
//!
//! To count a reference is a locked instruction, which waits for all that the thread has written.
//! Who makes many objects that refer to the same few (copies, operations of one context) would wait
//! for the memory of each object several times.

use crate::custody::Header;
use std::fmt;
use std::ptr;

use super::object_layout::Object;
use super::reference::Ref;

/// So many references are counted at once.
const AT_ONCE: u32 = 256;

/// A handle that [`Shares`] can count ahead.
///
/// # Safety
/// A bitwise copy is another handle, if a strong reference to
/// [`counted_object`](Self::counted_object) was counted for it, or nothing where there is none.
pub unsafe trait Counted: Clone {
    /// What the handle owns a strong reference to; `None` if nothing.
    fn counted_object(&self) -> Option<&Header>;
}

// SAFETY: a pointer that owns one strong reference.
unsafe impl<T: Object> Counted for Ref<T> {
    #[inline]
    fn counted_object(&self) -> Option<&Header> {
        Some(self.header())
    }
}

/// Clones handles, most of which are of the same object as the one before: these are counted many
/// at a time.
///
/// References that were counted and not handed out are returned when it is dropped; until then more
/// references are counted than exist, as if they were held. It drops no reference before. An object
/// is counted ahead from the second time in a row on.
///
/// ```
/// # use pairbond_core::object::Shares;
/// # use pairbond_value::value::Str;
/// let name = Str::from("a name of some length");
/// let mut shares = Shares::new();
/// let copies: Vec<Str> = (0..1000).map(|_| shares.clone_counted(&name)).collect();
/// drop(shares);
/// assert!(copies.iter().all(|it| *it == name));
/// ```
pub struct Shares<R: Counted> {
    now: Option<Stock<R>>,
    /// The address of the object that was asked for last, if it is not that of the stock.
    seen: usize,
    /// What others were counted ahead: they are given back in the end, for their last reference may
    /// be among these.
    before: Vec<Stock<R>>,
}

/// References that were counted, besides the one that the handle owns.
struct Stock<R: Counted> {
    of: R,
    left: u32,
}

impl<R: Counted> Shares<R> {
    /// Nothing was counted yet.
    #[must_use]
    pub const fn new() -> Self {
        Shares {
            now: None,
            seen: 0,
            before: Vec::new(),
        }
    }

    /// A clone.
    #[inline]
    #[must_use]
    pub fn clone_counted(&mut self, of: &R) -> R {
        match (&mut self.now, of.counted_object()) {
            (Some(stock), Some(object)) if stock.left > 0 && stock.is_of(object) => {
                stock.left -= 1;
                // SAFETY: one of those that were counted.
                unsafe { ptr::read(of) }
            }
            _ => self.share_slowly(of),
        }
    }

    #[cold]
    #[inline(never)]
    fn share_slowly(&mut self, of: &R) -> R {
        let Some(object) = of.counted_object() else {
            return of.clone();
        };
        if let Some(stock) = self.now.as_mut().filter(|stock| stock.is_of(object)) {
            stock.left += count_ahead(object);
        } else if self.seen == ptr::from_ref(object).addr() {
            let left = count_ahead(object);
            let new = Stock { of: of.clone(), left };
            self.before.extend(self.now.replace(new));
        } else {
            self.seen = ptr::from_ref(object).addr();
            return of.clone();
        }
        self.clone_counted(of)
    }
}

/// Counts ahead.
fn count_ahead(object: &Header) -> u32 {
    object.custody().acquire_many(AT_ONCE);
    AT_ONCE
}

impl<R: Counted> Stock<R> {
    #[inline]
    fn is_of(&self, object: &Header) -> bool {
        self.of.counted_object().is_some_and(|own| ptr::eq(own, object))
    }
}

impl<R: Counted> Drop for Stock<R> {
    fn drop(&mut self) {
        if let Some(object) = self.of.counted_object() {
            object.custody().release_many(self.left);
        }
    }
}

impl<R: Counted> Default for Shares<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Counted> fmt::Debug for Shares<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shares({})", self.now.as_ref().map_or(0, |stock| stock.left))
    }
}
