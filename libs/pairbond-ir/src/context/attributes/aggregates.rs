//! Arrays, dictionaries, symbol references.

use std::marker::PhantomData;

use pairbond::prelude::*;

use super::{Attribute, AttributeHead};
use crate::class::cast_to_class;
use crate::context::types::Type;
use crate::context::{Context, are_identical, context_or_current, implied_context, same_context};
use crate::error;
use crate::fast::{FastMap, object_address};
use crate::list_argument::{self, ForArray};
use crate::slices::{Key, Picked, pick_elements, resolve_index};

class! {
    /// Attributes in order.
    ArrayAttr: Attribute = "pairbond_ir.ArrayAttr"
}
class! {
    /// Attributes by name.
    DictAttr: Attribute = "pairbond_ir.DictAttr"
}
class! {
    /// The name of a symbol, from outside to inside.
    SymbolRefAttr: Attribute = "pairbond_ir.SymbolRefAttr"
}
class! {
    /// The name of a symbol, which is one word.
    FlatSymbolRefAttr: Attribute = "pairbond_ir.FlatSymbolRefAttr"
}

/// An attribute under a name.
#[pairbond::object("pairbond_ir.NamedAttribute", opaque)]
pub struct NamedAttribute {
    #[field]
    name: Str,
    #[field]
    attr: Ref<Attribute>,
}

impl NamedAttribute {
    /// Both together.
    #[must_use]
    pub fn from_parts(name: Str, attr: Ref<Attribute>) -> Ref<Self> {
        Ref::new(NamedAttribute { name, attr })
    }
}

#[pairbond::methods]
impl NamedAttribute {
    fn __repr__(&self) -> String {
        format!("NamedAttribute({}={})", self.name, self.attr)
    }
}

/// The context that was named, or else that of the first attribute, or else the current one; all
/// attributes must be of it.
pub(super) fn common_context(
    context: Option<Ref<Context>>,
    attributes: &[Ref<Attribute>],
) -> Result<Ref<Context>> {
    let own = || attributes.first().map(|it| it.context().clone());
    let context = context.map_or_else(|| implied_context(own(), "an attribute"), Ok)?;
    attributes
        .iter()
        .try_for_each(|it| same_context(&context, it.context(), "an attribute"))?;
    Ok(context)
}

#[pairbond::methods]
impl ArrayAttr {
    #[classmethod]
    fn get(
        attributes: list_argument::Vec<Ref<Attribute>, ForArray>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<ArrayAttr>> {
        let list_argument::Vec(attributes, _) = attributes;
        let context = common_context(context, &attributes)?;
        let made = Attribute::new(&context, AttributeHead::Array, Vec::new(), attributes);
        Ok(cast_to_class(made))
    }

    fn __len__(&self) -> usize {
        self.base.attributes().len()
    }

    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Attribute>, Vec<Ref<Attribute>>>> {
        pick_elements(self.base.attributes(), &key, "ArrayAttribute")
    }

    fn __reversed__(&self) -> Vec<Ref<Attribute>> {
        self.base.attributes().iter().rev().cloned().collect()
    }

    fn __iter__(&self) -> Vec<Ref<Attribute>> {
        self.base.attributes().to_vec()
    }

    fn __add__(&self, other: Vec<Ref<Attribute>>) -> Result<Ref<ArrayAttr>> {
        let all = self.base.attributes().iter().cloned().chain(other);
        let all = list_argument::Vec(all.collect(), PhantomData);
        ArrayAttr::get(all, Some(self.base.context().clone()))
    }
}

/// A dictionary: ordered by name.
///
/// # Errors
/// `IRError`: a name occurs twice.
pub(crate) fn dictionary_attr(
    context: &Ref<Context>,
    mut entries: Vec<(Str, Ref<Attribute>)>,
) -> Result<Ref<Attribute>> {
    if entries.is_empty() {
        return Ok(Context::no_attributes(context));
    }
    // Without a buffer: equal names are an error.
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(error::ir_error(format!(
            "duplicate key '{}' in dictionary attribute",
            pair[0].0
        )));
    }
    sorted_dictionary(context, entries.into_iter())
}

/// A dictionary of entries that are ordered by name, each of which occurs once.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn sorted_dictionary(
    context: &Ref<Context>,
    entries: impl ExactSizeIterator<Item = (Str, Ref<Attribute>)>,
) -> Result<Ref<Attribute>> {
    let (mut names, mut attributes) = (Vec::new(), Vec::new());
    names.try_reserve_exact(entries.len())?;
    attributes.try_reserve_exact(entries.len())?;
    for (name, attribute) in entries {
        names.push(name);
        attributes.push(attribute);
    }
    let head = AttributeHead::Dictionary(names.into_boxed_slice());
    Ok(Attribute::new(context, head, Vec::new(), attributes))
}

impl DictAttr {
    fn entry_names(&self) -> &[Str] {
        names_of(&self.base)
    }
}

/// The names of a dictionary; of anything else none.
pub(crate) fn names_of(attribute: &Attribute) -> &[Str] {
    match attribute.head() {
        AttributeHead::Dictionary(names) => names,
        _ => &[],
    }
}

/// Returns the entry of a dictionary under a name.
pub(crate) fn find_entry<'a>(dictionary: &'a Attribute, name: &str) -> Option<&'a Ref<Attribute>> {
    let found = names_of(dictionary)
        .binary_search_by(|it| (**it).cmp(name))
        .ok()?;
    Some(&dictionary.attributes()[found])
}

#[pairbond::methods]
impl DictAttr {
    #[classmethod]
    fn get(
        #[default(None)] value: Option<std::collections::BTreeMap<Str, Ref<Attribute>>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<DictAttr>> {
        let entries = value.unwrap_or_default();
        let all: Vec<_> = entries.values().cloned().collect();
        let context = common_context(context, &all)?;
        dictionary_attr(&context, entries.into_iter().collect()).map(cast_to_class)
    }

    fn __len__(&self) -> usize {
        self.entry_names().len()
    }

    fn __contains__(&self, name: &str) -> bool {
        find_entry(&self.base, name).is_some()
    }

    /// By name, or the entry at a place.
    fn __getitem__(&self, key: Any) -> Result<Any> {
        if let Any::Str(name) = &key {
            let found = find_entry(&self.base, name).cloned();
            return found.map(Any::from).ok_or_else(|| Error::key_error(&**name));
        }
        let place = resolve_index(key.to::<i64>()?, self.entry_names().len(), "dictionary attribute")?;
        let name = self.entry_names()[place].clone();
        Ok(NamedAttribute::from_parts(name, self.base.attributes()[place].clone()).into())
    }

    fn __iter__(&self) -> Vec<Str> {
        self.entry_names().to_vec()
    }

    fn keys(&self) -> Vec<Str> {
        self.__iter__()
    }

    fn values(&self) -> Vec<Ref<Attribute>> {
        self.base.attributes().to_vec()
    }

    fn items(&self) -> Vec<(Str, Ref<Attribute>)> {
        self.__iter__().into_iter().zip(self.values()).collect()
    }
}

/// A reference to a symbol.
pub(crate) fn symbol_ref(context: &Ref<Context>, path: Vec<Box<str>>) -> Ref<Attribute> {
    Attribute::without_parts(context, AttributeHead::SymbolRef(path.into_boxed_slice()))
}

/// Replaces the name at the beginning of symbol references, also of those in nested attributes.
pub(crate) fn rename_symbol_refs(it: &Ref<Attribute>, old: &str, new: &Ref<Attribute>) -> Ref<Attribute> {
    let mut renaming = Renaming {
        old,
        new,
        attributes: FastMap::default(),
        types: FastMap::default(),
    };
    renaming.rename_in_attribute(it)
}

/// The results for parts by their address: they may be shared.
struct Renaming<'a> {
    old: &'a str,
    new: &'a Ref<Attribute>,
    attributes: FastMap<usize, Ref<Attribute>>,
    types: FastMap<usize, Ref<Type>>,
}

impl Renaming<'_> {
    fn rename_in_attribute(&mut self, it: &Ref<Attribute>) -> Ref<Attribute> {
        if let (AttributeHead::SymbolRef(path), AttributeHead::SymbolRef(name)) = (it.head(), self.new.head())
            && *path[0] == *self.old
        {
            return symbol_ref(it.context(), name.iter().chain(&path[1..]).cloned().collect());
        }
        if it.attributes().is_empty() && it.types().is_empty() {
            return it.clone();
        }
        if let Some(known) = self.attributes.get(&object_address(it)) {
            return known.clone();
        }
        let (types, attributes) = self.rename_in_parts(it.types(), it.attributes());
        let made = match are_identical(&attributes, it.attributes()) && are_identical(&types, it.types()) {
            true => it.clone(),
            false => Attribute::new(it.context(), it.head().clone(), types, attributes),
        };
        self.attributes.insert(object_address(it), made.clone());
        made
    }

    fn rename_in_type(&mut self, it: &Ref<Type>) -> Ref<Type> {
        if it.attributes().is_empty() && it.types().is_empty() {
            return it.clone();
        }
        if let Some(known) = self.types.get(&object_address(it)) {
            return known.clone();
        }
        let (types, attributes) = self.rename_in_parts(it.types(), it.attributes());
        let made = match are_identical(&attributes, it.attributes()) && are_identical(&types, it.types()) {
            true => it.clone(),
            false => Type::new(it.context(), it.head().clone(), types, attributes),
        };
        self.types.insert(object_address(it), made.clone());
        made
    }

    fn rename_in_parts(
        &mut self,
        types: &[Ref<Type>],
        attributes: &[Ref<Attribute>],
    ) -> (Vec<Ref<Type>>, Vec<Ref<Attribute>>) {
        crate::recursion::with_stack(|| {
            let types = types.iter().map(|it| self.rename_in_type(it)).collect();
            let attributes = attributes.iter().map(|it| self.rename_in_attribute(it)).collect();
            (types, attributes)
        })
    }
}

fn symbol_path(attribute: &Attribute) -> Vec<Str> {
    match attribute.head() {
        AttributeHead::SymbolRef(path) => path.iter().map(|name| Str::from(&**name)).collect(),
        _ => Vec::new(),
    }
}

#[pairbond::methods]
impl SymbolRefAttr {
    #[classmethod]
    fn get(symbols: Vec<String>, context: Option<Ref<Context>>) -> Result<Ref<Attribute>> {
        if symbols.is_empty() {
            return Err(error::ir_error("a symbol reference needs a name"));
        }
        Ok(symbol_ref(
            &context_or_current(context)?,
            symbols.into_iter().map(Into::into).collect(),
        ))
    }

    #[getter]
    fn value(&self) -> Vec<Str> {
        symbol_path(&self.base)
    }
}

#[pairbond::methods]
impl FlatSymbolRefAttr {
    #[classmethod]
    fn get(value: &str, context: Option<Ref<Context>>) -> Result<Ref<FlatSymbolRefAttr>> {
        Ok(cast_to_class(symbol_ref(
            &context_or_current(context)?,
            vec![value.into()],
        )))
    }

    #[getter]
    fn value(&self) -> Str {
        symbol_path(&self.base).swap_remove(0)
    }
}
