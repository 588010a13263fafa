//! The constant `SIGNATURE`, and the statements that convert arguments.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Kind, Parameter, Presence, Signature};
use crate::paths::Krate;

impl Signature {
    /// A `class::Signature`.
    pub(crate) fn signature_constant(&self, krate: &Krate) -> TokenStream {
        let qualified = self.qualified_name(krate);
        let Signature {
            name,
            doc,
            binding,
            parameters,
            returns,
            detach,
            ..
        } = self;
        let (signature, binding_type) = (
            krate.class_path(quote!(Signature)),
            krate.class_path(quote!(Binding)),
        );
        let binding = format_ident!("{binding}");
        let parameters = parameters
            .iter()
            .map(|parameter| parameter.parameter_constant(krate));
        quote! {
            #signature {
                name: #name,
                qualified: #qualified,
                doc: #doc,
                binding: #binding_type::#binding,
                parameters: &[#(#parameters),*],
                returns: #returns,
                detach: #detach,
            }
        }
    }

    /// `fn visit_types`, if the signature mentions types that could be those of objects.
    pub(crate) fn visit_types_fn(&self, krate: &Krate, own: &TokenStream) -> TokenStream {
        let all = self.parameters.iter().map(|parameter| &parameter.ty);
        crate::mentions::types_mentioned(krate, "visit_types", own, all.chain(&self.output))
    }

    /// The name for messages, as a constant expression.
    pub(crate) fn qualified_name(&self, krate: &Krate) -> TokenStream {
        let name = &self.name;
        let Some(owner) = &self.owner else {
            return quote!(#name);
        };
        let object = krate.object_path(quote!(Object));
        let [len, qualify, text] = ["qualified_len", "qualify_name", "qualified_text"].map(|function| {
            let function = format_ident!("{function}");
            krate.class_path(quote!(#function))
        });
        // A constructor is called by the name of its class.
        let name = if self.binding == "Constructor" { "" } else { name };
        quote! {{
            const KEY: &str = <#owner as #object>::KEY;
            const TEXT: [u8; #len(KEY, #name)] = #qualify(KEY, #name);
            #text(&TEXT)
        }}
    }

    /// The call itself, with other threads of the frontend running meanwhile if that was asked for.
    pub(crate) fn invoke_expr(&self, krate: &Krate, call: TokenStream) -> TokenStream {
        if self.is_async {
            // It owns the arguments, and a receiver.
            return quote!(async move { #call.await });
        }
        if !self.detach {
            return call;
        }
        let (detached, may_detach) = (
            krate.class_path(quote!(detached_call)),
            krate.class_path(quote!(may_detach)),
        );
        let checks = self.parameters.iter().map(|Parameter { ty, .. }| {
            quote_spanned!(ty.span().resolved_at(Span::call_site())=> #may_detach::<#ty>();)
        });
        quote!({ #(#checks)* #detached(|| #call) })
    }

    /// Gives `result` to the sink.
    pub(crate) fn finish_expr(&self, krate: &Krate, result: &dyn ToTokens, out: &Ident) -> TokenStream {
        if self.is_async {
            let (coroutine, callable) = (
                krate.class_path(quote!(write_coroutine)),
                krate.class_path(quote!(Callable)),
            );
            let name = quote!(<Self as #callable>::SIGNATURE.qualified);
            return quote_spanned!(self.returns_at=> #coroutine(#name, #result, #out));
        }
        // The end of an iteration is not the value `None`.
        let finish = if self.name == "__next__" {
            quote!(Step::write_step)
        } else {
            quote!(Outcome::write_outcome)
        };
        let finish = krate.convert_path(finish);
        quote_spanned!(self.returns_at=> #finish(#result, #out))
    }

    /// Makes the call and gives its result to the sink.
    pub(crate) fn call_and_finish(&self, krate: &Krate, call: &TokenStream, out: &Ident) -> TokenStream {
        // The compiler underlines the variable when the type is wrong, so it lies where the type is
        // written.
        let result = Ident::new("result", self.returns_at.resolved_at(Span::mixed_site()));
        let finish = self.finish_expr(krate, &result, out);
        quote!(let #result = #call; #finish)
    }

    /// One `let` for each parameter, and the names they introduce.
    pub(crate) fn argument_lets(&self, krate: &Krate, args: &Ident) -> (TokenStream, Vec<Ident>) {
        let names: Vec<Ident> = (0..self.parameters.len())
            .map(|i| local_name(&format!("argument{i}")))
            .collect();
        let lets = self
            .parameters
            .iter()
            .zip(&names)
            .enumerate()
            .map(|(index, (parameter, name))| {
                let ty = &parameter.ty;
                let value = parameter.conversion_expr(index, krate, args, name, self.operator);
                match parameter.presence {
                    // It is put where it is.
                    Presence::Optional if !self.operator => {
                        quote!(let mut #name: #ty = ::core::option::Option::None; #value?;)
                    }
                    _ => quote!(let #name: #ty = #value?;),
                }
            });
        (lets.collect(), names)
    }
}

impl Parameter {
    fn parameter_constant(&self, krate: &Krate) -> TokenStream {
        let Parameter { name, rust_type, .. } = self;
        let (parameter, kinds) = (
            krate.class_path(quote!(Parameter)),
            krate.class_path(quote!(ParameterKind)),
        );
        let kind = match self.kind {
            Kind::Standard => quote!(Standard),
            Kind::KeywordOnly => quote!(KeywordOnly),
            Kind::Rest => quote!(Rest),
            Kind::RestKeywords => quote!(RestKeywords),
        };
        let default = match &self.presence {
            Presence::Required | Presence::Rest => quote!(::core::option::Option::None),
            Presence::Optional => quote!(::core::option::Option::Some("None")),
            Presence::Default { text, .. } => quote!(::core::option::Option::Some(#text)),
        };
        quote!(#parameter { name: #name, kind: #kinds::#kind, default: #default, rust_type: #rust_type })
    }

    /// Spans of the type, so that a type that does not convert is what the compiler underlines.
    fn conversion_expr(
        &self,
        index: usize,
        krate: &Krate,
        args: &Ident,
        place: &Ident,
        operator: bool,
    ) -> TokenStream {
        let ty = &self.ty;
        let span = ty.span().resolved_at(Span::call_site());
        let callable = krate.class_path(quote!(Callable));
        let call = |function: Ident, generic: &dyn ToTokens, default: TokenStream| {
            let function = krate.class_path(function.into_token_stream());
            quote_spanned!(span=> #function::<#generic, __A>(#args, #index, &<Self as #callable>::SIGNATURE #default))
        };
        match &self.presence {
            Presence::Required | Presence::Optional if operator => {
                call(format_ident!("read_operand"), ty, quote!())
            }
            Presence::Required => call(format_ident!("required_arg"), ty, quote!()),
            Presence::Optional => call(
                format_ident!("optional_arg"),
                &self.content_type(),
                quote!(, &mut #place),
            ),
            Presence::Default { value, .. } => call(format_ident!("or_else"), ty, quote!(, || #value)),
            Presence::Rest if self.kind == Kind::RestKeywords && !self.is_map() => {
                call(format_ident!("rest_record"), ty, quote!())
            }
            Presence::Rest if self.kind == Kind::RestKeywords => call(
                format_ident!("or_else"),
                ty,
                quote!(, ::core::default::Default::default),
            ),
            Presence::Rest => call(format_ident!("rest_args"), &self.content_type(), quote!()),
        }
    }

    fn is_map(&self) -> bool {
        super::MAPS.iter().any(|map| crate::types::is_type(&self.ty, map))
    }

    /// `T` of `Option<T>` or `Vec<T>`.
    fn content_type(&self) -> &syn::Type {
        crate::types::type_arguments(&self.ty)
            .first()
            .copied()
            .unwrap_or(&self.ty)
    }
}

/// A local that neither sees nor shadows what the user wrote.
pub(crate) fn local_name(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
