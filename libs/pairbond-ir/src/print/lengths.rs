//! Types and attributes whose parts are shared: their text without names may be exponentially
//! longer than their parts.

use pairbond::prelude::*;

use crate::context::attributes::Attribute;
use crate::context::types::Type;
use crate::error;
use crate::fast::FastMap;
use crate::recursion::with_stack;

/// So many parts, each as often as it is written, are too many unless there are about as many.
const TOO_LONG: usize = 1 << 24;

/// Refuses a text of `length` parts that are far fewer distinct ones.
///
/// Unwinds with the error.
pub(super) fn check_length(length: usize, parts: usize) {
    if length > TOO_LONG.max(parts.saturating_mul(16)) {
        let what = "its parts are shared, so that its text would be exponentially longer than what it is made of; \
            where the outermost operation around it is printed, they have names";
        error::ir_error(what).unwind();
    }
}

/// Refuses a type whose text would be exponentially long.
pub(super) fn check_type(it: &Type) {
    if it.types().iter().any(|it| is_nested(it)) || !it.attributes().is_empty() {
        let mut lengths = Lengths::default();
        let length = lengths.of_type(it);
        check_length(length, lengths.0.len());
    }
}

/// Refuses an attribute whose text would be exponentially long.
pub(super) fn check_attribute(it: &Attribute) {
    let nested = |it: &Attribute| !it.attributes().is_empty() || it.types().iter().any(|it| is_nested(it));
    if it.attributes().iter().any(|it| nested(it)) || it.types().iter().any(|it| is_nested(it)) {
        let mut lengths = Lengths::default();
        let length = lengths.of_attribute(it);
        check_length(length, lengths.0.len());
    }
}

fn is_nested(it: &Type) -> bool {
    !it.types().is_empty() || !it.attributes().is_empty()
}

/// In how many parts each is written, by its address.
#[derive(Default)]
struct Lengths(FastMap<usize, usize>);

impl Lengths {
    fn of_type(&mut self, it: &Type) -> usize {
        self.text_length(std::ptr::from_ref(it).addr(), it.types(), it.attributes())
    }

    fn of_attribute(&mut self, it: &Attribute) -> usize {
        self.text_length(std::ptr::from_ref(it).addr(), it.types(), it.attributes())
    }

    fn text_length(&mut self, address: usize, types: &[Ref<Type>], attributes: &[Ref<Attribute>]) -> usize {
        if let Some(known) = self.0.get(&address) {
            return *known;
        }
        let length = with_stack(|| {
            let types = types
                .iter()
                .map(|it| self.of_type(it))
                .fold(1, usize::saturating_add);
            let attributes = attributes.iter().map(|it| self.of_attribute(it));
            attributes.fold(types, usize::saturating_add)
        });
        self.0.insert(address, length);
        length
    }
}
