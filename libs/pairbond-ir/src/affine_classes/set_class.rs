//! [`IntegerSetObject`]: a set as Python sees it, a value and its context.

use pairbond::prelude::*;

use super::kinds::expr_object;
use super::map_class::check_exprs;
use super::object::{AffineExprObject, Expr, hash_of, too_large};
use crate::affine::{AffineExpr, IntegerSet};
use crate::context::{Context, context_or_current};
use crate::list_argument::{self, ForDims, ForSet, ForSymbols};

/// A set of integers that satisfy constraints. Those of a context are equal if they are alike.
#[pairbond::object("pairbond_ir.IntegerSet", opaque)]
pub struct IntegerSetObject {
    /// The context that it is used in.
    #[field]
    context: Ref<Context>,
    #[untraced]
    value: IntegerSet,
}

/// A constraint on an expression: it is zero, or not negative.
#[pairbond::object("pairbond_ir.IntegerSetConstraint", opaque)]
pub struct IntegerSetConstraint {
    #[field]
    expr: Ref<AffineExprObject>,
    /// Whether it must be zero.
    #[field]
    is_eq: bool,
}

#[pairbond::methods]
impl IntegerSetConstraint {
    fn __eq__(&self, other: &IntegerSetConstraint) -> bool {
        let (this, that) = (&self.expr, &other.expr);
        this.context().is(that.context()) && this.value() == that.value() && self.is_eq == other.is_eq
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(self.expr.value(), self.is_eq))
    }

    fn __repr__(&self) -> String {
        let relation = if self.is_eq { "==" } else { ">=" };
        format!("IntegerSetConstraint({} {relation} 0)", self.expr.value())
    }
}

impl IntegerSet {
    /// No integers.
    fn empty_set(dims: u32, symbols: u32) -> IntegerSet {
        let constraints = Box::new([(AffineExpr::Constant(1), true)]);
        IntegerSet {
            dims,
            symbols,
            constraints,
        }
    }
}

impl IntegerSetObject {
    /// A set in a context.
    #[must_use]
    pub fn new_object(context: &Ref<Context>, value: IntegerSet) -> Ref<IntegerSetObject> {
        Ref::new(IntegerSetObject {
            context: context.clone(),
            value,
        })
    }

    /// The set itself.
    #[must_use]
    pub fn value(&self) -> &IntegerSet {
        &self.value
    }

    /// The context that it is used in.
    #[must_use]
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    fn count_constraints(&self, equalities: bool) -> usize {
        let all = self.value.constraints.iter();
        all.filter(|(_, is_eq)| *is_eq == equalities).count()
    }
}

#[pairbond::methods]
impl IntegerSetObject {
    /// Where each expression is zero, if its flag says so, or else not negative.
    #[staticmethod]
    fn get(
        num_dims: u32,
        num_symbols: u32,
        exprs: list_argument::Vec<Ref<AffineExprObject>, ForSet>,
        eq_flags: Vec<bool>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<IntegerSetObject>> {
        let list_argument::Vec(exprs, _) = exprs;
        if exprs.len() != eq_flags.len() {
            return Err(Error::value_error(
                "Expected the number of constraints to match that of equality flags",
            ));
        }
        let Some(first) = exprs.first() else {
            return Err(Error::value_error("Expected non-empty list of constraints"));
        };
        let context = context.unwrap_or_else(|| first.context().clone());
        let found = check_exprs(&context, num_dims, num_symbols, &exprs)?;
        let constraints = found.into_iter().zip(eq_flags).collect();
        let (dims, symbols) = (num_dims, num_symbols);
        Ok(Self::new_object(
            &context,
            IntegerSet {
                dims,
                symbols,
                constraints,
            },
        ))
    }

    /// No integers.
    #[staticmethod]
    fn get_empty(
        num_dims: u32,
        num_symbols: u32,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<IntegerSetObject>> {
        let set = IntegerSet::empty_set(num_dims, num_symbols);
        Ok(Self::new_object(&context_or_current(context)?, set))
    }

    /// Expressions in place of all dimensions and symbols.
    fn get_replaced(
        &self,
        dim_exprs: list_argument::Vec<Ref<AffineExprObject>, ForDims>,
        symbol_exprs: list_argument::Vec<Ref<AffineExprObject>, ForSymbols>,
        num_result_dims: u32,
        num_result_symbols: u32,
    ) -> Result<Ref<IntegerSetObject>> {
        let (list_argument::Vec(dim_exprs, _), list_argument::Vec(symbol_exprs, _)) =
            (dim_exprs, symbol_exprs);
        let wrong = |what: &str, whats: &str| {
            let message =
                format!("Expected the number of {what} replacement expressions to match that of {whats}");
            Err(Error::value_error(message))
        };
        if dim_exprs.len() != self.value.dims as usize {
            return wrong("dimension", "dimensions");
        }
        if symbol_exprs.len() != self.value.symbols as usize {
            return wrong("symbol", "symbols");
        }
        let (dims, symbols) = (num_result_dims, num_result_symbols);
        check_exprs(
            &self.context,
            dims,
            symbols,
            dim_exprs.iter().chain(&symbol_exprs),
        )?;
        let choice = |it: &AffineExpr| match it {
            AffineExpr::Dim(place) => Some(dim_exprs[*place as usize].value().clone()),
            AffineExpr::Symbol(place) => Some(symbol_exprs[*place as usize].value().clone()),
            _ => None,
        };
        let replaced = |(it, is_eq): &(AffineExpr, bool)| Some((it.replace_parts(&choice)?, *is_eq));
        let constraints: Option<_> = self.value.constraints.iter().map(replaced).collect();
        let constraints = constraints.ok_or_else(too_large)?;
        Ok(Self::new_object(
            &self.context,
            IntegerSet {
                dims,
                symbols,
                constraints,
            },
        ))
    }

    /// Whether it is what `get_empty` gives.
    #[getter]
    fn is_canonical_empty(&self) -> bool {
        self.value == IntegerSet::empty_set(self.value.dims, self.value.symbols)
    }

    #[getter]
    fn n_dims(&self) -> u32 {
        self.value.dims
    }

    #[getter]
    fn n_symbols(&self) -> u32 {
        self.value.symbols
    }

    #[getter]
    fn n_inputs(&self) -> u64 {
        u64::from(self.value.dims) + u64::from(self.value.symbols)
    }

    #[getter]
    fn n_equalities(&self) -> usize {
        self.count_constraints(true)
    }

    #[getter]
    fn n_inequalities(&self) -> usize {
        self.count_constraints(false)
    }

    #[getter]
    fn constraints(&self) -> Vec<Ref<IntegerSetConstraint>> {
        let constraint = |(expr, is_eq): &(AffineExpr, bool)| {
            let (expr, is_eq): (Expr, bool) = (expr_object(&self.context, expr.clone()), *is_eq);
            Ref::new(IntegerSetConstraint { expr, is_eq })
        };
        self.value.constraints.iter().map(constraint).collect()
    }

    fn __eq__(&self, other: &IntegerSetObject) -> bool {
        self.context.is(&other.context) && self.value == other.value
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.value)
    }

    fn __str__(&self) -> String {
        self.value.to_string()
    }

    fn __repr__(&self) -> String {
        format!("IntegerSet({})", self.value)
    }

    /// Writes its text to the standard error stream.
    fn dump(&self) {
        crate::print::dump_text(&self.__str__());
    }
}
