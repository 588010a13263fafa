//! `autograd.Function`: nodes whose derivative is written in Python.
//!
//! The node is the context: one object, whose Python self is of a class that is made for each `Function`, so that whatever is assigned to `ctx` stays with the
//! node. The node owns its edges and what was saved, nobody owns the node but its results and Python; so a context goes with the last of these.
//!
//! `apply` is a [`FunctionInfo`] that is called: it looks at the arguments, the class's `forward` computes without recording, and [`finish`] gives the
//! results their history. What the class has for `forward` and the others, a metaclass in Python keeps in the [`FunctionInfo`].

mod apply;
mod finish;
mod methods;
mod node;
mod run;

pub use node::{FunctionInfo, FunctionNode};
pub(crate) use run::{delayed_error, derive};
