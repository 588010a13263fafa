//! The class `pairbond.Function`, for native functions that became objects; and functions of
//! `#[pairbond::function]` as values.

use pairbond_macros::methods;

use super::{Args, Callable, Class, ClassVisitor, Invoke, Member, Methods, ModuleVisitor};
use crate::convert::{AnySink, AnySource};
use crate::error::Error;
use crate::object::Borrow;
use crate::value::{Any, Described, Function, FunctionBody, Given, Str};

impl Class for FunctionBody {
    const DOC: &'static str = "A function that comes from Rust.";

    fn visit_members<V: ClassVisitor>(visitor: &mut V) {
        visitor.visit_invoke::<Self>();
        Self::describe_methods(visitor);
    }
}

impl Member for FunctionBody {
    fn visit_member<V: ModuleVisitor>(visitor: &mut V) {
        visitor.visit_class::<Self>();
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
        self.description().name().into()
    }

    /// The name that it was made with.
    #[getter]
    fn __qualname__(&self) -> Str {
        self.description().name().into()
    }

    fn __repr__(&self) -> String {
        format!("<pairbond.Function {}>", self.description().name())
    }
}

impl Function {
    /// The function of a `#[pairbond::function]`, with its name, parameters and documentation:
    /// `Function::of::<read>()`.
    #[must_use]
    pub fn of<F: Callable>() -> Self {
        let described = Described::from_signature(&F::SIGNATURE);
        Self::from_described(described, |given: &Given<'_>| F::call(given, AnySink))
    }
}

impl<'a> Args<'a> for Given<'a> {
    type Source = AnySource<'a>;

    fn receiver(&self) -> Option<AnySource<'a>> {
        None
    }

    fn get(&self, index: usize) -> Option<AnySource<'a>> {
        Given::get(self, index).map(AnySource::One)
    }

    fn rest_arg(&self, index: usize) -> Option<AnySource<'a>> {
        Given::rest(self).get(index).map(AnySource::One)
    }
}
