//! The classes of types that have no shape.

use pairbond::prelude::*;

use super::{Type, TypeHead};
use crate::class::cast_to_class;
use crate::context::{Context, context_or_current, implied_context, same_context};
use crate::error;
use crate::numbers::Sign;

class! {
    /// Integers of any width up to 2²⁴ − 1 bits.
    IntegerType: Type = "pairbond_ir.IntegerType"
}
class! {
    /// Integers of the target's size.
    IndexType: Type = "pairbond_ir.IndexType"
}
class! {
    /// The type of nothing.
    NoneType: Type = "pairbond_ir.NoneType"
}
class! {
    /// Pairs of real and imaginary part.
    ComplexType: Type = "pairbond_ir.ComplexType"
}
class! {
    /// From inputs to results.
    FunctionType: Type = "pairbond_ir.FunctionType"
}
class! {
    /// Several values in one.
    TupleType: Type = "pairbond_ir.TupleType"
}
class! {
    /// A type of an unregistered dialect, kept as its text.
    OpaqueType: Type = "pairbond_ir.OpaqueType"
}

/// The widest integer, in bits.
pub(crate) const MAX_WIDTH: u32 = (1 << 24) - 1;

fn integer_type(width: u32, sign: Sign, context: Option<Ref<Context>>) -> Result<Ref<IntegerType>> {
    if width > MAX_WIDTH {
        return Err(error::ir_error(format!(
            "integer bitwidth is limited to {MAX_WIDTH} bits"
        )));
    }
    let head = TypeHead::Integer { width, sign };
    Ok(cast_to_class(Type::without_parts(
        &context_or_current(context)?,
        head,
    )))
}

#[pairbond::methods]
impl IntegerType {
    /// `i8`, or one with a sign.
    #[classmethod]
    fn get(
        width: u32,
        #[default(Sign::Signless)] signedness: Sign,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<IntegerType>> {
        integer_type(width, signedness, context)
    }

    /// `i8`: whose sign the operations know.
    #[classmethod]
    fn get_signless(width: u32, context: Option<Ref<Context>>) -> Result<Ref<IntegerType>> {
        integer_type(width, Sign::Signless, context)
    }

    /// `si8`
    #[classmethod]
    fn get_signed(width: u32, context: Option<Ref<Context>>) -> Result<Ref<IntegerType>> {
        integer_type(width, Sign::Signed, context)
    }

    /// `ui8`
    #[classmethod]
    fn get_unsigned(width: u32, context: Option<Ref<Context>>) -> Result<Ref<IntegerType>> {
        integer_type(width, Sign::Unsigned, context)
    }

    /// In bits.
    #[getter]
    fn width(&self) -> u32 {
        self.width_and_sign().0
    }

    /// Whether it has a sign.
    #[getter]
    fn signedness(&self) -> Sign {
        self.width_and_sign().1
    }

    #[classmethod]
    #[getter(SIGNLESS)]
    fn signless() -> Sign {
        Sign::Signless
    }

    #[classmethod]
    #[getter(SIGNED)]
    fn signed() -> Sign {
        Sign::Signed
    }

    #[classmethod]
    #[getter(UNSIGNED)]
    fn unsigned() -> Sign {
        Sign::Unsigned
    }

    #[getter]
    fn is_signless(&self) -> bool {
        self.width_and_sign().1 == Sign::Signless
    }

    #[getter]
    fn is_signed(&self) -> bool {
        self.width_and_sign().1 == Sign::Signed
    }

    #[getter]
    fn is_unsigned(&self) -> bool {
        self.width_and_sign().1 == Sign::Unsigned
    }

    #[hidden]
    fn width_and_sign(&self) -> (u32, Sign) {
        match self.base.head() {
            TypeHead::Integer { width, sign } => (*width, *sign),
            _ => unreachable!("an integer type is one"),
        }
    }
}

#[pairbond::methods]
impl IndexType {
    /// The type of this context.
    #[classmethod]
    fn get(context: Option<Ref<Context>>) -> Result<Ref<IndexType>> {
        Ok(cast_to_class(Type::without_parts(
            &context_or_current(context)?,
            TypeHead::Index,
        )))
    }
}

#[pairbond::methods]
impl NoneType {
    /// The type of this context.
    #[classmethod]
    fn get(context: Option<Ref<Context>>) -> Result<Ref<NoneType>> {
        Ok(cast_to_class(Type::without_parts(
            &context_or_current(context)?,
            TypeHead::None,
        )))
    }
}

/// Whether complex numbers may consist of it.
pub(crate) fn complex_part(head: &TypeHead) -> bool {
    matches!(head, TypeHead::Integer { .. } | TypeHead::Float(_))
}

#[pairbond::methods]
impl ComplexType {
    /// Complex numbers of parts of a type.
    #[classmethod]
    fn get(element_type: Ref<Type>) -> Result<Ref<ComplexType>> {
        if !complex_part(element_type.head()) {
            return Err(Error::value_error(format!(
                "invalid 'Type({})' and expected floating point or integer type.",
                element_type
            )));
        }
        let made = Type::of_elements(TypeHead::Complex, element_type, Vec::new());
        Ok(cast_to_class(made))
    }

    /// The type of its parts.
    #[getter]
    fn element_type(&self) -> Ref<Type> {
        self.base.types()[0].clone()
    }
}

/// The context that was named, or else that of the first type, or else the current one; all types
/// must be of it.
pub(crate) fn common_context(context: Option<Ref<Context>>, types: &[Ref<Type>]) -> Result<Ref<Context>> {
    let own = || types.first().map(|it| it.context().clone());
    let context = context.map_or_else(|| implied_context(own(), "a type"), Ok)?;
    types
        .iter()
        .try_for_each(|it| same_context(&context, it.context(), "a type"))?;
    Ok(context)
}

#[pairbond::methods]
impl FunctionType {
    /// The type of functions from inputs to results.
    #[classmethod]
    fn get(
        inputs: Vec<Ref<Type>>,
        results: Vec<Ref<Type>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<FunctionType>> {
        let count = inputs.len();
        let types: Vec<_> = inputs.into_iter().chain(results).collect();
        let context = common_context(context, &types)?;
        let head = TypeHead::Function { inputs: count };
        Ok(cast_to_class(Type::new(&context, head, types, Vec::new())))
    }

    #[getter]
    fn inputs(&self) -> Vec<Ref<Type>> {
        self.base.types()[..self.input_count()].to_vec()
    }

    #[getter]
    fn results(&self) -> Vec<Ref<Type>> {
        self.base.types()[self.input_count()..].to_vec()
    }

    #[hidden]
    fn input_count(&self) -> usize {
        match self.base.head() {
            TypeHead::Function { inputs } => *inputs,
            _ => unreachable!("a function type is one"),
        }
    }
}

#[pairbond::methods]
impl TupleType {
    /// The type of tuples of these.
    #[classmethod]
    fn get_tuple(elements: Vec<Ref<Type>>, context: Option<Ref<Context>>) -> Result<Ref<TupleType>> {
        let context = common_context(context, &elements)?;
        let made = Type::new(&context, TypeHead::Tuple, elements, Vec::new());
        Ok(cast_to_class(made))
    }

    #[getter]
    fn num_types(&self) -> usize {
        self.base.types().len()
    }

    fn get_type(&self, pos: usize) -> Result<Ref<Type>> {
        let found = self.base.types().get(pos).cloned();
        found.ok_or_else(|| Error::index_error("a tuple type has no type at that place"))
    }
}

#[pairbond::methods]
impl OpaqueType {
    /// `!dialect.buffer`
    #[classmethod]
    fn get(dialect_namespace: &str, buffer: &str, context: Option<Ref<Context>>) -> Result<Ref<OpaqueType>> {
        let (dialect, text) = (dialect_namespace.into(), buffer.into());
        let head = TypeHead::Opaque { dialect, text };
        Ok(cast_to_class(Type::without_parts(
            &context_or_current(context)?,
            head,
        )))
    }

    #[getter]
    fn dialect_namespace(&self) -> &str {
        self.dialect_and_text().0
    }

    #[getter]
    fn data(&self) -> &str {
        self.dialect_and_text().1
    }

    #[hidden]
    fn dialect_and_text(&self) -> (&str, &str) {
        match self.base.head() {
            TypeHead::Opaque { dialect, text } => (dialect, text),
            _ => unreachable!("an opaque type is one"),
        }
    }
}
