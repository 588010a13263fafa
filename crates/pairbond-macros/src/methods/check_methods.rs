//! Checks of the methods of a class.

use quote::ToTokens;

use super::protocols::{self, Protocol};
use super::{Kind, Method, Methods, Output};
use crate::errors::Errors;
use crate::names;
use crate::signature::Kind as ParameterKind;

pub(super) fn check_methods(methods: &Methods, errors: &mut Errors) {
    for method in &methods.methods {
        match method.kind {
            Kind::Constructor => check_constructor(method, errors),
            Kind::Getter(_) | Kind::ClassGetter => check_getter(method, errors),
            Kind::Setter(_) => check_setter(method, methods, errors),
            _ => check_ordinary(method, errors),
        }
        if method.is_property() && method.signature.detach {
            errors.error_at(
                &method.ident,
                "a property cannot be `#[detach]`: reading an attribute is to be quick; make it a method",
            );
        }
    }
    check_duplicates(methods, errors);
}

fn check_constructor(method: &Method, errors: &mut Errors) {
    if !matches!(method.output, Output::Own | Output::OwnResult) {
        errors.error_at(
            &method.ident,
            "a `#[new]` function returns `Self` or `Result<Self, E>`",
        );
    }
}

fn check_getter(method: &Method, errors: &mut Errors) {
    check_result(method, errors);
    if let Some(parameter) = method.signature.parameters.first() {
        errors.error_at(
            &parameter.ident,
            "a `#[getter]` takes nothing but its object or class",
        );
    }
    if matches!(method.output, Output::Unit) {
        errors.error_at(&method.ident, "a `#[getter]` returns the value of the attribute");
    }
}

fn check_setter(method: &Method, methods: &Methods, errors: &mut Errors) {
    let name = method.name();
    match &method.signature.parameters[..] {
        [parameter] if parameter.kind == ParameterKind::Standard => {}
        _ => errors.error_at(&method.ident, "a `#[setter]` takes its object and the new value"),
    }
    if !matches!(method.output, Output::Unit | Output::UnitResult) {
        errors.error_at(&method.ident, "a `#[setter]` returns nothing, or `Result<(), E>`");
    }
    let getter = methods
        .methods
        .iter()
        .find(|m| matches!(m.kind, Kind::Getter(_)) && m.name() == name);
    match getter {
        None => errors.error_at(
            &method.name_at,
            format!("`{name}` can be set but not read; add `#[getter] fn {name}(&self) -> …`, or make this an ordinary method"),
        ),
        Some(getter) if cfg_texts(getter) != cfg_texts(method) => {
            errors.error_at(&method.ident, format!("the setter and the getter of `{name}` need the same `#[cfg]`"));
        }
        Some(_) => {}
    }
}

fn cfg_texts(method: &Method) -> Vec<String> {
    method
        .cfgs
        .iter()
        .map(|cfg| cfg.to_token_stream().to_string())
        .collect()
}

fn check_ordinary(method: &Method, errors: &mut Errors) {
    check_result(method, errors);
    let name = method.name();
    if !protocols::is_special(name) {
        return;
    }
    if let Some(instead) = what_to_write_instead(name) {
        return errors.error_at(
            &method.name_at,
            format!("`{name}` cannot be written here: {instead}"),
        );
    }
    match protocols::find_protocol(name) {
        Some(protocol) => check_special(method, protocol, errors),
        // Written out in `#[name("…")]` it is taken to be a protocol of another library.
        None if method.ident == name => {
            let near = names::nearest_names(name, protocols::protocol_names());
            let near = match &near[..] {
                [] => String::new(),
                near => format!("; did you mean `{}`?", near.join("`, `")),
            };
            errors.error_at(
                &method.ident,
                format!(
                    "Python knows no special method `{name}`{near} (a protocol of another library is written \
                     `#[name(\"{name}\")]` on a method of another name)"
                ),
            );
        }
        None => {}
    }
}

fn check_special(method: &Method, protocol: &Protocol, errors: &mut Errors) {
    let name = protocol.name;
    match method.kind {
        Kind::Static => errors.error_at(
            &method.ident,
            format!("`{name}` is about an object: it needs `&self`"),
        ),
        Kind::Class if !matches!(name, "__class_getitem__" | "__init_subclass__") => {
            errors.error_at(
                &method.ident,
                format!("`{name}` is about an object: it needs `&self`, and no `#[classmethod]`"),
            );
        }
        Kind::Instance(_) if matches!(name, "__class_getitem__" | "__init_subclass__") => {
            errors.error_at(
                &method.ident,
                format!("`{name}` is about the class: it has no receiver"),
            );
        }
        _ => {}
    }
    let Some(expected) = protocol.parameters else {
        return;
    };
    let parameters = &method.signature.parameters;
    if parameters.iter().any(|p| p.kind == ParameterKind::Rest) && expected > 0 {
        return;
    }
    if let Some(keyword) = parameters.iter().find(|p| p.kind == ParameterKind::KeywordOnly) {
        return errors.error_at(
            &keyword.ident,
            format!("Python passes the arguments of `{name}` by position"),
        );
    }
    if parameters.len() != expected {
        let count = match expected {
            0 => "no parameters".to_owned(),
            1 => "one parameter".to_owned(),
            n => format!("{n} parameters"),
        };
        errors.error_at(
            &method.ident,
            format!(
                "`{name}` takes {count} beside its receiver, not {}",
                parameters.len()
            ),
        );
    }
}

/// An object given by value would be another object each time.
fn check_result(method: &Method, errors: &mut Errors) {
    if matches!(method.output, Output::Own | Output::OwnResult | Output::OwnInside) {
        errors.error_at(
            &method.ident,
            "an object that is given away needs an identity: return `Ref<Self>`, made by `Ref::new`",
        );
    }
}

fn check_duplicates(methods: &Methods, errors: &mut Errors) {
    let pair = |a: &Method, b: &Method| {
        matches!(
            (a.kind, b.kind),
            (Kind::Getter(_), Kind::Setter(_)) | (Kind::Setter(_), Kind::Getter(_))
        )
    };
    for (i, method) in methods.methods.iter().enumerate() {
        // With `#[cfg]` one of the two may be absent.
        let same = |other: &&Method| {
            other.name() == method.name()
                && !pair(other, method)
                && other.cfgs.is_empty()
                && method.cfgs.is_empty()
        };
        if methods.methods[..i].iter().any(|other| same(&other)) {
            let message = match method.kind {
                Kind::Constructor => {
                    "a class has one `#[new]`; make the others functions that return `Ref<Self>`".to_owned()
                }
                _ => format!("another method is called `{}` in Python", method.name()),
            };
            errors.error_at(&method.name_at, message);
        }
    }
}

/// Returns the replacement for a special method that a pairbond object cannot have.
pub(super) fn what_to_write_instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "__new__" | "__init__" => {
            "mark the function that makes the object `#[new]`: `#[new] fn new(…) -> Self`"
        }
        "__del__" => "implement `Drop`, which runs when the object dies on either side",
        "__getattribute__" => {
            "`__getattr__` is called for attributes that are not found; a Python subclass can define this one"
        }
        "__release_buffer__" => {
            "`__buffer__` gives an `Array`, whose memory lives as long as anybody looks at it"
        }
        "__ipow__" => "without it Python uses `__pow__`, which is the same for an object that stays as it is",
        "__dict__" | "__weakref__" | "__slots__" | "__class__" | "__module__" | "__doc__" | "__name__"
        | "__match_args__" => "it is set for the class already",
        _ => return None,
    })
}
