//! Affine maps and sets.

use std::collections::HashMap;

use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;
use crate::affine::{AffineExpr, AffineMap, BinaryKind, IntegerSet};
use crate::context::attributes::{Attribute, AttributeHead};
use crate::recursion::with_stack;
use crate::room::Room;

/// Simplifying, comparing and dropping expressions recurses, so no expression is larger than this.
const MOST_OPERATORS: usize = 1000;

/// The meanings of names.
#[derive(Default)]
struct Names {
    /// How many operators and parentheses the current expression has.
    operators: std::cell::Cell<usize>,
    known: HashMap<Box<str>, AffineExpr>,
    dims: u32,
    symbols: u32,
}

impl Parser<'_> {
    pub(super) fn affine_map(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        self.expect_mark(b'<', " in affine map")?;
        let names = self.affine_names()?;
        if self.token.kind != Kind::Arrow {
            return Err(self.expected_error("expected '->' or ':'"));
        }
        self.advance_token();
        self.expect_mark(b'(', " at start of affine map range")?;
        let mut results = Vec::new();
        self.parse_list(b')', |it| {
            it.affine_expr(&names).map(|found| results.room().push(found))
        })?;
        self.expect_mark(b'>', " in affine map")?;
        let map = AffineMap {
            dims: names.dims,
            symbols: names.symbols,
            results: results.into_boxed_slice(),
        };
        Ok(Attribute::without_parts(
            &self.context,
            AttributeHead::AffineMap(map),
        ))
    }

    pub(super) fn affine_set(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        self.expect_mark(b'<', " in integer set")?;
        let names = self.affine_names()?;
        self.expect_mark(b':', " in integer set")?;
        self.expect_mark(b'(', " at start of integer set constraint list")?;
        let mut constraints = Vec::new();
        self.parse_list(b')', |it| {
            it.parse_constraint(&names)
                .map(|found| constraints.room().push(found))
        })?;
        self.expect_mark(b'>', " in integer set")?;
        if constraints.is_empty() {
            // As in MLIR: a constraint that always holds.
            constraints.room().push((AffineExpr::Constant(0), true));
        }
        let set = IntegerSet {
            dims: names.dims,
            symbols: names.symbols,
            constraints: constraints.into_boxed_slice(),
        };
        Ok(Attribute::without_parts(
            &self.context,
            AttributeHead::IntegerSet(set),
        ))
    }

    fn affine_names(&mut self) -> Result<Names> {
        let mut names = Names::default();
        self.expect_mark(b'(', " at start of dimensional identifiers list")?;
        self.parse_list(b')', |it| {
            names.dims += 1;
            let place = names.dims - 1;
            it.affine_name(&mut names, AffineExpr::Dim(place))
        })?;
        if self.accept_mark(b'[') {
            self.parse_list(b']', |it| {
                names.symbols += 1;
                let place = names.symbols - 1;
                it.affine_name(&mut names, AffineExpr::Symbol(place))
            })?;
        }
        Ok(names)
    }

    fn affine_name(&mut self, names: &mut Names, meaning: AffineExpr) -> Result<()> {
        if self.token.kind != Kind::Word {
            return Err(self.expected_error("expected bare identifier"));
        }
        if names.known.contains_key(self.token_text()) {
            return Err(self.expected_error(&format!("redefinition of identifier '{}'", self.token_text())));
        }
        names.known.room().insert(self.parse_bare_word(), meaning);
        Ok(())
    }

    /// `a >= b`, `a <= b`, `a == b`, as a comparison with zero.
    fn parse_constraint(&mut self, names: &Names) -> Result<(AffineExpr, bool)> {
        let left = self.affine_expr(names)?;
        let relation = (self.token.kind, self.window.bytes_from(self.token.end).first());
        let (less, equal) = match relation {
            (Kind::Mark(b'>'), Some(b'=')) => (false, false),
            (Kind::Mark(b'<'), Some(b'=')) => (true, false),
            (Kind::Mark(b'='), Some(b'=')) => (false, true),
            _ => {
                return Err(self.expected_error(
                    "expected '== affine-expr' or '>= affine-expr' at end of affine constraint",
                ));
            }
        };
        self.jump_to(self.token.end + 1);
        let right = self.affine_expr(names)?;
        let (left, right) = if less { (right, left) } else { (left, right) };
        if right == AffineExpr::Constant(0) {
            return Ok((left, equal));
        }
        Ok((subtract_exprs(left, right), equal))
    }

    /// A whole expression.
    fn affine_expr(&mut self, names: &Names) -> Result<AffineExpr> {
        names.operators.set(0);
        self.affine_sum(names)
    }

    fn affine_sum(&mut self, names: &Names) -> Result<AffineExpr> {
        let mut left = self.affine_product(names)?;
        loop {
            if self.accept_mark(b'+') {
                left = AffineExpr::new_binary(BinaryKind::Add, left, self.affine_product(names)?);
            } else if self.accept_mark(b'-') {
                left = subtract_exprs(left, self.affine_product(names)?);
            } else {
                return Ok(left);
            }
        }
    }

    fn affine_product(&mut self, names: &Names) -> Result<AffineExpr> {
        let mut left = self.affine_operand(names)?;
        loop {
            let start = self.token.start;
            let kind = match self.token.kind {
                Kind::Mark(b'*') => BinaryKind::Mul,
                Kind::Word => match self.token_text() {
                    "mod" => BinaryKind::Mod,
                    "floordiv" => BinaryKind::FloorDiv,
                    "ceildiv" => BinaryKind::CeilDiv,
                    _ => return Ok(left),
                },
                _ => return Ok(left),
            };
            self.advance_token();
            let right = self.affine_operand(names)?;
            let affine = right.is_symbolic() || kind == BinaryKind::Mul && left.is_symbolic();
            if !affine {
                let what = match kind {
                    BinaryKind::Mul => {
                        "at least one of the multiply operands has to be either a constant or symbolic"
                    }
                    _ => "the right operand has to be either a constant or symbolic",
                };
                return Err(self.error_at(start, &format!("non-affine expression: {what}")));
            }
            left = AffineExpr::new_binary(kind, left, right);
        }
    }

    fn affine_operand(&mut self, names: &Names) -> Result<AffineExpr> {
        names.operators.set(names.operators.get() + 1);
        if names.operators.get() > MOST_OPERATORS {
            return Err(self.expected_error(&format!(
                "an affine expression of more than {MOST_OPERATORS} operands and parentheses"
            )));
        }
        with_stack(|| match self.token.kind {
            Kind::Mark(b'(') => {
                self.advance_token();
                let inner = self.affine_sum(names)?;
                self.expect_mark(b')', "")?;
                Ok(inner)
            }
            Kind::Mark(b'-') => {
                self.advance_token();
                if self.token.kind == Kind::Integer {
                    return self.parse_integer(true).map(AffineExpr::Constant);
                }
                let inner = self.affine_operand(names)?;
                Ok(AffineExpr::new_binary(
                    BinaryKind::Mul,
                    inner,
                    AffineExpr::Constant(-1),
                ))
            }
            Kind::Integer => self.parse_signed().map(AffineExpr::Constant),
            Kind::Word => match names.known.get(self.token_text()) {
                Some(known) => {
                    self.advance_token();
                    Ok(known.clone())
                }
                None => {
                    Err(self.expected_error(&format!("use of undeclared identifier '{}'", self.token_text())))
                }
            },
            _ => Err(self.expected_error("expected affine expression")),
        })
    }
}

fn subtract_exprs(left: AffineExpr, right: AffineExpr) -> AffineExpr {
    let right = AffineExpr::new_binary(BinaryKind::Mul, right, AffineExpr::Constant(-1));
    AffineExpr::new_binary(BinaryKind::Add, left, right)
}
