//! Closures with typed parameters as functions.

use std::borrow::Cow;

use super::{AnySink, AnySource, FromValue, Outcome, Source};
use crate::error::Error;
use crate::types::ParameterKind;
use crate::value::{Any, Builder, Described, Function, Given, Map, Str};

/// The names in errors about arguments.
#[doc(hidden)]
#[derive(Debug)]
pub struct Context {
    pub(super) name: Cow<'static, str>,
    pub(super) parameters: Vec<(Cow<'static, str>, ParameterKind)>,
}

/// A closure whose parameters convert from values, and whose result converts into one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made a `Function`",
    note = "a closure `Fn(A, B, …) -> R + Send + Sync + 'static` with up to six parameters can: each is an owned type that can be read from an \
            argument, the result a value or a `Result` of one"
)]
pub trait Typed<A>: Send + Sync + 'static {
    /// The number of parameters.
    const COUNT: usize;
    /// Converts, calls, and converts the result.
    ///
    /// # Errors
    /// An argument that does not convert, or what the closure returns.
    #[doc(hidden)]
    fn call_typed(&self, given: &Given<'_>, context: &Context) -> Result<Any, Error>;
}

static NONE: Any = Any::None;

fn read_argument<T: for<'b> FromValue<'b>>(
    given: &Given<'_>,
    index: usize,
    context: &Context,
) -> Result<T, Error> {
    let (name, kind) = &context.parameters[index];
    let source = match kind {
        ParameterKind::Rest => AnySource::Many(given.rest()),
        ParameterKind::RestKeywords if given.get(index).is_none() => {
            return T::from_value(AnySource::One(&Map::<Str, Any>::new().into())).map_err(|_| {
                Error::type_error(format!("{}() argument '{name}' is no mapping", context.name))
            });
        }
        _ => AnySource::One(given.get(index).unwrap_or(&NONE)),
    };
    T::from_value(source).map_err(|mismatch| {
        mismatch.into_error(
            || format!("{}() argument '{name}'", context.name),
            &T::expected_type(),
            || Source::describe(source),
        )
    })
}

macro_rules! typed {
    ($count:literal $(; $($t:ident $i:literal),+)?) => {
        impl<F, R, $($($t),+)?> Typed<(R, $($($t,)+)?)> for F
        where
            F: Fn($($($t),+)?) -> R + Send + Sync + 'static,
            R: Outcome,
            $($($t: for<'b> FromValue<'b>),+)?
        {
            const COUNT: usize = $count;
            #[allow(unused_variables)]
            fn call_typed(&self, given: &Given<'_>, context: &Context) -> Result<Any, Error> {
                self($($(read_argument::<$t>(given, $i, context)?),+)?).write_outcome(AnySink)
            }
        }
    };
}
typed!(0);
typed!(1; A 0);
typed!(2; A 0, B 1);
typed!(3; A 0, B 1, C 2);
typed!(4; A 0, B 1, C 2, D 3);
typed!(5; A 0, B 1, C 2, D 3, E 4);
typed!(6; A 0, B 1, C 2, D 3, E 4, G 5);

impl Builder {
    /// The function that calls `f`. Parameters that were not named are called `arg0`, `arg1` and so
    /// on.
    ///
    /// # Panics
    /// When more parameters were named than `f` has.
    pub fn from<A, F: Typed<A>>(mut self, f: F) -> Function {
        let named = self.described.parameters.get_or_insert_default().len();
        assert!(
            named <= F::COUNT,
            "{}() takes {} arguments, {named} parameters were described",
            self.described.name,
            F::COUNT
        );
        for index in named..F::COUNT {
            self = self.parameter(format!("arg{index}"));
        }
        let Described { name, parameters, .. } = &self.described;
        let names: Vec<_> = parameters
            .iter()
            .flatten()
            .map(|p| (p.name.clone(), p.kind))
            .collect();
        let context = Context {
            name: name.clone(),
            parameters: names,
        };
        Function::from_described(self.described, move |given: &Given<'_>| {
            f.call_typed(given, &context)
        })
    }
}
