//! Reads and checks parameters.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, Pat, PatType, ReturnType, Type};

use super::{Kind, Parameter, Presence, check_signature, default};
use crate::errors::Errors;
use crate::{attrs, names, types};

/// Reads all parameters but the receiver and takes their helper attributes off. `own` is what
/// `Self` stands for.
pub(crate) fn parse_parameters<'i>(
    inputs: impl IntoIterator<Item = &'i mut FnArg>,
    own: &TokenStream,
    errors: &mut Errors,
) -> Vec<Parameter> {
    let mut all = Vec::new();
    let mut after: Option<&'static str> = None;
    let mut last = false;
    for input in inputs {
        let FnArg::Typed(input) = input else { continue };
        let marks = Marks::take_marks(&mut input.attrs, errors);
        for cfg in attrs::cfgs_of(&input.attrs) {
            errors.error_at(
                cfg,
                "a signature cannot depend on a `#[cfg]`; write two functions",
            );
        }
        let Some(ident) = parameter_name(&input.pat, errors) else {
            continue;
        };
        check_signature::type_of(&input.ty, errors);
        names::check_name(
            &names::without_raw(&ident),
            &ident,
            "give the parameter another name, callers may pass it by keyword",
            errors,
        );

        if last {
            errors.error_at(
                &ident,
                "no parameter stands behind the `#[rest]` of keyword arguments",
            );
        }
        let kind = marks.parameter_kind(input, after, errors);
        match kind {
            Kind::Standard => {}
            Kind::KeywordOnly => after = after.or(Some("#[keyword]")),
            Kind::Rest => after = Some("#[rest]"),
            Kind::RestKeywords => last = true,
        }
        all.push(Parameter {
            name: names::without_raw(&ident),
            ident,
            rust_type: types::source_text(&input.ty),
            ty: rewrite_type(&input.ty, own, errors),
            presence: marks.presence(&input.ty, kind, own, errors),
            kind,
        });
    }
    check_signature::check_order(&all, errors);
    all
}

/// The attributes of a parameter.
struct Marks {
    default: Option<Attribute>,
    keyword: Option<Attribute>,
    rest: Option<Attribute>,
    required: Option<Attribute>,
}

impl Marks {
    fn take_marks(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Self {
        Marks {
            default: attrs::take_attribute(attributes, "default", errors),
            keyword: attrs::take_flag(attributes, "keyword", errors),
            rest: attrs::take_flag(attributes, "rest", errors),
            required: attrs::take_flag(attributes, "required", errors),
        }
    }

    fn parameter_kind(&self, input: &PatType, after: Option<&'static str>, errors: &mut Errors) -> Kind {
        if let Some(rest) = &self.rest {
            for other in [&self.default, &self.keyword, &self.required]
                .into_iter()
                .flatten()
            {
                errors.error_at(
                    other,
                    "a `#[rest]` parameter takes all further arguments, or none: it has no other attributes",
                );
            }
            if super::MAPS.iter().any(|map| types::is_type(&input.ty, map)) {
                return Kind::RestKeywords;
            }
            if types::content_of(&input.ty, "Vec").is_none() && is_record(&input.ty) {
                return Kind::RestKeywords;
            }
            if let Some(before) = after {
                errors.error_at(
                    rest,
                    format!("only positional parameters may stand before `#[rest]`, not `{before}`"),
                );
            }
            if types::content_of(&input.ty, "Vec").is_none() {
                errors.error_at(
                    &input.ty,
                    "a `#[rest]` parameter is a `Vec<T>` for arguments by position, or a `HashMap<String, T>`, `BTreeMap<String, T>` or \
                     `Map<Str, T>`, or a `#[derive(pairbond::Record)]`, for arguments by keyword",
                );
            }
            return Kind::Rest;
        }
        if self.keyword.is_some() || after.is_some() {
            Kind::KeywordOnly
        } else {
            Kind::Standard
        }
    }

    fn presence(self, ty: &Type, kind: Kind, own: &TokenStream, errors: &mut Errors) -> Presence {
        if matches!(kind, Kind::Rest | Kind::RestKeywords) {
            return Presence::Rest;
        }
        if let Some(attribute) = &self.default {
            if let Some(required) = &self.required {
                errors.error_at(required, "a `#[required]` parameter has no `#[default(…)]`");
            }
            return match attribute.parse_args::<Expr>() {
                Ok(value) => Presence::Default {
                    text: default::default_text(&value),
                    value: types::without_self(value, own),
                },
                Err(_) => {
                    errors.error_at(
                        attribute,
                        "write the default value in parentheses: `#[default(3)]`",
                    );
                    Presence::Required
                }
            };
        }
        match types::content_of(ty, "Option") {
            Some(_) if self.required.is_none() => Presence::Optional,
            None if self.required.is_some() => {
                errors.error_at(
                    self.required,
                    "only an `Option<T>` needs `#[required]`; others are required anyway",
                );
                Presence::Required
            }
            _ => Presence::Required,
        }
    }
}

/// Whether it may be a record: a name that is none of a type that takes arguments by position.
fn is_record(ty: &Type) -> bool {
    let plain = |name: &Ident| name.to_string().starts_with(char::is_uppercase);
    let others = [
        "String", "Str", "Bytes", "List", "Tuple", "Set", "HashSet", "BTreeSet", "Few", "Option", "Ref",
        "Borrow",
    ];
    types::head_ident(ty).is_some_and(|name| plain(name) && !others.iter().any(|other| name == other))
}

fn parameter_name(pattern: &Pat, errors: &mut Errors) -> Option<Ident> {
    match pattern {
        Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.by_ref.is_none() => {
            Some(pattern.ident.clone())
        }
        other => {
            errors.error_at(
                other,
                "a parameter needs a name here, which callers use for keyword arguments",
            );
            None
        }
    }
}

fn rewrite_type(ty: &Type, own: &TokenStream, errors: &mut Errors) -> Type {
    let tokens = types::elide_lifetimes(types::without_self(ty, own));
    errors
        .ok_or_record(syn::parse2(tokens))
        .unwrap_or(Type::Verbatim(quote!(_)))
}

/// Where the return type is written; the whole call, when none is.
pub(crate) fn returned_at(output: &ReturnType) -> Span {
    match output {
        ReturnType::Default => Span::call_site(),
        ReturnType::Type(_, ty) => ty.span().resolved_at(Span::call_site()),
    }
}

/// The return type, if one is written.
pub(crate) fn output_type(output: &ReturnType) -> Option<syn::Type> {
    match output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some((**ty).clone()),
    }
}

/// The return type as written; `()` when none is. That of an `async fn` is marked, and an object of
/// any type is one of the `base`.
pub(crate) fn return_text(signature: &syn::Signature, base: Option<&Type>, errors: &mut Errors) -> String {
    let mut returns = returned_type(&signature.output);
    if let Some(base) = base {
        let named = ["ErasedRef", "ErasedBorrow<'_>"]
            .iter()
            .find(|erased| returns.contains(*erased));
        match named {
            Some(erased) => returns = returns.replace(erased, &format!("Ref<{}>", types::source_text(base))),
            None => errors.error_at(
                base,
                "`#[base(…)]` says what an `ErasedRef` in the result is; there is none",
            ),
        }
    }
    match signature.asyncness {
        Some(_) => format!("__Coroutine<{returns}>"),
        None => returns,
    }
}

fn returned_type(output: &ReturnType) -> String {
    match output {
        ReturnType::Default => "()".to_owned(),
        ReturnType::Type(_, ty) => types::source_text(ty.to_token_stream()),
    }
}
