//! The macros of `pairbond`; use them from there, the expansion needs it.
//!
//! Each goes three steps: *parse* reads the item and takes the helper attributes off, *check* finds
//! every error and shows all of them at once, *expand* writes markers and constants that call into
//! `pairbond`. No decision is left to the expansion.

#![forbid(unsafe_code)]

mod attrs;
mod docs;
mod enumeration;
mod errors;
mod exception;
mod function;
mod generics;
mod layout;
mod mentions;
mod methods;
mod module;
mod names;
mod object;
mod origin;
mod paths;
mod record;
mod redirect;
mod signature;
mod types;

use proc_macro::TokenStream;

#[doc = include_str!("../docs/object.md")]
#[proc_macro_attribute]
pub fn object(arguments: TokenStream, item: TokenStream) -> TokenStream {
    object::expand_object(arguments.into(), item.into()).into()
}

#[doc = include_str!("../docs/layout.md")]
#[proc_macro_derive(Layout, attributes(pairbond))]
pub fn layout(item: TokenStream) -> TokenStream {
    layout::expand_layout(item.into()).into()
}

#[doc = include_str!("../docs/record.md")]
#[proc_macro_derive(Record, attributes(record))]
pub fn record(item: TokenStream) -> TokenStream {
    record::expand_record(item.into()).into()
}

#[doc = include_str!("../docs/methods.md")]
#[proc_macro_attribute]
pub fn methods(arguments: TokenStream, item: TokenStream) -> TokenStream {
    methods::expand_methods(arguments.into(), item.into()).into()
}

#[doc = include_str!("../docs/function.md")]
#[proc_macro_attribute]
pub fn function(arguments: TokenStream, item: TokenStream) -> TokenStream {
    function::expand_function(arguments.into(), item.into()).into()
}

#[doc = include_str!("../docs/exception.md")]
#[proc_macro_attribute]
pub fn exception(arguments: TokenStream, item: TokenStream) -> TokenStream {
    exception::expand_exception(arguments.into(), item.into()).into()
}

#[doc = include_str!("../docs/module.md")]
#[proc_macro]
pub fn module(input: TokenStream) -> TokenStream {
    module::expand_module(input.into()).into()
}
