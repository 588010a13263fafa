//! The members that Python sees of a node: `tree(parent: Node, children, detach = extract)`.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Token, Type};

use super::Object;
use crate::errors::Errors;
use crate::{names, types};

/// One word of the list: `parent`, `descendants`, `detach`, `erase`, or a field `Children`.
pub(super) struct TreeMember {
    what: Ident,
    /// The type of the parent, or of the descendants; others are passed over.
    ty: Option<Type>,
    /// The name that Python uses.
    name: Ident,
}

impl Parse for TreeMember {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let what = input.call(Ident::parse_any)?;
        let ty = input.parse::<Option<Token![:]>>()?;
        let ty = ty.map(|_| input.parse()).transpose()?;
        let name = input.parse::<Option<Token![=]>>()?;
        let name = name.map(|_| input.call(Ident::parse_any)).transpose()?;
        let name = name.unwrap_or_else(|| what.clone());
        Ok(TreeMember { what, ty, name })
    }
}

pub(super) fn check_tree_members(object: &Object, errors: &mut Errors) {
    for member in &object.options.tree_members {
        let (what, plain) = (&member.what, names::without_raw(&member.name));
        names::check_name(&plain, &member.name, "choose another", errors);
        let typed = what == "parent" || what == "descendants";
        let is_list = object.fields_of("Children").any(|field| field.ident == *what);
        if !typed && !is_list && what != "detach" && what != "erase" {
            let message = "the members of a node are `parent`, `descendants`, `detach`, `erase`, and its fields `Children`, each with `= name` for another name in Python";
            errors.error_at(what, message);
        }
        if let Some(ty) = member.ty.as_ref().filter(|_| !typed) {
            errors.error_at(ty, "only `parent` and `descendants` are limited to a type");
        }
    }
}

/// The methods and properties, for a generated block of methods.
pub(super) fn expand_members(object: &Object) -> TokenStream {
    let members = &object.options.tree_members;
    members
        .iter()
        .map(|member| expand_member(object, member))
        .collect()
}

fn expand_member(object: &Object, member: &TreeMember) -> TokenStream {
    let (krate, own, name, what) = (&object.options.krate, object.own(), &member.name, &member.what);
    let (reference, erased) = (
        krate.object_path(quote!(Ref)),
        krate.object_path(quote!(ErasedRef)),
    );
    let (node, error) = (krate.internal_path(quote!(tree::TreeNode)), krate.error_path());
    let (function, python) = (format_ident!("__tree_{what}"), names::without_raw(name));
    let found = member.ty.as_ref().map_or(erased, |ty| quote!(#reference<#ty>));
    let result = |ok: TokenStream| quote!(::core::result::Result<#ok, #error>);
    let (doc, getter, output, body) = match &*what.to_string() {
        "parent" => {
            let call = member
                .ty
                .as_ref()
                .map_or(quote!(parent), |ty| quote!(parent_as::<#ty>));
            let doc = "The node that this one stands in, or `None`.";
            (
                doc,
                true,
                quote!(::core::option::Option<#found>),
                quote!(#node::#call(&this)),
            )
        }
        "descendants" => {
            let call = member
                .ty
                .as_ref()
                .map_or(quote!(all_descendants), |ty| quote!(all_descendants_as::<#ty>));
            let doc = "All nodes below this one, each before those that stand in it.";
            let body = quote!(#node::#call(&this));
            (doc, false, quote!(::std::vec::Vec<#found>), body)
        }
        "detach" => {
            let doc = "Takes the node out of the one that it stands in, and returns it.";
            let body = quote!(#node::detach(&this)?; ::core::result::Result::Ok(this));
            (doc, false, result(quote!(#reference<#own>)), body)
        }
        "erase" => {
            let doc = "Erases the node with all that stands in it: what still refers to one of these raises `InvalidatedError`.";
            (doc, false, result(quote!(())), quote!(#node::erase(&this)))
        }
        _ => {
            let list = object.fields_of("Children").find(|field| field.ident == *what);
            let child = list
                .and_then(|field| types::content_of(&field.ty, "Children"))
                .map(ToTokens::to_token_stream);
            let body = quote!(#node::list(&this, |node| &node.#what).to_vec());
            let doc = "The nodes that stand in this one, in their order.";
            (doc, true, quote!(::std::vec::Vec<#reference<#child>>), body)
        }
    };
    let mark = if getter {
        quote!(#[getter(#name)])
    } else {
        quote!(#[name(#python)])
    };
    quote! {
        #[doc = #doc]
        #mark
        fn #function(this: #reference<#own>) -> #output {
            #body
        }
    }
}
