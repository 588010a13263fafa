//! What `pairbond.Function` offers to frontends: a native function that came out as an object.

use pairbond_macros::methods;

use super::function::FunctionBody;
use crate::class::{Class, ClassVisitor, Invoke, Member, Methods, ModuleVisitor};
use crate::error::Error;
use crate::object::Borrow;
use crate::value::{Any, Str};

impl Class for FunctionBody {
    const DOC: &'static str = "A function that comes from Rust.";

    fn describe<V: ClassVisitor>(visitor: &mut V) {
        visitor.invoke::<Self>();
        Self::describe_methods(visitor);
    }
}

impl Member for FunctionBody {
    fn show<V: ModuleVisitor>(visitor: &mut V) {
        visitor.class::<Self>();
    }
}

impl Invoke for FunctionBody {
    fn invoke(this: Borrow<'_, Self>, arguments: &[Any], names: &[&str]) -> Result<Any, Error> {
        this.get().call(arguments, names)
    }
}

#[methods(crate = crate::expansion)]
impl FunctionBody {
    /// The name that it was made with.
    #[getter]
    fn __name__(&self) -> Str {
        self.described.name().into()
    }

    /// The name that it was made with.
    #[getter]
    fn __qualname__(&self) -> Str {
        self.described.name().into()
    }

    fn __repr__(&self) -> String {
        format!("<pairbond.Function {}>", self.described.name())
    }
}
