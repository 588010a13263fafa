//! A class for each kind of expression. The class of an expression is determined by its kind, so
//! each is made by [`expr_object`].

use pairbond::prelude::*;

use super::object::{AffineExprObject, Operand, of_two};
use crate::affine::{AffineExpr, BinaryKind};
use crate::context::{Context, context_or_current};
use BinaryKind::{Add, CeilDiv, FloorDiv, Mod, Mul};

class! {
    /// A number.
    AffineConstantExpr: AffineExprObject = "pairbond_ir.AffineConstantExpr"
}
class! {
    /// A dimension.
    AffineDimExpr: AffineExprObject = "pairbond_ir.AffineDimExpr"
}
class! {
    /// A symbol.
    AffineSymbolExpr: AffineExprObject = "pairbond_ir.AffineSymbolExpr"
}
class! {
    /// One of two.
    AffineBinaryExpr: AffineExprObject = "pairbond_ir.AffineBinaryExpr"
}
class! {
    /// A sum.
    AffineAddExpr: AffineBinaryExpr = "pairbond_ir.AffineAddExpr"
}
class! {
    /// A product.
    AffineMulExpr: AffineBinaryExpr = "pairbond_ir.AffineMulExpr"
}
class! {
    /// The remainder of a division.
    AffineModExpr: AffineBinaryExpr = "pairbond_ir.AffineModExpr"
}
class! {
    /// A quotient, rounded down.
    AffineFloorDivExpr: AffineBinaryExpr = "pairbond_ir.AffineFloorDivExpr"
}
class! {
    /// A quotient, rounded up.
    AffineCeilDivExpr: AffineBinaryExpr = "pairbond_ir.AffineCeilDivExpr"
}

/// An expression as an object of its class.
pub(super) fn expr_object(context: &Ref<Context>, value: AffineExpr) -> Ref<AffineExprObject> {
    let context = context.clone();
    let base = AffineExprObject { context, value };
    let kind = match base.value {
        AffineExpr::Dim(_) => return Ref::new(AffineDimExpr { base }).upcast(),
        AffineExpr::Symbol(_) => return Ref::new(AffineSymbolExpr { base }).upcast(),
        AffineExpr::Constant(_) => return Ref::new(AffineConstantExpr { base }).upcast(),
        AffineExpr::Binary(kind, _) => kind,
    };
    let base = AffineBinaryExpr { base };
    let made: Ref<AffineBinaryExpr> = match kind {
        Add => Ref::new(AffineAddExpr { base }).upcast(),
        Mul => Ref::new(AffineMulExpr { base }).upcast(),
        Mod => Ref::new(AffineModExpr { base }).upcast(),
        FloorDiv => Ref::new(AffineFloorDivExpr { base }).upcast(),
        CeilDiv => Ref::new(AffineCeilDivExpr { base }).upcast(),
    };
    made.upcast()
}

/// Returns the base of an object of another class for the same expression.
fn class_base(
    expr: &AffineExprObject,
    class: &str,
    is: impl Fn(&AffineExpr) -> bool,
) -> Result<AffineExprObject> {
    if !is(&expr.value) {
        let message = format!(
            "Cannot cast affine expression to {class} (from AffineExpr({}))",
            expr.value
        );
        return Err(Error::value_error(message));
    }
    Ok(AffineExprObject {
        context: expr.context.clone(),
        value: expr.value.clone(),
    })
}

#[pairbond::methods]
impl AffineConstantExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        class_base(expr, "AffineConstantExpr", |it| {
            matches!(it, AffineExpr::Constant(_))
        })
        .map(|base| AffineConstantExpr { base })
    }

    #[staticmethod]
    fn get(value: i64, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(expr_object(
            &context_or_current(context)?,
            AffineExpr::Constant(value),
        ))
    }

    #[getter]
    fn value(&self) -> i64 {
        match self.base.value {
            AffineExpr::Constant(value) => value,
            _ => unreachable!("a constant is one"),
        }
    }
}

/// Of a dimension or symbol which.
fn id_position(of: &AffineExprObject) -> u32 {
    match of.value {
        AffineExpr::Dim(place) | AffineExpr::Symbol(place) => place,
        _ => unreachable!("a dimension or symbol is one"),
    }
}

#[pairbond::methods]
impl AffineDimExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        class_base(expr, "AffineDimExpr", |it| matches!(it, AffineExpr::Dim(_)))
            .map(|base| AffineDimExpr { base })
    }

    #[staticmethod]
    fn get(position: u32, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(expr_object(
            &context_or_current(context)?,
            AffineExpr::Dim(position),
        ))
    }

    #[getter]
    fn position(&self) -> u32 {
        id_position(&self.base)
    }
}

#[pairbond::methods]
impl AffineSymbolExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        class_base(expr, "AffineSymbolExpr", |it| matches!(it, AffineExpr::Symbol(_)))
            .map(|base| AffineSymbolExpr { base })
    }

    #[staticmethod]
    fn get(position: u32, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(expr_object(
            &context_or_current(context)?,
            AffineExpr::Symbol(position),
        ))
    }

    #[getter]
    fn position(&self) -> u32 {
        id_position(&self.base)
    }
}

#[pairbond::methods]
impl AffineBinaryExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        class_base(expr, "AffineBinaryExpr", |it| {
            matches!(it, AffineExpr::Binary(..))
        })
        .map(|base| AffineBinaryExpr { base })
    }

    #[getter]
    fn lhs(&self) -> Ref<AffineExprObject> {
        expr_object(&self.base.context, self.binary_sides().0.clone())
    }

    #[getter]
    fn rhs(&self) -> Ref<AffineExprObject> {
        expr_object(&self.base.context, self.binary_sides().1.clone())
    }

    #[hidden]
    fn binary_sides(&self) -> &(AffineExpr, AffineExpr) {
        match &self.base.value {
            AffineExpr::Binary(_, sides) => sides,
            _ => unreachable!("of two sides"),
        }
    }
}

/// The classes of what has two sides, each of one kind.
macro_rules! of_kind {
    ($($class:ident: $kind:expr),+ $(,)?) => {$(
        #[pairbond::methods]
        impl $class {
            /// The same expression, of which this class is known.
            #[new]
            fn new(expr: &AffineExprObject) -> Result<Self> {
                let base = class_base(expr, stringify!($class), |it| it.operands_of_kind($kind).is_some())?;
                let base = AffineBinaryExpr { base };
                Ok($class { base })
            }

            #[staticmethod]
            fn get(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
                of_two($kind, lhs, rhs)
            }
        }
    )+};
}

of_kind! {
    AffineAddExpr: Add,
    AffineMulExpr: Mul,
    AffineModExpr: Mod,
    AffineFloorDivExpr: FloorDiv,
    AffineCeilDivExpr: CeilDiv,
}
