//! [`Kinds`]: what containers hold, found by name.

use super::element::{Element, Kind};

/// Kinds of elements by name: collected from registered types, to find those that data names.
#[derive(Default)]
pub struct Kinds<'a> {
    wanted: &'a str,
    found: Option<Kind>,
}

impl<'a> Kinds<'a> {
    /// Looks for one of this name.
    #[doc(hidden)]
    #[must_use]
    pub fn search_for(wanted: &'a str) -> Self {
        Kinds { wanted, found: None }
    }

    /// Returns the one that was shown, if it was.
    #[doc(hidden)]
    #[must_use]
    pub fn found_kind(&self) -> Option<Kind> {
        self.found
    }

    pub(crate) fn visit_kind(&mut self, kind: Kind) {
        if self.found.is_none() && kind.unique_name() == self.wanted {
            self.found = Some(kind);
        }
    }

    /// Shows an element type.
    pub fn visit_element<T: Element>(&mut self) {
        T::visit_kinds(self);
    }
}
