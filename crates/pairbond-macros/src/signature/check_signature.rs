//! Checks of functions and their parameters.

use syn::{ReturnType, Type};

use super::{Kind, Parameter, Presence};
use crate::errors::Errors;
use crate::types;

/// A parameter's type, as far as it can be judged without resolving it.
pub(super) fn type_of(ty: &Type, errors: &mut Errors) {
    match types::peel_type(ty) {
        Type::Reference(reference) if reference.mutability.is_some() => {
            let message = "objects are shared, so nobody can be given `&mut`; take `&T` and keep what changes in a `Cell`";
            errors.error_at(ty, message);
        }
        Type::Reference(reference) => {
            let instead = match types::peel_type(&reference.elem) {
                Type::Slice(slice) if !types::is_type(&slice.elem, "u8") => "`Vec<T>`",
                inner if types::is_type(inner, "String") => "`&str` or `String`",
                inner if types::is_type(inner, "Vec") => "`Vec<T>`",
                inner if types::is_type(inner, "Path") || types::is_type(inner, "PathBuf") => "`PathBuf`",
                _ => return,
            };
            errors.error_at(
                ty,
                format!("this cannot be borrowed from an argument; take {instead}"),
            );
        }
        Type::ImplTrait(_) => errors.error_at(
            ty,
            "the type of an argument must be known here; name it instead of `impl Trait`",
        ),
        _ => {}
    }
}

/// Python's rule: what may be left out comes last.
pub(super) fn check_order(all: &[Parameter], errors: &mut Errors) {
    let standard = || all.iter().filter(|p| p.kind == Kind::Standard);
    for (i, early) in standard().enumerate() {
        if matches!(early.presence, Presence::Required) {
            continue;
        }
        let Some(late) = standard()
            .skip(i)
            .find(|p| matches!(p.presence, Presence::Required))
        else {
            break;
        };
        let (early_name, late_name) = (&early.name, &late.name);
        match early.presence {
            Presence::Optional => errors.error_at(
                &early.ident,
                format!(
                    "`{early_name}` may be left out because it is an `Option`, but `{late_name}` after it may not; mark \
                     `{early_name}` as `#[required]`, or `{late_name}` as `#[keyword]`, or give `{late_name}` a default"
                ),
            ),
            _ => errors.error_at(
                &late.ident,
                format!(
                    "`{late_name}` needs a `#[default(…)]` because `{early_name}` before it has one; or mark `{late_name}` as \
                     `#[keyword]`"
                ),
            ),
        }
        break;
    }
}

/// Whether a type borrows, as far as it can be judged without resolving it.
fn is_borrowed(ty: &Type) -> bool {
    let is_lifetime = |token: &str| token != "'static";
    types::source_text(ty)
        .split(|c: char| c != '\'' && c != '_' && c != '&' && !c.is_alphanumeric())
        .any(|word| {
            word.starts_with('&')
                || word.starts_with('\'') && is_lifetime(word)
                || ["Borrow", "ErasedBorrow", "AnyRef"].contains(&word)
        })
}

/// Reports forms of functions that cannot be exposed.
pub(crate) fn check_function(signature: &syn::Signature, errors: &mut Errors) {
    if signature.asyncness.is_some() {
        for input in &signature.inputs {
            if let syn::FnArg::Typed(input) = input
                // Of a receiver that is borrowed the method's own check says more.
                && !matches!(&*input.pat, syn::Pat::Ident(pattern) if pattern.ident == "this")
                && is_borrowed(&input.ty)
            {
                errors.error_at(
                    &input.ty,
                    "an `async fn` goes on after the call that made it, so it cannot borrow arguments; take `Ref<T>`, `String` or another \
                     value that it owns",
                );
            }
        }
    }
    if let Some(token) = &signature.unsafety {
        errors.error_at(
            token,
            "Python programs keep no safety contract: an `unsafe fn` cannot be exposed",
        );
    }
    if let Some(variadic) = &signature.variadic {
        errors.error_at(variadic, "use `#[rest] arguments: Vec<T>` for further arguments");
    }
    for parameter in &signature.generics.params {
        if !matches!(parameter, syn::GenericParam::Lifetime(_)) {
            errors.error_at(
                parameter,
                "a function that Python calls cannot be generic: say which type it is",
            );
        }
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && matches!(types::peel_type(ty), Type::ImplTrait(_))
    {
        errors.error_at(
            ty,
            "the type of the result must be known here; name it instead of `impl Trait`",
        );
    }
}
