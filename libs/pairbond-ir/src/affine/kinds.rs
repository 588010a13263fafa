//! A class for each kind of expression. Which class one is of says what it is, so each is made by [`shown`].

use pairbond::prelude::*;

use super::object::{AffineExprObject, Operand, of_two};
use super::{AffineExpr, BinaryKind};
use crate::context::{Context, chosen};
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
    /// What is left by a division.
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
pub(super) fn shown(context: &Ref<Context>, value: AffineExpr) -> Ref<AffineExprObject> {
    let kind = match &value {
        AffineExpr::Binary(kind, _) => Some(*kind),
        _ => None,
    };
    let is = (
        matches!(value, AffineExpr::Dim(_)),
        matches!(value, AffineExpr::Symbol(_)),
    );
    let base = AffineExprObject {
        context: context.clone(),
        value,
    };
    let Some(kind) = kind else {
        return match is {
            (true, _) => Ref::new(AffineDimExpr { base }).upcast(),
            (_, true) => Ref::new(AffineSymbolExpr { base }).upcast(),
            _ => Ref::new(AffineConstantExpr { base }).upcast(),
        };
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

/// What the same expression as an object of another class begins with.
fn base(expr: &AffineExprObject, class: &str, is: impl Fn(&AffineExpr) -> bool) -> Result<AffineExprObject> {
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
        base(expr, "AffineConstantExpr", |it| {
            matches!(it, AffineExpr::Constant(_))
        })
        .map(|base| AffineConstantExpr { base })
    }

    #[staticmethod]
    fn get(value: i64, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(shown(&chosen(context)?, AffineExpr::Constant(value)))
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
fn position(of: &AffineExprObject) -> u32 {
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
        base(expr, "AffineDimExpr", |it| matches!(it, AffineExpr::Dim(_))).map(|base| AffineDimExpr { base })
    }

    #[staticmethod]
    fn get(position: u32, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(shown(&chosen(context)?, AffineExpr::Dim(position)))
    }

    #[getter]
    fn position(&self) -> u32 {
        position(&self.base)
    }
}

#[pairbond::methods]
impl AffineSymbolExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        base(expr, "AffineSymbolExpr", |it| matches!(it, AffineExpr::Symbol(_)))
            .map(|base| AffineSymbolExpr { base })
    }

    #[staticmethod]
    fn get(position: u32, context: Option<Ref<Context>>) -> Result<Ref<AffineExprObject>> {
        Ok(shown(&chosen(context)?, AffineExpr::Symbol(position)))
    }

    #[getter]
    fn position(&self) -> u32 {
        position(&self.base)
    }
}

#[pairbond::methods]
impl AffineBinaryExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        base(expr, "AffineBinaryExpr", |it| {
            matches!(it, AffineExpr::Binary(..))
        })
        .map(|base| AffineBinaryExpr { base })
    }

    #[getter]
    fn lhs(&self) -> Ref<AffineExprObject> {
        shown(&self.base.context, self.sides().0.clone())
    }

    #[getter]
    fn rhs(&self) -> Ref<AffineExprObject> {
        shown(&self.base.context, self.sides().1.clone())
    }

    #[hidden]
    fn sides(&self) -> &(AffineExpr, AffineExpr) {
        match &self.base.value {
            AffineExpr::Binary(_, sides) => sides,
            _ => unreachable!("of two sides"),
        }
    }
}

#[pairbond::methods]
impl AffineAddExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        let base = base(expr, "AffineAddExpr", |it| it.of(Add).is_some())?;
        Ok(AffineAddExpr {
            base: AffineBinaryExpr { base },
        })
    }

    #[staticmethod]
    fn get(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(Add, lhs, rhs)
    }
}

#[pairbond::methods]
impl AffineMulExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        let base = base(expr, "AffineMulExpr", |it| it.of(Mul).is_some())?;
        Ok(AffineMulExpr {
            base: AffineBinaryExpr { base },
        })
    }

    #[staticmethod]
    fn get(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(Mul, lhs, rhs)
    }
}

#[pairbond::methods]
impl AffineModExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        let base = base(expr, "AffineModExpr", |it| it.of(Mod).is_some())?;
        Ok(AffineModExpr {
            base: AffineBinaryExpr { base },
        })
    }

    #[staticmethod]
    fn get(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(Mod, lhs, rhs)
    }
}

#[pairbond::methods]
impl AffineFloorDivExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        let base = base(expr, "AffineFloorDivExpr", |it| it.of(FloorDiv).is_some())?;
        Ok(AffineFloorDivExpr {
            base: AffineBinaryExpr { base },
        })
    }

    #[staticmethod]
    fn get(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(FloorDiv, lhs, rhs)
    }
}

#[pairbond::methods]
impl AffineCeilDivExpr {
    /// The same expression, of which this class is known.
    #[new]
    fn new(expr: &AffineExprObject) -> Result<Self> {
        let base = base(expr, "AffineCeilDivExpr", |it| it.of(CeilDiv).is_some())?;
        Ok(AffineCeilDivExpr {
            base: AffineBinaryExpr { base },
        })
    }

    #[staticmethod]
    fn get(lhs: Operand, rhs: Operand) -> Result<Ref<AffineExprObject>> {
        of_two(CeilDiv, lhs, rhs)
    }
}
