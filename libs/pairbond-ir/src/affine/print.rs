//! Affine expressions as MLIR writes them: differences and negations where a factor is negative,
//! parentheses where a weaker operator is inside.

use std::fmt::{self, Display, Formatter};

use pairbond::memory::check_room;

use super::{AffineExpr, AffineMap, BinaryKind, IntegerSet};

/// Whether a sum on the right of a sum has parentheses. MLIR writes none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sums {
    Bare,
    Parenthesised,
}

/// An expression as it is read again. Its sums are read from the left to the right, which may be
/// simpler: then parentheses keep them as they are.
struct Reread<'a>(&'a AffineExpr);

impl Display for Reread<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let again = as_read(self.0);
        if again == *self.0 || again.to_string() == self.0.to_string() {
            return self.0.fmt(out);
        }
        write_expr(self.0, false, Sums::Parenthesised, out)
    }
}

/// Returns the expression as its text is parsed.
fn as_read(it: &AffineExpr) -> AffineExpr {
    crate::recursion::with_stack(|| match it {
        AffineExpr::Binary(BinaryKind::Add, _) => {
            let mut terms = Vec::new();
            add_terms(it, &mut terms);
            let sum = terms
                .into_iter()
                .reduce(|sum, term| AffineExpr::new_binary(BinaryKind::Add, sum, term));
            sum.unwrap_or(AffineExpr::Constant(0))
        }
        AffineExpr::Binary(kind, sides) => {
            AffineExpr::new_binary(*kind, as_read(&sides.0), as_read(&sides.1))
        }
        other => other.clone(),
    })
}

/// The terms of a sum, from left to right.
fn add_terms(it: &AffineExpr, terms: &mut Vec<AffineExpr>) {
    crate::recursion::with_stack(|| match it.operands_of_kind(BinaryKind::Add) {
        Some((left, right)) => {
            add_terms(left, terms);
            add_terms(right, terms);
        }
        None => terms.push(as_read(it)),
    });
}

/// `strong`: inside of an operator that binds more tightly than a sum.
fn write_expr(it: &AffineExpr, strong: bool, sums: Sums, out: &mut Formatter<'_>) -> fmt::Result {
    let (kind, sides) = match it {
        AffineExpr::Dim(place) => return write!(out, "d{place}"),
        AffineExpr::Symbol(place) => return write!(out, "s{place}"),
        AffineExpr::Constant(value) => return write!(out, "{value}"),
        AffineExpr::Binary(kind, sides) => (*kind, sides),
    };
    let (left, right) = (&sides.0, &sides.1);
    let word = match kind {
        BinaryKind::Add => return write_sum(left, right, strong, sums, out),
        BinaryKind::Mul => " * ",
        BinaryKind::Mod => " mod ",
        BinaryKind::FloorDiv => " floordiv ",
        BinaryKind::CeilDiv => " ceildiv ",
    };
    let open = |out: &mut Formatter<'_>, text| if strong { out.write_str(text) } else { Ok(()) };
    open(out, "(")?;
    if kind == BinaryKind::Mul && *right == AffineExpr::Constant(-1) {
        out.write_str("-")?;
        write_expr(left, true, sums, out)?;
    } else {
        write_expr(left, true, sums, out)?;
        out.write_str(word)?;
        write_expr(right, true, sums, out)?;
    }
    open(out, ")")
}

fn write_sum(
    left: &AffineExpr,
    right: &AffineExpr,
    strong: bool,
    sums: Sums,
    out: &mut Formatter<'_>,
) -> fmt::Result {
    if strong {
        out.write_str("(")?;
    }
    write_expr(left, false, sums, out)?;
    match (right, right.operands_of_kind(BinaryKind::Mul)) {
        (_, Some((inner, AffineExpr::Constant(-1)))) => {
            out.write_str(" - ")?;
            // A subtracted sum must not lose its parentheses.
            write_expr(
                inner,
                inner.operands_of_kind(BinaryKind::Add).is_some(),
                sums,
                out,
            )?;
        }
        (_, Some((inner, AffineExpr::Constant(by)))) if *by < -1 && *by > i64::MIN => {
            out.write_str(" - ")?;
            write_expr(inner, true, sums, out)?;
            write!(out, " * {}", by.unsigned_abs())?;
        }
        // What has no positive counterpart is added.
        (AffineExpr::Constant(value), _) if *value < 0 && *value > i64::MIN => {
            write!(out, " - {}", value.unsigned_abs())?
        }
        _ => {
            out.write_str(" + ")?;
            write_expr(right, sums == Sums::Parenthesised, sums, out)?;
        }
    }
    if strong { out.write_str(")") } else { Ok(()) }
}

impl Display for AffineExpr {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write_expr(self, false, Sums::Bare, out)
    }
}

fn write_names(dims: u32, symbols: u32, out: &mut Formatter<'_>) -> fmt::Result {
    // Twice, and as a list of texts before.
    let each = 2 * "d4294967295, ".len() + size_of::<String>() + 16;
    check_room(dims as usize + symbols as usize, each).unwrap_or_else(|error| error.unwind());
    let list = |letter: char, count: u32| -> String {
        (0..count)
            .map(|place| format!("{letter}{place}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    write!(out, "({})", list('d', dims))?;
    if symbols > 0 {
        write!(out, "[{}]", list('s', symbols))?;
    }
    Ok(())
}

impl Display for AffineMap {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write_names(self.dims, self.symbols, out)?;
        let results: Vec<String> = self.results.iter().map(|it| Reread(it).to_string()).collect();
        write!(out, " -> ({})", results.join(", "))
    }
}

impl Display for IntegerSet {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write_names(self.dims, self.symbols, out)?;
        let relation = |equal: bool| if equal { "==" } else { ">=" };
        let constraints = self.constraints.iter();
        let constraints = constraints.map(|(it, equal)| format!("{} {} 0", Reread(it), relation(*equal)));
        write!(out, " : ({})", constraints.collect::<Vec<_>>().join(", "))
    }
}
