//! What `pairbond.Function` offers to frontends: a native function that came out as an object.

use pairbond_macros::methods;

use super::function::{Function, FunctionBody};
use crate::class::{Class, ClassVisitor, Member, Methods, ModuleVisitor};
use crate::error::Error;
use crate::object::Borrow;
use crate::value::{Any, Str};

impl Class for FunctionBody {
    const DOC: &'static str = "A native function.";

    fn describe<V: ClassVisitor>(visitor: &mut V) {
        Self::describe_methods(visitor);
    }
}

impl Member for FunctionBody {
    fn show<V: ModuleVisitor>(visitor: &mut V) {
        visitor.class::<Self>();
    }
}

#[methods(crate = crate::expansion)]
impl FunctionBody {
    fn __call__(this: Borrow<'_, Self>, #[rest] args: Vec<Any>) -> Result<Any, Error> {
        Function::from_ref(this.to_ref()).call(&args)
    }

    /// The name that it was made with.
    #[getter]
    fn __name__(this: Borrow<'_, Self>) -> Str {
        Function::from_ref(this.to_ref()).name().into()
    }

    fn __repr__(this: Borrow<'_, Self>) -> String {
        format!("<pairbond.Function {}>", Function::from_ref(this.to_ref()).name())
    }
}
