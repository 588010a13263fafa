//! Going through a list that may be edited meanwhile: [`Cursor`], the place of an iteration that is
//! an object itself, and [`Iter`].
//!
//! An iteration keeps handles to the current node and to the one that was next when it became that.
//! It goes on behind the current one as long as that stands in the list, so nodes inserted there
//! are seen; if it is gone, with the other; if that is gone, too, it ends. A step takes the lock
//! once.

use std::fmt;

use super::children::{List, child_as};
use super::guard::with_lock;
use super::guarded::Guarded;
use super::node::{Node, node_of};
use pairbond_core::error::Error;
use pairbond_core::object::{Object, Ref};
use pairbond_core::trace::Reach;

/// The current node, and the one that was next when it became that.
pub(super) type Stand<T> = (Option<Ref<T>>, Option<Ref<T>>);

/// Where an iteration over a list stands: a field of an iterator, which threads may share: each
/// step is one thread's. It begins before the first node.
///
/// ```
/// # use pairbond_tree::{Cursor, List};
/// # use pairbond_core::{error::Error, object::Object};
/// fn count<T: Object + Send + Sync>(list: List<'_, T>) -> Result<usize, Error> {
///     let (cursor, mut count) = (Cursor::new(), 0);
///     while list.advance(&cursor)?.is_some() {
///         count += 1;
///     }
///     Ok(count)
/// }
/// ```
pub struct Cursor<T: Object> {
    stand: Guarded<Option<Stand<T>>>,
}

impl<T: Object> Cursor<T> {
    /// Before the first node.
    #[must_use]
    pub const fn new() -> Self {
        Cursor {
            stand: Guarded::new(None),
        }
    }
}

impl<T: Object> Default for Cursor<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Object> fmt::Debug for Cursor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cursor")
    }
}

pairbond_core::trace_fields! { <T: Object> Cursor<T>: stand;
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_object::<T>();
    }
    fn clear(&self) {
        self.stand.clear();
    }
}

impl<T: Object + Send + Sync> List<'_, T> {
    /// The next node of an iteration, whose cursor stands there then; `None` at the end, and ever
    /// after. One that goes through several lists with one cursor ends, unless its node was moved
    /// from one to the other.
    ///
    /// # Errors
    /// `InvalidatedError`: the node whose list it is was erased; the cursor stays.
    ///
    /// # Panics
    /// A collector emptied the cursor, because its object was garbage.
    pub fn advance(self, cursor: &Cursor<T>) -> Result<Option<Ref<T>>, Error> {
        let (found, _left) = with_lock(|guard| {
            cursor.stand.update_in(guard, |at| {
                self.node.check_not_erased()?;
                Ok(self.step_locked(at))
            })
        })
        .map_err(|refused: super::error::Refused| Error::from(refused))?;
        Ok(found)
    }

    /// A step, and the handles that are left over, to be dropped without the lock. Under the lock.
    pub(super) fn step_locked(self, at: &mut Option<Stand<T>>) -> (Option<Ref<T>>, Stand<T>) {
        let standing =
            |of: &Option<Ref<T>>| of.as_ref().map(node_of).filter(|node| self.contains_node(*node));
        let found = match &*at {
            None => self.node.first_child(self.number),
            Some((now, next)) => match standing(now) {
                Some(now) => now.next(),
                None => standing(next),
            },
        };
        let mut left = at.take().unwrap_or_default();
        let found = found.map(|node| {
            // Mostly the one that was next, whose handle goes on.
            let known = left.1.take_if(|next| node_of(next) == node);
            (node, known.unwrap_or_else(|| child_as(node.to_ref())))
        });
        let next = found.as_ref().and_then(|(node, _)| node.next());
        let now = found.map(|(_, handle)| handle);
        *at = Some((now.clone(), next.map(Node::to_ref).map(child_as)));
        (now, left)
    }
}

/// See [`List::iter`].
#[derive(Debug)]
pub struct Iter<'a, T: Object> {
    list: List<'a, T>,
    at: Option<Stand<T>>,
}

impl<'a, T: Object + Send + Sync> Iter<'a, T> {
    pub(super) fn from_list(list: List<'a, T>) -> Self {
        let at = Some((None, list.first()));
        Iter { list, at }
    }
}

impl<T: Object + Send + Sync> Iterator for Iter<'_, T> {
    type Item = Ref<T>;

    fn next(&mut self) -> Option<Ref<T>> {
        let (found, _left) = with_lock(|_| self.list.step_locked(&mut self.at));
        found
    }
}
