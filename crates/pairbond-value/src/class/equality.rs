//! How objects of a type are compared and hashed natively, found among its methods: `__eq__` and
//! `__hash__` in Rust.

use std::ptr::NonNull;

use super::{Args, Callable, ClassVisitor, Constructor, Getter, Setter};
use crate::any::RawAny;
use crate::convert::{AnySink, AnySource};
use crate::error::panics;
use crate::object::{ErasedBorrow, Header};
use crate::types::{AskFn, Equality};
use crate::value::Any;

/// Looks for `__eq__` and `__hash__`.
#[derive(Debug, Default)]
pub struct FindEquality {
    equal: Option<AskFn>,
    hash: Option<AskFn>,
}

impl FindEquality {
    /// The result.
    #[must_use]
    pub fn into_equality(self) -> Option<Equality> {
        (self.equal.is_some() || self.hash.is_some()).then(|| Equality::new(self.equal, self.hash))
    }
}

impl ClassVisitor for FindEquality {
    fn visit_getter<G: Getter>(&mut self) {}
    fn visit_property<S: Setter>(&mut self) {}
    fn visit_constructor<C: Constructor>(&mut self) {}
    fn visit_method<M: Callable>(&mut self) {}
    fn hash<M: Callable>(&mut self) {
        self.hash = Some(compare_by_method::<M>);
    }
    fn compare<Lt: Callable, Le: Callable, Eq: Callable, Ne: Callable, Gt: Callable, Ge: Callable>(
        &mut self,
    ) {
        if !Eq::SIGNATURE.name.is_empty() {
            self.equal = Some(compare_by_method::<Eq>);
        }
    }
}

/// Calls a method of one object with another.
unsafe extern "C-unwind" fn compare_by_method<M: Callable>(
    a: *const Header,
    b: *const Header,
    out: *mut RawAny,
) -> bool {
    // SAFETY: both are alive during the call; the caller's place.
    unsafe {
        let [a, b] = [a, b].map(|object| ErasedBorrow::from_header(NonNull::from(&*object)));
        // Who asks may be another binary, which cannot catch a panic of this one.
        let both = (Any::Object(a.to_ref()), Any::Object(b.to_ref()));
        let result = panics::catch_panic(|| M::call(&Both(&both.0, &both.1), AnySink));
        let fine = result.is_ok();
        out.write(result.map_or_else(RawAny::from_error, RawAny::new));
        fine
    }
}

/// A receiver and an argument.
struct Both<'a>(&'a Any, &'a Any);

impl<'a> Args<'a> for Both<'a> {
    type Source = AnySource<'a>;
    fn receiver(&self) -> Option<AnySource<'a>> {
        Some(AnySource::One(self.0))
    }
    fn get(&self, index: usize) -> Option<AnySource<'a>> {
        (index == 0).then_some(AnySource::One(self.1))
    }
    fn rest_arg(&self, _: usize) -> Option<AnySource<'a>> {
        None
    }
}
