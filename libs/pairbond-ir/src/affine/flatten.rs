//! Simplifying an expression as a whole, as MLIR does it: it becomes a sum of dimensions, symbols
//! and quotients with a factor each, and that becomes an expression again. What cancels out goes,
//! and equal quotients are one.

use super::expr::gcd;
use super::{AffineExpr, BinaryKind};
use AffineExpr::{Binary, Constant, Dim, Symbol};
use BinaryKind::{Add, FloorDiv, Mod, Mul};

/// A sum, by its factors.
#[derive(Clone)]
struct Sum {
    /// Of those dimensions and symbols that there are.
    ids: Vec<i64>,
    /// Of the quotients known so far; those that came later have no factor.
    quotients: Vec<i64>,
    constant: i64,
}

impl Sum {
    fn factors(&self) -> impl Iterator<Item = i64> {
        let all = self.ids.iter().chain(&self.quotients);
        all.copied().chain([self.constant])
    }

    fn map_factors(&mut self, change: impl Fn(i64) -> Option<i64>) -> Option<()> {
        let all = self.ids.iter_mut().chain(&mut self.quotients);
        all.chain([&mut self.constant])
            .try_for_each(|it| change(*it).map(|changed| *it = changed))
    }

    /// The greatest number that divides it and another one.
    fn common_divisor(&self, with: i64) -> i64 {
        // It stays positive, as `with` is: the least integer is never divided by -1.
        self.factors().fold(with, |found, it| gcd(found, it).abs())
    }
}

/// The state of an expression that is being flattened.
struct Flattening {
    /// The dimensions in it by their numbers, and then the symbols.
    ids: Vec<AffineExpr>,
    quotients: Vec<AffineExpr>,
}

impl AffineExpr {
    /// The same, simplified as a whole; itself where a factor or a divisor is no constant, or a
    /// number would be too large.
    pub(crate) fn simplify_whole(&self) -> Option<AffineExpr> {
        let mut ids = Vec::new();
        self.collect_ids(&mut ids);
        ids.sort_by_key(id_order);
        ids.dedup();
        let quotients = Vec::new();
        let mut flattening = Flattening { ids, quotients };
        let sum = flattening.flatten_expr(self)?;
        Some(flattening.sum_to_expr(&sum))
    }

    fn collect_ids(&self, into: &mut Vec<AffineExpr>) {
        match self {
            Dim(_) | Symbol(_) => into.push(self.clone()),
            Constant(_) => {}
            Binary(_, sides) => {
                sides.0.collect_ids(into);
                sides.1.collect_ids(into);
            }
        }
    }
}

/// Dimensions come first.
fn id_order(id: &AffineExpr) -> (bool, u32) {
    match id {
        Dim(place) => (false, *place),
        Symbol(place) => (true, *place),
        _ => unreachable!("an id is one of these"),
    }
}

impl Flattening {
    fn zero_sum(&self) -> Sum {
        Sum {
            ids: vec![0; self.ids.len()],
            quotients: Vec::new(),
            constant: 0,
        }
    }

    fn flatten_expr(&mut self, of: &AffineExpr) -> Option<Sum> {
        let mut sum = self.zero_sum();
        match of {
            Dim(_) | Symbol(_) => {
                let place = self.ids.binary_search_by_key(&id_order(of), id_order);
                sum.ids[place.ok()?] = 1;
            }
            Constant(value) => sum.constant = *value,
            Binary(Add, sides) => {
                let (left, right) = (self.flatten_expr(&sides.0)?, self.flatten_expr(&sides.1)?);
                return add_sums(left, right);
            }
            Binary(kind, sides) => {
                let left = self.flatten_expr(&sides.0)?;
                let Constant(by) = sides.1 else { return None };
                return match kind {
                    Mul => {
                        let mut product = left;
                        product.map_factors(|it| it.checked_mul(by))?;
                        Some(product)
                    }
                    _ if by <= 0 => None,
                    Mod => self.flatten_mod(left, by),
                    _ => self.flatten_quotient(left, by, *kind),
                };
            }
        }
        Some(sum)
    }

    /// `x mod c` is `x - (x floordiv c) * c`.
    fn flatten_mod(&mut self, of: Sum, by: i64) -> Option<Sum> {
        if of.factors().all(|it| it % by == 0) {
            return Some(self.zero_sum());
        }
        let common = of.common_divisor(by);
        let mut divided = of.clone();
        divided.map_factors(|it| Some(it / common))?;
        let place = self.quotient_index(&divided, by / common, FloorDiv);
        let mut rest = of;
        rest.quotients.resize(self.quotients.len(), 0);
        rest.quotients[place] = rest.quotients[place].checked_sub(by)?;
        Some(rest)
    }

    fn flatten_quotient(&mut self, of: Sum, by: i64, kind: BinaryKind) -> Option<Sum> {
        let common = of.common_divisor(by);
        let mut divided = of;
        divided.map_factors(|it| Some(it / common))?;
        if by == common {
            return Some(divided);
        }
        let place = self.quotient_index(&divided, by / common, kind);
        let mut quotient = self.zero_sum();
        quotient.quotients.resize(self.quotients.len(), 0);
        quotient.quotients[place] = 1;
        Some(quotient)
    }

    /// The place of a quotient, which is the same for equal ones.
    fn quotient_index(&mut self, divided: &Sum, by: i64, kind: BinaryKind) -> usize {
        let quotient = AffineExpr::new_binary(kind, self.sum_to_expr(divided), Constant(by));
        let known = self.quotients.iter().position(|it| *it == quotient);
        known.unwrap_or_else(|| {
            self.quotients.push(quotient);
            self.quotients.len() - 1
        })
    }

    fn sum_to_expr(&self, sum: &Sum) -> AffineExpr {
        let terms = self.ids.iter().cloned().zip(&sum.ids);
        let terms = terms.chain(self.quotients.iter().cloned().zip(&sum.quotients));
        let mut all = Constant(0);
        for (term, factor) in terms.filter(|(_, factor)| **factor != 0) {
            let term = AffineExpr::new_binary(Mul, term, Constant(*factor));
            all = AffineExpr::new_binary(Add, all, term);
        }
        match sum.constant {
            0 => all,
            constant => AffineExpr::new_binary(Add, all, Constant(constant)),
        }
    }
}

fn add_sums(left: Sum, right: Sum) -> Option<Sum> {
    let (mut longer, shorter) = match left.quotients.len() < right.quotients.len() {
        true => (right, left),
        false => (left, right),
    };
    let into = longer.ids.iter_mut().zip(&shorter.ids);
    for (a, b) in into.chain(longer.quotients.iter_mut().zip(&shorter.quotients)) {
        *a = a.checked_add(*b)?;
    }
    longer.constant = longer.constant.checked_add(shorter.constant)?;
    Some(longer)
}
