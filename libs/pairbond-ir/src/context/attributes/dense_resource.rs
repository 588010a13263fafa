//! [`DenseResourceElementsAttr`]: numbers that lie elsewhere, under a name of the context.

use pairbond::prelude::*;
use pairbond::value::Number;

use super::buffers::{lend_buffer, no_buffer};
use super::elements::Element;
use super::{Attribute, AttributeHead, element_count};
use crate::class::cast_to_class;
use crate::context::same_context;
use crate::context::types::Type;

class! {
    /// Numbers that lie elsewhere, under a name.
    DenseResourceElementsAttr: Attribute = "pairbond_ir.DenseResourceElementsAttr"
}

#[pairbond::methods]
impl DenseResourceElementsAttr {
    /// An attribute of a buffer, which is not copied: the context keeps it, and later writes to it
    /// change the attribute. If several resources ask for the same name, each gets another, which
    /// `name` then returns.
    #[classmethod]
    fn get_from_buffer(
        array: Array,
        name: &str,
        r#type: Ref<Type>,
        #[default(None)] alignment: Option<u32>,
        #[default(false)] is_mutable: bool,
        #[default(None)] context: Option<Ref<crate::context::Context>>,
    ) -> Result<Ref<DenseResourceElementsAttr>> {
        let _ = is_mutable;
        if let Some(context) = &context {
            same_context(context, r#type.context(), "the type")?;
        }
        let Some(count) = element_count(r#type.head()) else {
            return Err(Error::value_error(
                "Constructing a DenseResourceElementsAttr requires a ShapedType.",
            ));
        };
        // Refuses what does not lie row after row.
        let bytes = array.reinterpret(
            u8::DTYPE,
            &[array.shape().iter().product::<usize>() * array.dtype().item_size()?],
        );
        let bytes = bytes.map_err(|_| Error::value_error("Contiguous buffer is required."))?;
        let wanted = Element::from_type(Type::element_or_self(&r#type))
            .and_then(|it| count.checked_mul(it.byte_size()));
        if wanted.is_some_and(|wanted| wanted != bytes.shape()[0]) {
            return Err(Error::value_error(format!(
                "the buffer has {} bytes, and not those of {}",
                bytes.shape()[0],
                r#type
            )));
        }
        let alignment = alignment.unwrap_or(array.dtype().item_size()?.next_power_of_two() as u32);
        if !alignment.is_power_of_two() {
            return Err(Error::value_error("the alignment must be a power of two"));
        }
        let context = r#type.context();
        let name = context.declare_resource(name);
        context.define_resource(&name, bytes, alignment);
        Ok(cast_to_class(Attribute::with_type(
            AttributeHead::DenseResource(name),
            r#type,
        )))
    }

    /// The name of the data in the context.
    #[getter]
    fn name(&self) -> &str {
        match self.base.head() {
            AttributeHead::DenseResource(name) => name,
            _ => unreachable!("a resource is one"),
        }
    }

    fn __buffer__(&self) -> Result<Array> {
        let found = self.base.context().find_resource(self.name());
        let found = found.ok_or_else(|| no_buffer(format!("the resource '{}' has no data", self.name())))?;
        lend_buffer(&found.data, false, &self.base.types()[0])
    }
}
