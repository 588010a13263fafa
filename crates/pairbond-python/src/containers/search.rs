//! Looking for a value among the elements of a list or tuple.
//!
//! CPython compares with one element after the other. Where the result is known without running
//! Python code, none runs, and the holder of the list's lock may go on to use it: another thread
//! cannot come between.

use pairbond_core::error::Error;
use pairbond_core::object::ErasedBorrow;
use pairbond_value::value::{Any, ListBody, Verdict};
use pyo3_ffi as py;

use super::values::any_value;
use super::values::to_python;
use crate::heap_types::support::{Object_, objects_equal};
use crate::interp::Interp;

/// The value that is searched for.
pub(super) struct Search {
    wanted: Any,
    /// Whether the wanted value's class has an `__eq__` of its own.
    decides: bool,
    interp: &'static Interp,
}

/// The next element that comes into question.
pub(super) enum Next {
    /// It is equal.
    Same(usize),
    /// Python has to be asked.
    Ask(usize),
}

impl Search {
    pub(super) fn of(value: Object_) -> Result<Self, Error> {
        // SAFETY: attached; a living object.
        let wanted = unsafe { any_value(value) }?;
        let interp = Interp::current()?;
        Ok(Search {
            decides: python_decides(interp, &wanted),
            wanted,
            interp,
        })
    }

    /// The next one from `at` on and before `to`. Runs no foreign code.
    pub(super) fn next(&self, items: &[Any], at: usize, to: usize) -> Option<Next> {
        let rest = items.get(at..to.min(items.len()))?;
        let key = self.wanted.view();
        rest.iter()
            .enumerate()
            .find_map(|(index, item)| match item.view().compare_key(key) {
                Verdict::Same => Some(Next::Same(at + index)),
                Verdict::Ask => Some(Next::Ask(at + index)),
                Verdict::Different if self.decides || python_decides(self.interp, item) => {
                    Some(Next::Ask(at + index))
                }
                Verdict::Different => None,
            })
    }

    /// The first of these elements that is equal without asking Python. A search that had to ask,
    /// and may have missed what others moved meanwhile, ends with this.
    pub(super) fn last(&self, items: &[Any], from: usize, to: usize) -> Option<usize> {
        let key = self.wanted.view();
        let same = |item: &Any| item.view().compare_key(key) == Verdict::Same;
        let found = items.get(from..to.min(items.len()))?.iter().position(same)?;
        Some(from + found)
    }

    /// Takes the first element that is equal out of a list; `None` when there is none. An element
    /// that is there all the time is found, and exactly the found element is taken out, whatever
    /// other threads do.
    pub(super) fn take(&self, list: &ListBody, value: Object_) -> Result<Option<Any>, Error> {
        let mut at = 0;
        loop {
            // The removed element; else the next comparison, or the end. Comparing changes nothing.
            let step = list.change_if(|items| match self.next(items, at, usize::MAX) {
                Some(Next::Same(place)) => Ok(items.remove(place)),
                Some(Next::Ask(place)) => Err(Some((place, items[place].clone()))),
                None => match self.last(items, 0, usize::MAX) {
                    Some(place) => Ok(items.remove(place)),
                    None => Err(None),
                },
            });
            let (place, item) = match step {
                Ok(taken) => return Ok(Some(taken)),
                Err(None) => return Ok(None),
                Err(Some(ask)) => ask,
            };
            // SAFETY: attached; living objects.
            let same = unsafe { objects_equal(to_python(&item)?.as_ptr(), value) }?;
            // The list may be another by now; if the element is gone, the one behind it may have
            // moved up.
            let step = list.change_if(|items| match place_of_item(items, &item, place) {
                Some(place) if same => Ok(items.remove(place)),
                Some(place) => Err(place + 1),
                None => Err(place),
            });
            match step {
                Ok(taken) => return Ok(Some(taken)),
                Err(next) => at = next,
            }
        }
    }
}

/// Where an element stands that stood at a place.
fn place_of_item(items: &[Any], item: &Any, place: usize) -> Option<usize> {
    let is_it = |other: &Any| other.view().compare_key(item.view()) == Verdict::Same;
    if items.get(place).is_some_and(is_it) {
        return Some(place);
    }
    items.iter().position(is_it)
}

/// Whether Python is to be asked about a value although it is another key: a class made in Python
/// may compare its objects as it likes, and containers are equal to others with the same content.
fn python_decides(interp: &Interp, value: &Any) -> bool {
    let Any::Object(object) = value else { return false };
    let class = class_of(interp, object.as_borrow());
    let comparison = |class: *mut py::PyTypeObject| {
        // SAFETY: attached; living types.
        unsafe { (*class).tp_richcompare.map(|f| f as usize) }
    };
    comparison(class) != comparison(&raw mut py::PyBaseObject_Type)
}

/// Returns the class of an object's wrapper, created or not.
fn class_of(interp: &Interp, object: ErasedBorrow<'_>) -> *mut py::PyTypeObject {
    let pair = object.header().custody().pair();
    if pair.tag() == interp.tag() && !pair.wrapper().is_null() {
        // SAFETY: an object that is held natively keeps its wrapper.
        return unsafe { py::Py_TYPE(pair.wrapper().cast()) };
    }
    interp.class_of(object.header().info())
}
