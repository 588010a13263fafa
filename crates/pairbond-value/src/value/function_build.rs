//! Building a native function: its name, parameters and documentation.

use std::borrow::Cow;

use crate::trace::{Trace, Tracer};
use crate::types::{ParameterKind, Signature};
use crate::value::Any;

/// One parameter of a native function.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: ParameterKind,
    pub(super) default: Fallback,
}

/// The behaviour if no argument is passed.
#[derive(Clone, Debug)]
pub(super) enum Fallback {
    /// It is an error.
    Required,
    /// This value is taken.
    Value(Any),
    /// The function knows; in words.
    Text(&'static str),
}

impl Parameter {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which arguments it takes.
    #[must_use]
    pub fn kind(&self) -> ParameterKind {
        self.kind
    }

    /// The default, if there is one and it is a value that the function was made with.
    #[must_use]
    pub fn default(&self) -> Option<&Any> {
        match &self.default {
            Fallback::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The default as source text, if there is one that the function makes itself.
    #[must_use]
    pub fn default_text(&self) -> Option<&'static str> {
        match self.default {
            Fallback::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_required(&self) -> bool {
        matches!(self.default, Fallback::Required) && !self.kind.takes_rest()
    }
}

/// The parameters of a native function, in order.
pub type Parameters = [Parameter];

/// The name of a native function, and its parameters if they are known.
#[derive(Clone, Debug)]
pub struct Described {
    pub(crate) name: Cow<'static, str>,
    doc: Cow<'static, str>,
    pub(crate) parameters: Option<Vec<Parameter>>,
}

impl Described {
    pub(super) fn new(name: Cow<'static, str>) -> Self {
        Described {
            name,
            doc: "".into(),
            parameters: None,
        }
    }

    /// Describes a function by the signature of a native one.
    #[must_use]
    pub fn from_signature(signature: &'static Signature) -> Self {
        let parameter = |parameter: &'static crate::types::Parameter| Parameter {
            name: parameter.name.into(),
            kind: parameter.kind,
            default: parameter.default.map_or(Fallback::Required, Fallback::Text),
        };
        Described {
            name: signature.qualified.into(),
            doc: signature.doc.into(),
            parameters: Some(signature.parameters.iter().map(parameter).collect()),
        }
    }

    /// Of a method that is called as a function: with its object first.
    pub fn of_method(signature: &'static Signature) -> Self {
        let mut described = Self::from_signature(signature);
        let receiver = Parameter {
            name: "self".into(),
            kind: ParameterKind::Standard,
            default: Fallback::Required,
        };
        described.parameters.get_or_insert_default().insert(0, receiver);
        described
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The documentation; empty when there is none.
    #[must_use]
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// The parameters; `None` when the function takes any arguments.
    #[must_use]
    pub fn parameters(&self) -> Option<&Parameters> {
        self.parameters.as_deref()
    }
}

// SAFETY: each default once.
unsafe impl Trace for Described {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        for parameter in self.parameters.iter().flatten() {
            if let Fallback::Value(value) = &parameter.default {
                value.trace(tracer);
            }
        }
    }
}

/// A function in the making: [`Function::build`](super::Function::build).
///
/// ```
/// use pairbond_value::value::{Any, Function};
///
/// let scale = Function::build("scale")
///     .doc("Multiplies.")
///     .parameter("x")
///     .default("factor", 2.0)
///     .from(|x: f64, factor: f64| x * factor);
/// assert_eq!(scale.call(&[3.0.into()])?.as_f64(), Some(6.0));
/// assert_eq!(scale.call_with(&[3.0.into(), 5.0.into()], &["factor"])?.as_f64(), Some(15.0));
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Builder {
    pub(crate) described: Described,
    keyword_only: bool,
}

impl Builder {
    pub(super) fn new(name: Cow<'static, str>) -> Self {
        Builder {
            described: Described::new(name),
            keyword_only: false,
        }
    }

    fn add(mut self, name: Cow<'static, str>, default: Fallback) -> Self {
        let kind = if self.keyword_only {
            ParameterKind::KeywordOnly
        } else {
            ParameterKind::Standard
        };
        let all = self.described.parameters.get_or_insert_default();
        assert!(
            all.iter().all(|p| p.name != name),
            "{}() has two parameters {name:?}",
            self.described.name
        );
        let after_default = all.last().is_some_and(|p| !p.is_required() && p.kind == kind);
        assert!(
            kind == ParameterKind::KeywordOnly || !(after_default && matches!(default, Fallback::Required)),
            "{}(): parameter {name:?} without a default follows one with a default",
            self.described.name
        );
        all.push(Parameter { name, kind, default });
        self
    }

    /// Its documentation.
    pub fn doc(mut self, doc: impl Into<Cow<'static, str>>) -> Self {
        self.described.doc = doc.into();
        self
    }

    /// A parameter that needs an argument.
    ///
    /// # Panics
    /// When the name is taken, or a parameter with a default stands before it (and it is not given
    /// by keyword).
    pub fn parameter(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.add(name.into(), Fallback::Required)
    }

    /// A parameter with a default.
    ///
    /// # Panics
    /// When the name is taken.
    pub fn default(self, name: impl Into<Cow<'static, str>>, value: impl Into<Any>) -> Self {
        self.add(name.into(), Fallback::Value(value.into()))
    }

    /// All parameters from here on are given by keyword only.
    pub fn keywords(mut self) -> Self {
        self.keyword_only = true;
        self
    }

    /// A parameter (a `Vec<T>`) for all further arguments by position. Those after it are given by
    /// keyword.
    ///
    /// # Panics
    /// When there is such a parameter already, or parameters by keyword.
    pub fn rest(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        assert!(
            !self.keyword_only,
            "{}(): no parameter for further positional arguments can stand here",
            self.described.name
        );
        let kind = ParameterKind::Rest;
        let (name, default) = (name.into(), Fallback::Required);
        self.described
            .parameters
            .get_or_insert_default()
            .push(Parameter { name, kind, default });
        self.keyword_only = true;
        self
    }

    /// A last parameter, a map by name (`HashMap<String, T>`, `Map<Str, T>`), for all further
    /// arguments by keyword.
    pub fn rest_keywords(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        let kind = ParameterKind::RestKeywords;
        let (name, default) = (name.into(), Fallback::Required);
        self.described
            .parameters
            .get_or_insert_default()
            .push(Parameter { name, kind, default });
        self
    }
}
