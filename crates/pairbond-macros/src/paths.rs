//! Where the expansion finds `pairbond`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// `::pairbond`, or what the option `crate = path` names (for tests, and for crates that re-export
/// pairbond).
#[derive(Clone, Default)]
pub(crate) struct Krate(pub(crate) Option<syn::Path>);

impl Krate {
    /// A path inside one of the modules that the facade re-exports for expansions.
    pub(crate) fn internal_path(&self, inside: TokenStream) -> TokenStream {
        quote!(#self::__private::#inside)
    }

    pub(crate) fn class_path(&self, item: TokenStream) -> TokenStream {
        self.internal_path(quote!(class::#item))
    }

    pub(crate) fn convert_path(&self, item: TokenStream) -> TokenStream {
        self.internal_path(quote!(convert::#item))
    }

    pub(crate) fn object_path(&self, item: TokenStream) -> TokenStream {
        self.internal_path(quote!(object::#item))
    }

    pub(crate) fn error_module(&self, item: TokenStream) -> TokenStream {
        self.internal_path(quote!(error::#item))
    }

    pub(crate) fn error_path(&self) -> TokenStream {
        self.internal_path(quote!(error::Error))
    }
}

impl ToTokens for Krate {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => tokens.extend(quote!(::pairbond)),
        }
    }
}
