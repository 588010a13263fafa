//! Reads the struct and takes the helper attributes off its fields.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Fields, Item, LitStr, Meta};

use super::{Exposed, Field, Object, Options};
use crate::errors::Errors;
use crate::{attrs, docs};

/// `None` when this is no struct with named fields.
pub(super) fn parse_object(options: Options, item: TokenStream, errors: &mut Errors) -> Option<Object> {
    let mut item = match errors.ok_or_record(syn::parse2::<Item>(item))? {
        Item::Struct(item) => item,
        other => {
            errors.error_at(other, "only a struct or an enum can be a pairbond object");
            return None;
        }
    };
    let fields = match &mut item.fields {
        Fields::Unit => Vec::new(),
        Fields::Named(named) => named
            .named
            .iter_mut()
            .filter_map(|field| self::parse_field(field, errors))
            .collect(),
        Fields::Unnamed(fields) => {
            errors.error_at(
                fields,
                "the fields of a pairbond object need names: Python reads them by name",
            );
            return None;
        }
    };
    let mut fields = fields;
    if options.get_all || options.set_all {
        for field in fields.iter_mut().filter(|field| field.exposed.is_none()) {
            let how = "give it another with `#[field(name = \"other\")]`";
            field.exposed = Some(Exposed {
                name: attrs::python_name(None, &field.ident, how, errors),
                settable: options.set_all && crate::types::is_type(&field.ty, "Cell"),
            });
        }
    }
    Some(Object {
        own: item.ident.to_token_stream(),
        doc: docs::doc_of(&item.attrs),
        options,
        item,
        fields,
    })
}

fn parse_field(field: &mut syn::Field, errors: &mut Errors) -> Option<Field> {
    let ident = field.ident.clone()?;
    let untraced = attrs::take_flag(&mut field.attrs, "untraced", errors).is_some();
    let transient = attrs::take_flag(&mut field.attrs, "transient", errors).is_some();
    let default = attrs::take_attribute(&mut field.attrs, "default", errors).and_then(|a| match &a.meta {
        Meta::Path(_) => Some(quote!(::core::default::Default::default())),
        _ => errors
            .ok_or_record(a.parse_args::<syn::Expr>())
            .map(ToTokens::into_token_stream),
    });
    let default = default.or_else(|| transient.then(|| quote!(::core::default::Default::default())));
    let exposed =
        attrs::take_attribute(&mut field.attrs, "field", errors).map(|a| parse_exposed(&a, &ident, errors));
    Some(Field {
        ident,
        ty: field.ty.clone(),
        cfgs: attrs::cfgs_of(&field.attrs),
        doc: docs::doc_of(&field.attrs),
        exposed,
        untraced,
        transient,
        default,
    })
}

/// `#[field]`, `#[field(get, set, name = "other")]`
fn parse_exposed(attribute: &Attribute, ident: &syn::Ident, errors: &mut Errors) -> Exposed {
    let (mut name, mut settable) = (None, false);
    if !matches!(attribute.meta, Meta::Path(_)) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                name = Some(meta.value()?.parse::<LitStr>()?);
            } else if meta.path.is_ident("set") {
                settable = true;
            } else if !meta.path.is_ident("get") {
                return Err(meta.error(
                    "a field has the options `get` (which is the default), `set` and `name = \"other\"`",
                ));
            }
            Ok(())
        });
        errors.ok_or_record(parsed);
    }
    let how = "give it another with `#[field(name = \"other\")]`";
    Exposed {
        name: attrs::python_name(name.as_ref(), ident, how, errors),
        settable,
    }
}

impl Field {
    /// The name that Python uses, if it sees the field.
    pub(super) fn name(&self) -> Option<&str> {
        self.exposed.as_ref().map(|exposed| &*exposed.name)
    }
}
