//! [`AffineExprObject`]: an expression as Python sees it, a value and its context, with operators.
//! `kinds.rs` has a class for each kind.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

use super::AffineMapObject;
use super::kinds::expr_object;
use crate::affine::{AffineExpr, BinaryKind, MOST_OPERANDS};
use crate::context::{Context, context_or_current, same_context};
use crate::error;
use crate::fast::FastHasher;
use BinaryKind::{Add, CeilDiv, FloorDiv, Mod, Mul};

/// An affine expression. Those of a context are equal if they are alike.
#[pairbond::object("pairbond_ir.AffineExpr", opaque)]
pub struct AffineExprObject {
    /// The context that it is used in.
    #[field]
    pub(super) context: Ref<Context>,
    #[untraced]
    pub(super) value: AffineExpr,
}

pub(super) type Expr = Ref<AffineExprObject>;

#[cold]
pub(super) fn too_large() -> Error {
    error::ir_error(format!(
        "an affine expression of more than {MOST_OPERANDS} dimensions, symbols and constants"
    ))
}

/// Two in one, of one context.
fn binary_object(
    kind: BinaryKind,
    context: &Ref<Context>,
    left: AffineExpr,
    right: AffineExpr,
) -> Result<Ref<AffineExprObject>> {
    if left.operands() + right.operands() > MOST_OPERANDS {
        return Err(too_large());
    }
    Ok(expr_object(context, AffineExpr::new_binary(kind, left, right)))
}

/// An expression, or an int that stands for a constant.
pub(super) enum Operand {
    Expr(Expr),
    Constant(i64),
}

impl Operand {
    fn context(&self) -> Option<&Ref<Context>> {
        match self {
            Operand::Expr(it) => Some(&it.context),
            Operand::Constant(_) => None,
        }
    }

    fn value(self) -> AffineExpr {
        match self {
            Operand::Expr(it) => it.value.clone(),
            Operand::Constant(value) => AffineExpr::Constant(value),
        }
    }
}

impl<'a> FromValue<'a> for Operand {
    fn expected_type() -> Cow<'static, str> {
        "AffineExpr or int".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        if source.read_object().is_ok() {
            return Ref::from_value(source).map(Operand::Expr);
        }
        source.read_i64().map(Operand::Constant)
    }
}

pub(super) fn of_two(kind: BinaryKind, left: Operand, right: Operand) -> Result<Ref<AffineExprObject>> {
    let contexts = (left.context().cloned(), right.context().cloned());
    let context = match contexts {
        (Some(one), Some(other)) => {
            same_context(&one, &other, "an affine expression")?;
            one
        }
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return Err(Error::type_error("one of the two must be an AffineExpr")),
    };
    binary_object(kind, &context, left.value(), right.value())
}

impl AffineExprObject {
    /// The expression itself.
    #[must_use]
    pub fn value(&self) -> &AffineExpr {
        &self.value
    }

    /// The context that it is used in.
    #[must_use]
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    fn combine_with(&self, kind: BinaryKind, other: Operand) -> Result<Ref<AffineExprObject>> {
        if let Some(context) = other.context() {
            same_context(&self.context, context, "an affine expression")?;
        }
        binary_object(kind, &self.context, self.value.clone(), other.value())
    }

    fn times_constant(&self, by: i64) -> Result<Operand> {
        self.combine_with(Mul, Operand::Constant(by)).map(Operand::Expr)
    }

    fn replace_object(
        &self,
        choice: &dyn Fn(&AffineExpr) -> Option<AffineExpr>,
    ) -> Result<Ref<AffineExprObject>> {
        let value = self.value.replace_parts(choice).ok_or_else(too_large)?;
        Ok(expr_object(&self.context, value))
    }
}

/// Where a dimension or symbol goes of which those from `offset` to `count` are shifted.
fn shift_position(place: u32, count: u32, shift: u32, offset: u32) -> Option<u32> {
    (offset..count)
        .contains(&place)
        .then(|| place.saturating_add(shift))
}

#[pairbond::methods]
impl AffineExprObject {
    #[staticmethod]
    fn get_add(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(Add, lhs, rhs)
    }

    #[staticmethod]
    fn get_mul(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(Mul, lhs, rhs)
    }

    #[staticmethod]
    fn get_mod(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(Mod, lhs, rhs)
    }

    #[staticmethod]
    fn get_floor_div(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(FloorDiv, lhs, rhs)
    }

    #[staticmethod]
    fn get_ceil_div(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(CeilDiv, lhs, rhs)
    }

    #[staticmethod]
    fn get_constant(value: i64, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(expr_object(
            &context_or_current(context)?,
            AffineExpr::Constant(value),
        ))
    }

    #[staticmethod]
    fn get_dim(position: u32, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(expr_object(
            &context_or_current(context)?,
            AffineExpr::Dim(position),
        ))
    }

    #[staticmethod]
    fn get_symbol(position: u32, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(expr_object(
            &context_or_current(context)?,
            AffineExpr::Symbol(position),
        ))
    }

    /// An expression of so many dimensions and symbols, simplified as a whole: what cancels out
    /// goes. One in which a factor or a divisor is no constant stays as it is.
    #[staticmethod]
    fn simplify_affine_expr(
        expr: &AffineExprObject,
        num_dims: usize,
        num_symbols: usize,
    ) -> Result<Ref<AffineExprObject>> {
        let (dims, symbols) = expr.value.bounds();
        if dims as usize > num_dims || symbols as usize > num_symbols {
            return Err(Error::value_error(format!(
                "the expression has {dims} dimensions and {symbols} symbols"
            )));
        }
        let simpler = expr.value.simplify_whole();
        Ok(expr_object(
            &expr.context,
            simpler.unwrap_or_else(|| expr.value.clone()),
        ))
    }

    /// The results of a map in place of the dimensions.
    fn compose(&self, other: &AffineMapObject) -> Result<Ref<AffineExprObject>> {
        same_context(&self.context, other.context(), "an affine map")?;
        let value = self.value.compose_with(other.value()).ok_or_else(too_large)?;
        Ok(expr_object(&self.context, value))
    }

    /// Dimensions from `offset` to `num_dims` become those `shift` places further.
    fn shift_dims(
        &self,
        num_dims: u32,
        shift: u32,
        #[default(0)] offset: u32,
    ) -> Result<Ref<AffineExprObject>> {
        self.replace_object(&|it| match it {
            AffineExpr::Dim(place) => shift_position(*place, num_dims, shift, offset).map(AffineExpr::Dim),
            _ => None,
        })
    }

    /// Symbols from `offset` to `num_symbols` become those `shift` places further.
    fn shift_symbols(
        &self,
        num_symbols: u32,
        shift: u32,
        #[default(0)] offset: u32,
    ) -> Result<Ref<AffineExprObject>> {
        self.replace_object(&|it| match it {
            AffineExpr::Symbol(place) => {
                shift_position(*place, num_symbols, shift, offset).map(AffineExpr::Symbol)
            }
            _ => None,
        })
    }

    fn __add__(&self, other: Operand) -> Result<Ref<AffineExprObject>> {
        self.combine_with(Add, other)
    }

    fn __radd__(&self, other: Operand) -> Result<Ref<AffineExprObject>> {
        self.combine_with(Add, other)
    }

    fn __sub__(&self, other: Operand) -> Result<Ref<AffineExprObject>> {
        let negative = match other {
            Operand::Expr(it) => it.times_constant(-1)?,
            Operand::Constant(value) => Operand::Constant(value.wrapping_neg()),
        };
        self.combine_with(Add, negative)
    }

    fn __rsub__(&self, other: i64) -> Result<Ref<AffineExprObject>> {
        of_two(Add, Operand::Constant(other), self.times_constant(-1)?)
    }

    fn __mul__(&self, other: Operand) -> Result<Ref<AffineExprObject>> {
        self.combine_with(Mul, other)
    }

    fn __rmul__(&self, other: Operand) -> Result<Ref<AffineExprObject>> {
        self.combine_with(Mul, other)
    }

    fn __mod__(&self, other: Operand) -> Result<Ref<AffineExprObject>> {
        self.combine_with(Mod, other)
    }

    fn __rmod__(&self, other: i64) -> Result<Ref<AffineExprObject>> {
        binary_object(
            Mod,
            &self.context,
            AffineExpr::Constant(other),
            self.value.clone(),
        )
    }

    fn __eq__(&self, other: &AffineExprObject) -> bool {
        self.context.is(&other.context) && self.value == other.value
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.value)
    }

    fn __str__(&self) -> String {
        self.value.to_string()
    }

    fn __repr__(&self) -> String {
        format!("AffineExpr({})", self.value)
    }

    /// Writes its text to the standard error stream.
    fn dump(&self) {
        crate::print::dump_text(&self.__str__());
    }

    /// Itself: it is of its own class from the beginning.
    fn maybe_downcast(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }
}

pub(super) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FastHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
