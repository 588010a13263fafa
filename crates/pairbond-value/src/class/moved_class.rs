//! The class `pairbond.Moved`.

use pairbond_macros::methods;

use super::{Class, ClassVisitor, Member, Methods, ModuleVisitor};
use crate::convert::MovedBody;

impl Class for MovedBody {
    const DOC: &'static str =
        "An object on its way to a parameter that takes it by value: what move() returns.";
    fn visit_members<V: ClassVisitor>(visitor: &mut V) {
        Self::describe_methods(visitor);
    }
}

impl Member for MovedBody {
    fn visit_member<V: ModuleVisitor>(visitor: &mut V) {
        visitor.visit_class::<Self>();
    }
}

#[methods(crate = crate::expansion)]
impl MovedBody {
    /// Whether the object was taken away from the wrapper that was given to move(), which is empty
    /// then. Otherwise others refer to it, and the receiver shares it with them.
    #[getter]
    fn taken(&self) -> bool {
        self.is_taken()
    }

    fn __repr__(&self) -> String {
        match self.type_key() {
            Some(key) => format!("<pairbond.Moved: a {key}>"),
            None => "<pairbond.Moved: gone>".into(),
        }
    }
}
