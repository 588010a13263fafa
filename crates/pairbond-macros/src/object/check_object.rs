//! Checks of a struct that is to become an object type.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Meta, Path, Token, parse_quote};

use super::{Field, Object};
use crate::errors::Errors;
use crate::types;

pub(super) fn check_object(object: &mut Object, errors: &mut Errors) {
    check_tree(object, errors);
    super::tree::check_tree_members(object, errors);
    check_generics(object, errors);
    check_options(object, errors);
    check_names(object, errors);
    let has_c = check_layout(object, errors);
    if let Some(parent) = object.options.extends.clone() {
        check_base(object, &parent, errors);
        if !has_c {
            // The parent's fields must come first in memory, which only `repr(C)` promises.
            object.item.attrs.push(parse_quote!(#[repr(C)]));
        }
    }
    if object.options.native {
        for field in object.fields.iter().filter(|field| field.exposed.is_some()) {
            errors.error_at(
                &field.ident,
                "a `native` object is not shown to Python, so no `#[field]` of it is",
            );
        }
    }
}

/// A node has one place; its lists are fields of its own, and of the types that it extends.
fn check_tree(object: &Object, errors: &mut Errors) {
    let links: Vec<_> = object.fields_of("Links").collect();
    if !object.options.tree {
        if let Some(name) = &object.options.name {
            errors.error_at(
                name,
                "`name = function` is what errors call a node of a tree; it belongs to `tree`",
            );
        }
        let lists = object.fields_of("Children");
        if object.options.extends.is_some() && links.is_empty() {
            lists.for_each(|field| place_or_list(field, errors));
            return;
        }
        for field in links.iter().copied().chain(lists) {
            errors.error_at(
                &field.ident,
                "a node of a tree says so: `#[pairbond::object(\"module.Name\", tree)]`",
            );
        }
        return;
    }
    if object.options.extends.is_some() {
        errors.error_at(
            object.ident(),
            "what extends a node is one; `tree` belongs to the type that has the `Links`",
        );
    }
    match &*links {
        [] => errors.error_at(object.ident(), "a node of a tree has a field `links: Links`"),
        [_] => {}
        [_, second, ..] => errors.error_at(
            &second.ident,
            "a node has one place in one tree: this is a second `Links`",
        ),
    }
    for field in links.iter().copied().chain(object.fields_of("Children")) {
        place_or_list(field, errors);
    }
}

/// `Links` or `Children`, of a node.
fn place_or_list(field: &Field, errors: &mut Errors) {
    if let Some(cfg) = field.cfgs.first() {
        errors.error_at(
            cfg,
            "the place and the lists of a node cannot depend on a `#[cfg]`",
        );
    }
    if field.exposed.is_some() {
        errors.error_at(
            &field.ident,
            "`Links` and `Children` are no values: show what they hold by methods",
        );
    }
}

fn check_generics(object: &Object, errors: &mut Errors) {
    let generics = &object.item.generics;
    if generics.params.is_empty() && (generics.lt_token.is_some() || generics.where_clause.is_some()) {
        let message = "a pairbond object is one class, so it has neither type parameters nor lifetimes; \
                       own what it refers to, or hold a `Ref<T>` of it";
        match &generics.where_clause {
            Some(clause) if generics.lt_token.is_none() => errors.error_at(clause, message),
            _ => errors.error_at(generics, message),
        }
    }
}

fn check_options(object: &Object, errors: &mut Errors) {
    let options = &object.options;
    if object.item.generics.params.is_empty()
        && let Some((name, _)) = options.arguments.first()
    {
        errors.error_at(name, format!("`{name}` is no parameter here"));
    }
    if options.sealed && !options.attributes.is_empty() {
        errors.error_at(
            object.ident(),
            "objects of a `sealed` class take no attributes, so it cannot say `attributes`",
        );
    }
    if options.native && (options.repr || !options.attributes.is_empty()) {
        errors.error_at(
            object.ident(),
            "a `native` object is not shown to Python, so it has neither `repr` nor `attributes`",
        );
    }
    for (name, _) in &options.attributes {
        if object.fields.iter().any(|field| field.name() == Some(name)) {
            errors.error_at(
                object.ident(),
                format!("`{name}` is a field already; leave it out of `attributes`"),
            );
        }
    }
}

fn check_names(object: &Object, errors: &mut Errors) {
    // With `#[cfg]` one of two may be absent.
    let exposed = || object.fields.iter().filter(|field| field.cfgs.is_empty());
    for (i, field) in exposed().enumerate() {
        let Some(name) = field.name() else { continue };
        if exposed().take(i).any(|other| other.name() == Some(name)) {
            errors.error_at(
                &field.ident,
                format!("another field is called `{name}` in Python"),
            );
        }
    }
}

/// Whether the struct is `repr(C)` already; complains about what would make its fields impossible
/// to refer to.
fn check_layout(object: &Object, errors: &mut Errors) -> bool {
    let mut has_c = false;
    for attribute in object.item.attrs.iter().filter(|a| a.path().is_ident("repr")) {
        let Ok(words) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
            continue;
        };
        for word in words {
            has_c |= word.path().is_ident("C");
            if word.path().is_ident("packed") {
                errors.error_at(
                    word,
                    "a pairbond object cannot be packed: its fields are borrowed where they lie",
                );
            }
        }
    }
    has_c
}

fn check_base(object: &Object, parent: &Path, errors: &mut Errors) {
    let name = types::source_text(parent);
    let message = format!("with `extends = {name}` the first field is the parent: `base: {name}`");
    match object.fields.first() {
        // Paths may be written differently (`Node`, `ir::Node`); the expansion compares the types
        // themselves.
        Some(first) if types::head_ident(&first.ty) == parent.segments.last().map(|last| &last.ident) => {
            if let Some(cfg) = first.cfgs.first() {
                errors.error_at(cfg, "the parent cannot depend on a `#[cfg]`");
            }
            if first.untraced {
                errors.error_at(
                    &first.ident,
                    "the parent cannot be `#[untraced]`: it traces its own fields",
                );
            }
        }
        Some(first) => errors.error_at(first.ty.to_token_stream(), message),
        None => errors.error_at(object.ident(), message),
    }
}
