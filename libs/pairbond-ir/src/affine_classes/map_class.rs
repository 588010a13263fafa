//! [`AffineMapObject`]: a map as Python sees it, a value and its context.

use std::marker::PhantomData;

use pairbond::memory::check_room;
use pairbond::prelude::*;

use super::kinds::expr_object;
use super::object::{AffineExprObject, Expr, hash_of, too_large};
use crate::affine::{AffineExpr, AffineMap, without_unused_symbols};
use crate::context::{Context, context_or_current, same_context};
use crate::list_argument::{self, ForMap};
use AffineExpr::{Constant, Dim};

/// An affine map. Those of a context are equal if they are alike.
#[pairbond::object("pairbond_ir.AffineMap", opaque)]
pub struct AffineMapObject {
    /// The context that it is used in.
    #[field]
    context: Ref<Context>,
    #[untraced]
    value: AffineMap,
}

/// Whether there is memory for so many results, which are copied once.
fn room_for_results(count: u32) -> Result<()> {
    check_room(count as usize, 3 * size_of::<AffineExpr>())
}

/// The expressions of a list, which must be of that context and use no more dimensions and symbols
/// than there are.
pub(super) fn check_exprs<'a>(
    context: &Ref<Context>,
    dims: u32,
    symbols: u32,
    exprs: impl IntoIterator<Item = &'a Expr>,
) -> Result<Vec<AffineExpr>> {
    let check = |it: &'a Expr| {
        same_context(context, it.context(), "an affine expression")?;
        let bounds = it.value().bounds();
        if bounds.0 > dims || bounds.1 > symbols {
            return Err(Error::value_error(format!(
                "{} is no expression of {dims} dimensions and {symbols} symbols",
                it.value()
            )));
        }
        Ok(it.value().clone())
    };
    exprs.into_iter().map(check).collect()
}

impl AffineMapObject {
    /// A map in a context.
    #[must_use]
    pub fn new_object(context: &Ref<Context>, value: AffineMap) -> Ref<AffineMapObject> {
        Ref::new(AffineMapObject {
            context: context.clone(),
            value,
        })
    }

    /// The map itself.
    #[must_use]
    pub fn value(&self) -> &AffineMap {
        &self.value
    }

    /// The context that it is used in.
    #[must_use]
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    fn with_results(&self, results: impl IntoIterator<Item = AffineExpr>) -> Ref<AffineMapObject> {
        Self::new_object(&self.context, self.value.with_results(results))
    }

    /// That many results, fewer than there are.
    fn check_fewer(&self, count: i64) -> Result<usize> {
        let fits = usize::try_from(count).ok();
        let fits = fits.filter(|count| *count < self.value.results.len());
        fits.ok_or_else(|| Error::value_error("number of results out of bounds"))
    }
}

#[pairbond::methods]
impl AffineMapObject {
    /// A map of so many dimensions and symbols to expressions of them.
    #[staticmethod]
    fn get(
        dim_count: u32,
        symbol_count: u32,
        exprs: list_argument::Vec<Ref<AffineExprObject>, ForMap>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<AffineMapObject>> {
        let list_argument::Vec(exprs, _) = exprs;
        let context = match exprs.first() {
            Some(first) if context.is_none() => first.context().clone(),
            _ => context_or_current(context)?,
        };
        let results = check_exprs(&context, dim_count, symbol_count, &exprs)?.into_boxed_slice();
        let (dims, symbols) = (dim_count, symbol_count);
        Ok(Self::new_object(
            &context,
            AffineMap {
                dims,
                symbols,
                results,
            },
        ))
    }

    /// To a number, of no dimensions.
    #[staticmethod]
    fn get_constant(value: i64, context: Option<Ref<Context>>) -> Result<Ref<AffineMapObject>> {
        let map = AffineMap::of_dims(0, [Constant(value)]);
        Ok(Self::new_object(&context_or_current(context)?, map))
    }

    /// Of nothing to nothing.
    #[staticmethod]
    fn get_empty(context: Option<Ref<Context>>) -> Result<Ref<AffineMapObject>> {
        Ok(Self::new_object(
            &context_or_current(context)?,
            AffineMap::of_dims(0, []),
        ))
    }

    /// Each dimension to itself.
    #[staticmethod]
    fn get_identity(n_dims: u32, context: Option<Ref<Context>>) -> Result<Ref<AffineMapObject>> {
        room_for_results(n_dims)?;
        Ok(Self::new_object(
            &context_or_current(context)?,
            AffineMap::identity(n_dims),
        ))
    }

    /// The last dimensions to themselves.
    #[staticmethod]
    fn get_minor_identity(
        n_dims: u32,
        n_results: u32,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<AffineMapObject>> {
        let Some(first) = n_dims.checked_sub(n_results) else {
            return Err(Error::value_error("there cannot be more results than dimensions"));
        };
        room_for_results(n_results)?;
        let map = AffineMap::of_dims(n_dims, (first..n_dims).map(Dim));
        Ok(Self::new_object(&context_or_current(context)?, map))
    }

    /// The dimensions in another order.
    #[staticmethod]
    fn get_permutation(permutation: Vec<u32>, context: Option<Ref<Context>>) -> Result<Ref<AffineMapObject>> {
        let dims = permutation.len() as u32;
        let map = AffineMap::of_dims(dims, permutation.iter().copied().map(Dim));
        if permutation.iter().any(|place| *place >= dims) || !map.is_permutation() {
            return Err(Error::runtime_error(
                "Invalid permutation when attempting to create an AffineMap",
            ));
        }
        Ok(Self::new_object(&context_or_current(context)?, map))
    }

    /// Maps of the same dimensions and symbols without the symbols that none of them uses.
    #[staticmethod]
    fn compress_unused_symbols(
        maps: Vec<Ref<AffineMapObject>>,
        context: Option<Ref<Context>>,
    ) -> Result<Vec<Ref<AffineMapObject>>> {
        let context = match maps.first() {
            Some(first) if context.is_none() => first.context.clone(),
            _ => context_or_current(context)?,
        };
        for map in &maps {
            same_context(&context, &map.context, "an affine map")?;
        }
        let values: Vec<&AffineMap> = maps.iter().map(|it| &it.value).collect();
        let Some(compressed) = without_unused_symbols(&values) else {
            return Err(Error::value_error(
                "the maps must have the same number of dimensions and symbols",
            ));
        };
        Ok(compressed
            .into_iter()
            .map(|it| Self::new_object(&context, it))
            .collect())
    }

    /// The same map with the results at some positions.
    fn get_submap(&self, result_positions: Vec<i64>) -> Result<Ref<AffineMapObject>> {
        let all = &self.value.results;
        let at = |place: &i64| usize::try_from(*place).ok().and_then(|place| all.get(place));
        check_room(result_positions.len(), 3 * size_of::<AffineExpr>())?;
        let some: Option<Vec<_>> = result_positions.iter().map(|place| at(place).cloned()).collect();
        let some = some.ok_or_else(|| Error::value_error("result position out of bounds"))?;
        Ok(self.with_results(some))
    }

    /// The first results, not all of them.
    fn get_major_submap(&self, n_results: i64) -> Result<Ref<AffineMapObject>> {
        let count = self.check_fewer(n_results)?;
        Ok(self.with_results(self.value.results[..count].iter().cloned()))
    }

    /// The last results, not all of them.
    fn get_minor_submap(&self, n_results: i64) -> Result<Ref<AffineMapObject>> {
        let first = self.value.results.len() - self.check_fewer(n_results)?;
        Ok(self.with_results(self.value.results[first..].iter().cloned()))
    }

    /// An expression in place of another, wherever that occurs.
    fn replace(
        &self,
        expr: &AffineExprObject,
        replacement: &AffineExprObject,
        n_result_dims: u32,
        n_result_syms: u32,
    ) -> Result<Ref<AffineMapObject>> {
        same_context(&self.context, replacement.context(), "an affine expression")?;
        let choice = |it: &AffineExpr| (it == expr.value()).then(|| replacement.value().clone());
        let results = self.value.results.iter().map(|it| it.replace_parts(&choice));
        let results: Option<Vec<_>> = results.collect();
        let results: Vec<Ref<AffineExprObject>> = results
            .ok_or_else(too_large)?
            .into_iter()
            .map(|it| expr_object(&self.context, it))
            .collect();
        Self::get(
            n_result_dims,
            n_result_syms,
            list_argument::Vec(results, PhantomData),
            Some(self.context.clone()),
        )
    }

    #[getter]
    fn is_permutation(&self) -> bool {
        self.value.is_permutation()
    }

    #[getter]
    fn is_projected_permutation(&self) -> bool {
        self.value.is_projected_permutation()
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
    fn results(&self) -> Vec<Ref<AffineExprObject>> {
        let all = self.value.results.iter();
        all.map(|it| expr_object(&self.context, it.clone())).collect()
    }

    fn __eq__(&self, other: &AffineMapObject) -> bool {
        self.context.is(&other.context) && self.value == other.value
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.value)
    }

    fn __str__(&self) -> String {
        self.value.to_string()
    }

    fn __repr__(&self) -> String {
        format!("AffineMap({})", self.value)
    }

    /// Writes its text to the standard error stream.
    fn dump(&self) {
        crate::print::dump_text(&self.__str__());
    }
}
