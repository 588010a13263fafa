//! Registers the members of a class, from its description.

use super::{Callable, Class, ClassVisitor, Constructor, Getter, Setter};
use crate::types::{Attribute, Members, RegisterError, TypeCell, TypeInfo};

impl ClassVisitor for Members {
    fn visit_getter<G: Getter>(&mut self) {
        self.push_attribute(attribute_of::<G>(false));
    }
    fn visit_property<S: Setter>(&mut self) {
        self.push_attribute(attribute_of::<S>(true));
    }
    fn visit_constructor<C: Constructor>(&mut self) {
        self.push_method(const { &C::SIGNATURE });
    }
    fn visit_method<M: Callable>(&mut self) {
        self.push_method(const { &M::SIGNATURE });
    }
}

fn attribute_of<G: Getter>(settable: bool) -> Attribute {
    Attribute {
        name: G::NAME,
        doc: G::DOC,
        rust_type: G::RUST_TYPE,
        settable,
        immutable: G::IMMUTABLE && !settable,
    }
}

/// Registers a class: its type, and what [`TypeInfo::members`] tells. Frontends do so for each
/// class that they make; a program that only wants to look classes up may too.
///
/// # Errors
/// As [`TypeCell::register`].
pub fn register_class<T: Class>() -> Result<&'static TypeInfo, RegisterError> {
    let info = TypeCell::register::<T>()?;
    if info.members().is_none() {
        let mut members = Members::of_fields(T::DOC, Vec::new());
        T::visit_members(&mut members);
        info.set_members(members);
    }
    Ok(info)
}
