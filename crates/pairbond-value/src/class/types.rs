//! The types that a module's classes and signatures mention, registered when the module is
//! imported: one that cannot be shared is refused then, and not at the first call.

use super::{
    Callable, Class, ClassVisitor, Constructor, EnumObject, Enumeration, Getter, Module, ModuleVisitor,
    Probe, Setter,
};
use crate::error::{Error, ErrorKind};
use crate::object::Object;
use crate::trace::{Reach, Trace};

/// Registers every type that a module mentions.
///
/// # Errors
/// `ImportError`: a type whose key is taken by a type with another layout.
pub fn register_types<M: Module>() -> Result<(), Error> {
    let mut types = Types(Reach::new_registering());
    M::visit_members(&mut types);
    types
        .0
        .finish()
        .map_err(|error| Error::from(error).with_kind(ErrorKind::Import))
}

struct Types(Reach);

impl ModuleVisitor for Types {
    fn visit_class<T: Class>(&mut self) {
        self.0.visit_object::<T>();
        T::visit_members(self);
    }
    fn visit_function<F: Callable>(&mut self) {
        F::visit_types(&mut self.0);
    }
    fn visit_enumeration<E: Enumeration>(&mut self) {
        self.0.visit_object::<EnumObject<E>>();
    }
}

impl ClassVisitor for Types {
    fn visit_getter<G: Getter>(&mut self) {
        G::visit_types(&mut self.0);
    }
    fn visit_property<S: Setter>(&mut self) {
        S::visit_types(&mut self.0);
        S::set_types(&mut self.0);
    }
    fn visit_constructor<C: Constructor>(&mut self) {
        C::visit_types(&mut self.0);
    }
    fn visit_method<M: Callable>(&mut self) {
        M::visit_types(&mut self.0);
    }
}

/// What the macros show of a type that a signature mentions: each is nothing for a type that is no
/// such.
#[doc(hidden)]
pub trait OtherwiseNoTypes {
    /// An object type.
    fn object_type(_: &mut Reach) {}
    /// An enum without data.
    fn enumeration_type(_: &mut Reach) {}
    /// A type whose values refer to objects.
    fn traced_types(_: &mut Reach) {}
}

impl<T> OtherwiseNoTypes for Probe<T> {}

impl<T: Object> Probe<T> {
    #[doc(hidden)]
    pub fn object_type(reach: &mut Reach) {
        reach.visit_object::<T>();
    }
}

impl<E: Enumeration> Probe<E> {
    #[doc(hidden)]
    pub fn enumeration_type(reach: &mut Reach) {
        reach.visit_object::<EnumObject<E>>();
    }
}

impl<T: Trace> Probe<T> {
    #[doc(hidden)]
    pub fn traced_types(reach: &mut Reach) {
        T::visit_reachable(reach);
    }
}
