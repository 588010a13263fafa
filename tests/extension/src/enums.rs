//! Enums, without data and with.

use pairbond::prelude::*;

/// What a light shows.
#[pairbond::object("pairbond_testext.Light")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Light {
    /// Stop.
    Red = 1,
    Amber = 5,
    #[name("Go")]
    Green,
}

#[pairbond::function]
pub(crate) fn next_light(light: Light) -> Light {
    match light {
        Light::Red => Light::Green,
        Light::Green => Light::Amber,
        Light::Amber => Light::Red,
    }
}

#[pairbond::function]
pub(crate) fn lights(list: List<Light>) -> Vec<Light> {
    list.iter().collect()
}

/// Has a light.
#[pairbond::object("pairbond_testext.Crossing")]
pub(crate) struct Crossing {
    #[field(set)]
    light: Cell<Light>,
    #[field]
    first: Light,
}

#[pairbond::methods]
impl Crossing {
    #[new]
    fn new(light: Light) -> Self {
        Crossing {
            light: Cell::new(light),
            first: light,
        }
    }
}

/// An expression.
#[pairbond::object("pairbond_testext.Expr")]
#[derive(Clone)]
pub(crate) enum Expr {
    /// A number.
    Number(f64),
    /// A sum.
    Add {
        /// The left one.
        left: Ref<Expr>,
        right: Ref<Expr>,
    },
    Call(Str, List<Expr>),
    Nothing,
}

#[pairbond::methods]
impl Expr {
    /// Its value.
    fn result(&self) -> f64 {
        match self {
            Expr::Number(value) => *value,
            Expr::Add { left, right } => left.result() + right.result(),
            Expr::Call(_, arguments) => arguments.iter().map(|argument| argument.result()).sum(),
            Expr::Nothing => 0.0,
        }
    }
}

/// `a + 0` is `a`.
#[pairbond::function]
pub(crate) fn simplified(expr: Ref<Expr>) -> Ref<Expr> {
    match &*expr {
        Expr::Add { left, right } => match (&**left, &**right) {
            (Expr::Number(0.0), _) => right.clone(),
            (_, Expr::Number(0.0)) => left.clone(),
            _ => expr.clone(),
        },
        _ => expr,
    }
}

#[pairbond::function]
pub(crate) fn doubled_expr(expr: Expr) -> Expr {
    match expr {
        Expr::Number(value) => Expr::Number(value * 2.0),
        other => Expr::Add {
            left: other.clone().into_ref(),
            right: other.into_ref(),
        },
    }
}
