//! Names, kinds, defaults, types and documentation of something that can be called. Laid out for
//! other binaries, too: see the crate `pairbond-plugin`.

/// How a callable is bound to its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Binding {
    /// A free function of a module.
    Function,
    /// A method with a receiver (`&self` or `this: Borrow<Self>`).
    Instance,
    /// A method that is given the class's name only; subclasses inherit it.
    Class,
    /// A function in the namespace of the class.
    Static,
    /// `#[new]`: returns the value that a new object is made of.
    Constructor,
    /// `#[classmethod] #[getter]`: what reading an attribute of the class, of a subclass or of an
    /// object calls.
    ClassGetter,
}

/// Which arguments a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ParameterKind {
    /// By position or by keyword.
    Standard,
    /// By keyword only (after `*`).
    KeywordOnly,
    /// `*args`: all further positional arguments.
    Rest,
    /// `**kwargs`: all further keyword arguments, as a mapping by name. Absent where there are
    /// none.
    RestKeywords,
}

impl ParameterKind {
    /// Whether it takes any number of further arguments, none included.
    #[must_use]
    pub const fn takes_rest(self) -> bool {
        matches!(self, ParameterKind::Rest | ParameterKind::RestKeywords)
    }
}

/// One parameter of a [`Signature`], the receiver not included.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Parameter {
    /// The name, as in Rust (a leading `r#` removed).
    pub name: &'static str,
    /// Which arguments it takes.
    pub kind: ParameterKind,
    /// The default as Python source text for `__text_signature__` (`"None"`, `"3"`, `"..."`), if
    /// the parameter has one.
    pub default: Option<&'static str>,
    /// The Rust type as written, white space normalised.
    pub rust_type: &'static str,
}

/// Everything a frontend says about a callable before calling it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Signature {
    /// The name callers use (`"closure"`, `"__repr__"`).
    pub name: &'static str,
    /// The qualified name for messages (`"Package.closure"`, `"read"`).
    pub qualified: &'static str,
    /// Documentation comment, unindented; empty when there is none.
    pub doc: &'static str,
    /// How it is bound.
    pub binding: Binding,
    /// The parameters in order, the receiver not included.
    pub parameters: &'static [Parameter],
    /// The Rust return type as written.
    pub returns: &'static str,
    /// Whether the frontend lets other threads run during the call (`#[detach]`: the GIL is
    /// released).
    pub detach: bool,
}

/// The length of [`qualify_name`]'s result.
#[doc(hidden)]
#[must_use]
pub const fn qualified_len(key: &str, name: &str) -> usize {
    let class = key.len() - class_at(key);
    if name.is_empty() {
        class
    } else {
        class + 1 + name.len()
    }
}

/// `Class.name`, or the name of the class alone, from a key and a name.
#[doc(hidden)]
#[must_use]
pub const fn qualify_name<const N: usize>(key: &str, name: &str) -> [u8; N] {
    let (key, name, start) = (key.as_bytes(), name.as_bytes(), class_at(key));
    let class = key.len() - start;
    let mut text = [b'.'; N];
    let mut at = 0;
    while at < N {
        if at < class {
            text[at] = key[start + at];
        } else if at > class {
            text[at] = name[at - class - 1];
        }
        at += 1;
    }
    text
}

/// The text of [`qualify_name`].
#[doc(hidden)]
#[must_use]
pub const fn qualified_text(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// Where the name of the class begins in a key.
const fn class_at(key: &str) -> usize {
    let key = key.as_bytes();
    let mut at = key.len();
    while at > 0 && key[at - 1] != b'.' {
        at -= 1;
    }
    at
}

impl Signature {
    /// Number of leading parameters that a positional argument can fill.
    #[must_use]
    pub const fn positional_count(&self) -> usize {
        let mut n = 0;
        while n < self.parameters.len() && matches!(self.parameters[n].kind, ParameterKind::Standard) {
            n += 1;
        }
        n
    }

    /// Whether every parameter is [`ParameterKind::Standard`] and has no default, so that a call
    /// with exactly `parameters.len()` positional arguments needs no binding step.
    #[must_use]
    pub const fn is_simple(&self) -> bool {
        let mut n = 0;
        while n < self.parameters.len() {
            if !matches!(self.parameters[n].kind, ParameterKind::Standard)
                || self.parameters[n].default.is_some()
            {
                return false;
            }
            n += 1;
        }
        true
    }
}
