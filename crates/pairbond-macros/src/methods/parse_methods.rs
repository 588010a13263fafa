//! Reads an impl block and takes the helper attributes off its methods.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, PatType, ReturnType, Type};

use super::marks::Marks;
use super::{Kind, Method, Methods, Output, Receiver, overridable, protocols};
use crate::errors::Errors;
use crate::paths::Krate;
use crate::signature::{Signature, check_function, output_type, parse_parameters, return_text, returned_at};
use crate::{attrs, docs, names, types};

pub(super) fn parse_methods(
    krate: Krate,
    number: usize,
    block: &mut ItemImpl,
    errors: &mut Errors,
) -> Methods {
    if let Some((_, path, _)) = &block.trait_ {
        errors.error_at(
            path,
            "Python calls inherent methods; expose those of a trait by an `impl` block that calls them",
        );
        return Methods {
            krate,
            block: number,
            own: (*block.self_ty).clone(),
            methods: Vec::new(),
        };
    }
    if !block.generics.params.is_empty() || block.generics.where_clause.is_some() {
        errors.error_at(
            &block.generics,
            "a pairbond object is one class, so its methods are not generic",
        );
    }
    let own = (*block.self_ty).clone();
    let class = types::head_ident(&own)
        .map(names::without_raw)
        .unwrap_or_default();
    if class.is_empty() {
        errors.error_at(&own, "write the name of the type here");
    }
    let tokens = own.to_token_stream();
    let (mut methods, mut dispatching) = (Vec::new(), Vec::new());
    for item in &mut block.items {
        let ImplItem::Fn(item) = item else { continue };
        let Some((mut method, overridable)) = parse_method(item, &tokens, errors) else {
            continue;
        };
        if let Some(at) = overridable
            && overridable::check_overridable(&method, &at, errors)
        {
            dispatching.push(overridable::split_method(&krate, &tokens, item, &mut method));
        }
        methods.push(method);
    }
    block
        .items
        .extend(dispatching.into_iter().map(ImplItem::Verbatim));
    Methods {
        krate,
        block: number,
        own,
        methods,
    }
}

/// The method, and the mark if it can be overridden.
fn parse_method(
    item: &mut ImplItemFn,
    own: &TokenStream,
    errors: &mut Errors,
) -> Option<(Method, Option<Attribute>)> {
    let marks = Marks::take_marks(item, errors);
    if marks.hidden {
        for mark in &marks.others {
            errors.error_at(
                mark,
                "a `#[hidden]` method is not shown to Python, so this says nothing",
            );
        }
        return None;
    }
    check_function(&item.sig, errors);
    let receiver = parse_receiver(&item.sig.inputs, own, errors);
    let kind = marks.method_kind(receiver, item, errors);
    if let Some(token) = &item.sig.asyncness {
        let is_method = matches!(kind, Kind::Instance(_) | Kind::Class | Kind::Static);
        if kind == Kind::Instance(Receiver::Borrow) {
            errors.error_at(token, "a borrowed handle cannot outlive the call; take `&self`, which an `async fn` keeps while it runs");
        }
        if !is_method || marks.detach || marks.overridable.is_some() {
            let message = "only an ordinary method can be an `async fn`, and it is neither `#[detach]` nor `#[overridable]`";
            errors.error_at(token, message);
        }
    }
    let skip = usize::from(receiver.is_some());
    let parameters = parse_parameters(item.sig.inputs.iter_mut().skip(skip), own, errors);

    let ident = item.sig.ident.clone();
    let (name, name_at) = marks.python_name(kind, &ident, errors);
    let name = match kind {
        Kind::Constructor => "__new__".to_owned(),
        _ => name,
    };
    let binding = match kind {
        Kind::Constructor => "Constructor",
        Kind::Static => "Static",
        Kind::Class => "Class",
        Kind::ClassGetter => "ClassGetter",
        Kind::Instance(_) | Kind::Getter(_) | Kind::Setter(_) => "Instance",
    };
    let operator =
        protocols::find_protocol(&name).is_some_and(|protocol| protocols::is_operator(protocol.shown));
    let signature = Signature {
        name,
        owner: Some(own.clone()),
        doc: docs::doc_of(&item.attrs),
        binding,
        parameters,
        returns: return_text(&item.sig, marks.base.as_ref(), errors),
        output: output_type(&item.sig.output),
        returns_at: returned_at(&item.sig.output),
        detach: marks.detach,
        is_async: item.sig.asyncness.is_some(),
        operator,
    };
    let output = parse_output(&item.sig.output, own);
    let method = Method {
        ident,
        name_at,
        cfgs: attrs::cfgs_of(&item.attrs),
        kind,
        signature,
        output,
    };
    Some((method, marks.overridable))
}

fn parse_receiver<'i>(
    inputs: impl IntoIterator<Item = &'i FnArg>,
    own: &TokenStream,
    errors: &mut Errors,
) -> Option<Receiver> {
    const BORROW: &str =
        "write `this: Borrow<'_, Self>` or `this: Ref<Self>` for the receiver as a handle, or `&self`";
    match inputs.into_iter().next()? {
        FnArg::Receiver(receiver) if receiver.colon_token.is_some() => errors.error_at(receiver, BORROW),
        FnArg::Receiver(receiver) if receiver.reference.is_none() => {
            errors.error_at(
                receiver,
                "a method cannot consume its object, which others refer to; take `&self`",
            );
        }
        FnArg::Receiver(receiver) if receiver.mutability.is_some() => {
            errors.error_at(receiver, "objects are shared, so nobody has `&mut self`; take `&self` and keep what changes in a `Cell`");
        }
        FnArg::Receiver(_) => return Some(Receiver::Reference),
        FnArg::Typed(PatType { pat, ty, .. }) => {
            if !matches!(&**pat, Pat::Ident(pattern) if pattern.ident == "this") {
                return None;
            }
            let is = |head| types::content_of(ty, head).is_some_and(|inner| is_own(inner, own));
            if is("Ref") {
                return Some(Receiver::Owned);
            }
            if !is("Borrow") {
                errors.error_at(ty, BORROW);
            }
        }
    }
    // After an error too, so that the first parameter is not judged a second time.
    Some(Receiver::Borrow)
}

fn is_own(ty: &Type, own: &TokenStream) -> bool {
    types::is_type(ty, "Self") || types::source_text(types::peel_type(ty)) == types::source_text(own)
}

fn parse_output(output: &ReturnType, own: &TokenStream) -> Output {
    let ReturnType::Type(_, ty) = output else {
        return Output::Unit;
    };
    match types::content_of(ty, "Result") {
        _ if types::is_unit(ty) => Output::Unit,
        _ if is_own(ty, own) => Output::Own,
        Some(inner) if types::is_unit(inner) => Output::UnitResult,
        Some(inner) if is_own(inner, own) => Output::OwnResult,
        _ if ["Option", "Vec"]
            .iter()
            .any(|name| types::content_of(ty, name).is_some_and(|t| is_own(t, own))) =>
        {
            Output::OwnInside
        }
        _ => Output::Other,
    }
}
