//! Functions, methods and constructors, generic over the frontend that calls them.

use super::Signature;
use crate::convert::{AnySource, FromValue, Mismatch, Record, Sink, Source};
use crate::error::Error;
use crate::memory::try_push;
use crate::object::{Borrow, ErasedBorrow, Object, check_node};
use crate::trace::Reach;
use crate::value::{Any, Map, Str};

/// The arguments of one call, already bound to the parameters of the callee's [`Signature`] by the
/// frontend (positional and keyword arguments merged, surplus and missing ones refused).
pub trait Args<'a> {
    /// How one argument is read.
    type Source: Source<'a>;

    /// The receiver of an instance method.
    fn receiver(&self) -> Option<Self::Source>;

    /// The receiver's native object, if it has one. A frontend that has checked the receiver's
    /// class already overrides this.
    #[inline]
    fn native_receiver(&self) -> Option<ErasedBorrow<'a>> {
        self.receiver()?.read_object().ok()
    }

    /// The argument for parameter `index`; `None` when it was not given (then it has a default).
    fn get(&self, index: usize) -> Option<Self::Source>;

    /// The `index`-th surplus positional argument (for
    /// [`ParameterKind::Rest`](super::ParameterKind::Rest)).
    fn rest_arg(&self, index: usize) -> Option<Self::Source>;

    /// How many of those there are, if that is known.
    #[inline]
    fn rest_count(&self) -> usize {
        0
    }
}

/// Something that can be called. Implemented by markers that the macros make, never by hand.
pub trait Callable: 'static {
    /// Its name and parameters.
    const SIGNATURE: Signature;

    /// Shows the object types that the signature mentions.
    fn visit_types(reach: &mut Reach) {
        let _ = reach;
    }

    /// Converts the arguments, calls, and gives the result to `out`.
    ///
    /// # Errors
    /// An argument that does not convert (the error names the function, the parameter, the expected
    /// type and the argument), the callee's own error, or a result that does not convert.
    fn call<'a, A: Args<'a>, S: Sink>(args: &A, out: S) -> Result<S::Out, Error>;
}

/// `#[new]`: makes the value of a new object. Called as a [`Callable`] it returns the object
/// itself.
pub trait Constructor: Callable {
    /// The type of the new object.
    type Object: Object;

    /// Converts the arguments and makes the value.
    ///
    /// # Errors
    /// As [`Callable::call`].
    fn construct<'a, A: Args<'a>>(args: &A) -> Result<Self::Object, Error>;
}

/// Stands for an operation that a class does not have, where a visitor is shown several at once
/// (`__add__` without `__radd__`). Calling it returns [`Error::not_implemented`].
#[derive(Debug)]
pub enum Absent {}

impl Callable for Absent {
    const SIGNATURE: Signature = Signature {
        name: "",
        qualified: "",
        doc: "",
        binding: super::Binding::Instance,
        parameters: &[],
        returns: "",
        detach: false,
    };

    fn call<'a, A: Args<'a>, S: Sink>(_: &A, _: S) -> Result<S::Out, Error> {
        Err(Error::not_implemented())
    }
}

/// The receiver as a borrowed handle.
///
/// # Errors
/// `TypeError` when the receiver is missing or not a `T`.
#[inline(always)]
pub fn bind_receiver<'a, T: Object, A: Args<'a>>(
    args: &A,
    signature: &'static Signature,
) -> Result<Borrow<'a, T>, Error> {
    match args.native_receiver().and_then(ErasedBorrow::downcast::<T>) {
        Some(receiver) => {
            check_node::<T>(receiver.get(), receiver.header())?;
            Ok(receiver)
        }
        None => Err(no_receiver::<T, A>(args, signature)),
    }
}

#[cold]
#[inline(never)]
fn no_receiver<'a, T: Object, A: Args<'a>>(args: &A, signature: &'static Signature) -> Error {
    match args.receiver() {
        Some(source) => {
            let mismatch = source.read_object().err().unwrap_or(Mismatch::Type);
            explain_mismatch(mismatch, source, signature, "self", T::KEY)
        }
        None => Error::type_error(format!(
            "{}() needs a {} as its receiver",
            signature.qualified,
            T::KEY
        )),
    }
}

/// The argument for a parameter without default.
///
/// # Errors
/// `TypeError` or `OverflowError` that names the function, the parameter, the expected type and the
/// argument.
#[inline]
pub fn required_arg<'a, T: FromValue<'a>, A: Args<'a>>(
    args: &A,
    index: usize,
    signature: &'static Signature,
) -> Result<T, Error> {
    match args.get(index) {
        Some(source) => convert_argument(source, index, signature),
        None => Err(missing_argument(index, signature)),
    }
}

/// The argument for a parameter with a default, or the default.
///
/// # Errors
/// As [`required_arg`].
#[inline]
pub fn or_else<'a, T: FromValue<'a>, A: Args<'a>>(
    args: &A,
    index: usize,
    signature: &'static Signature,
    default: impl FnOnce() -> T,
) -> Result<T, Error> {
    match args.get(index) {
        Some(source) => convert_argument(source, index, signature),
        None => Ok(default()),
    }
}

/// Puts the argument for a parameter of type `Option<T>` without an explicit default into its
/// place, which holds `None`, and keeps it when the argument is absent.
///
/// # Errors
/// As [`required_arg`].
#[inline]
pub fn optional_arg<'a, T: FromValue<'a>, A: Args<'a>>(
    args: &A,
    index: usize,
    signature: &'static Signature,
    place: &mut Option<T>,
) -> Result<(), Error> {
    match args.get(index).filter(|source| !source.is_none()) {
        Some(source) => T::read_into(source, place)
            .map_err(|m| argument_error::<Option<T>, _>(m, source, index, signature)),
        None => Ok(()),
    }
}

/// All surplus positional arguments, for a `#[rest]` parameter of type `Vec<T>`.
///
/// # Errors
/// As [`required_arg`].
pub fn rest_args<'a, T: FromValue<'a>, A: Args<'a>>(
    args: &A,
    index: usize,
    signature: &'static Signature,
) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    all.try_reserve_exact(args.rest_count())?;
    while let Some(source) = args.rest_arg(all.len()) {
        try_push(&mut all, convert_argument(source, index, signature)?)?;
    }
    Ok(all)
}

/// The further arguments by keyword, as a record.
///
/// # Errors
/// As [`required_arg`]; an argument that the record does not have, or lacks.
pub fn rest_record<'a, T: Record, A: Args<'a>>(
    args: &A,
    index: usize,
    signature: &'static Signature,
) -> Result<T, Error> {
    match args.get(index) {
        Some(source) => convert_argument(source, index, signature),
        None => {
            let nothing = Any::from(Map::<Str, Any>::new());
            let source = AnySource::One(&nothing);
            T::from_value(source).map_err(|m| argument_error::<T, _>(m, source, index, signature))
        }
    }
}

#[inline]
fn convert_argument<'a, T: FromValue<'a>, S: Source<'a>>(
    source: S,
    index: usize,
    signature: &'static Signature,
) -> Result<T, Error> {
    T::from_value(source).map_err(|m| argument_error::<T, _>(m, source, index, signature))
}

#[cold]
fn argument_error<'a, T: FromValue<'a>, S: Source<'a>>(
    m: Mismatch,
    source: S,
    index: usize,
    signature: &'static Signature,
) -> Error {
    let name = signature.parameters[index].name;
    explain_mismatch(m, source, signature, name, &T::expected_type())
}

#[cold]
fn explain_mismatch<'a, S: Source<'a>>(
    m: Mismatch,
    source: S,
    signature: &Signature,
    parameter: &str,
    expected: &str,
) -> Error {
    m.into_error(
        || format!("{}() argument '{parameter}'", signature.qualified),
        expected,
        || source.describe(),
    )
}

#[cold]
fn missing_argument(index: usize, signature: &Signature) -> Error {
    Error::type_error(format!(
        "{}() is missing its argument '{}'",
        signature.qualified, signature.parameters[index].name
    ))
}
