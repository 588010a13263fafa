//! Default values, as Python would write them in a signature.

use syn::{Expr, Lit, UnOp};

/// Python source text for a Rust expression; `...` when it is more than a literal.
pub(super) fn default_text(value: &Expr) -> String {
    python_text(value).unwrap_or_else(|| "...".to_owned())
}

fn python_text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => self::literal_text(&literal.lit),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            Some(format!("-{}", number_text(&unary.expr)?))
        }
        Expr::Paren(inner) => python_text(&inner.expr),
        Expr::Group(inner) => python_text(&inner.expr),
        Expr::Path(path) if path.path.segments.last()?.ident == "None" => Some("None".to_owned()),
        Expr::Tuple(tuple) if tuple.elems.is_empty() => Some("None".to_owned()),
        // `Some(3)`, `String::from("x")`: Python passes the inner value.
        Expr::Call(call) if call.args.len() == 1 => match &*call.func {
            Expr::Path(path) if matches!(&*path.path.segments.last()?.ident.to_string(), "Some" | "from") => {
                python_text(&call.args[0])
            }
            _ => None,
        },
        // `"x".into()`
        Expr::MethodCall(call) if matches!(&*call.method.to_string(), "into" | "to_owned" | "to_string") => {
            python_text(&call.receiver)
        }
        _ => None,
    }
}

fn number_text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_) | Lit::Float(_)) => {
            self::literal_text(&literal.lit)
        }
        _ => None,
    }
}

fn literal_text(literal: &Lit) -> Option<String> {
    Some(match literal {
        Lit::Bool(value) => if value.value { "True" } else { "False" }.to_owned(),
        Lit::Int(value) => value.base10_digits().to_owned(),
        Lit::Float(value) => value.base10_digits().to_owned(),
        Lit::Byte(value) => value.value().to_string(),
        Lit::Char(value) => quote_text(value.value().to_string().chars()),
        Lit::Str(value) => quote_text(value.value().chars()),
        // Every byte is a `char` below 256, and both languages write those alike.
        Lit::ByteStr(value) => format!("b{}", quote_text(value.value().into_iter().map(char::from))),
        _ => return None,
    })
}

fn quote_text(text: impl IntoIterator<Item = char>) -> String {
    let mut out = String::from("'");
    for c in text {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii_control() || ('\u{7f}'..='\u{ff}').contains(&c) => {
                out.push_str(&format!("\\x{:02x}", c as u32))
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn python_text() {
        for (rust, python) in [
            ("true", "True"),
            ("1_000u64", "1000"),
            ("0xff", "255"),
            ("-2.5", "-2.5"),
            ("None", "None"),
            ("Some(-1)", "-1"),
            ("()", "None"),
            ("\"it's\\n\"", "'it\\'s\\n'"),
            ("\"x\".into()", "'x'"),
            ("String::from(\"x\")", "'x'"),
            ("b\"\\xff\\0\"", "b'\\xff\\x00'"),
            ("'c'", "'c'"),
            ("-x", "..."),
            ("Vec::new()", "..."),
            ("LIMIT", "..."),
            ("1 + 1", "..."),
        ] {
            assert_eq!(
                super::default_text(&syn::parse_str(rust).unwrap()),
                python,
                "{rust}"
            );
        }
    }
}
