//! Types.

use super::{Elide, Writer};
use crate::affine::DYNAMIC;
use crate::context::types::{Type, TypeHead};
use crate::numbers::Sign;
use crate::recursion::with_stack;
use pairbond_ir_tools::text::lexer::string_end;

impl Writer {
    /// A type, by its alias if it has one.
    pub(crate) fn print_type(&mut self, it: &Type) {
        if let Some(alias) = self.alias_of(it) {
            let alias = alias.to_owned();
            return self.push(&alias);
        }
        with_stack(|| self.whole_type(it));
    }

    pub(super) fn whole_type(&mut self, it: &Type) {
        match it.head() {
            TypeHead::Integer { width, sign } => {
                let prefix = match sign {
                    Sign::Signless => "i",
                    Sign::Signed => "si",
                    Sign::Unsigned => "ui",
                };
                self.push_format(format_args!("{prefix}{width}"));
            }
            TypeHead::Float(kind) => self.push(kind.name()),
            TypeHead::Index => self.push("index"),
            TypeHead::None => self.push("none"),
            TypeHead::Complex => {
                self.push("complex<");
                self.print_type(&it.types()[0]);
                self.push(">");
            }
            TypeHead::Function { inputs } => {
                self.print_function_type(&it.types()[..*inputs], &it.types()[*inputs..])
            }
            TypeHead::Tuple => {
                self.push("tuple<");
                self.print_list(it.types(), |out, it| out.print_type(it));
                self.push(">");
            }
            TypeHead::Vector { shape } => {
                self.push("vector<");
                for (size, scalable) in shape {
                    match scalable {
                        true => self.push_format(format_args!("[{size}]x")),
                        false => self.push_format(format_args!("{size}x")),
                    }
                }
                self.print_type(&it.types()[0]);
                self.push(">");
            }
            TypeHead::Tensor { shape } => self.print_shaped("tensor<", shape.as_deref(), it),
            TypeHead::MemRef { shape, .. } => self.print_shaped("memref<", shape.as_deref(), it),
            TypeHead::Opaque { dialect, text } => self.print_opaque('!', dialect, text),
        }
    }

    /// `(inputs) -> results`
    pub(crate) fn print_function_type<T: std::ops::Deref<Target = Type>>(
        &mut self,
        inputs: &[T],
        results: &[T],
    ) {
        self.push("(");
        self.print_list(inputs, |out, it| out.print_type(it));
        self.push(") -> ");
        self.print_result_types(results);
    }

    /// One type that is no function's, or several in parentheses.
    pub(crate) fn print_result_types<T: std::ops::Deref<Target = Type>>(&mut self, results: &[T]) {
        match results {
            [only] if !matches!(only.head(), TypeHead::Function { .. }) => self.print_type(only),
            _ => {
                self.push("(");
                self.print_list(results, |out, it| out.print_type(it));
                self.push(")");
            }
        }
    }

    fn print_shaped(&mut self, word: &str, shape: Option<&[i64]>, it: &Type) {
        self.push(word);
        match shape {
            None => self.push("*x"),
            Some(sizes) => sizes.iter().for_each(|size| match *size {
                DYNAMIC => self.push("?x"),
                size => self.push_format(format_args!("{size}x")),
            }),
        }
        self.print_type(&it.types()[0]);
        let tensor = matches!(it.head(), TypeHead::Tensor { .. });
        for attribute in it.attributes() {
            self.push(", ");
            self.print_attribute(attribute, if tensor { Elide::Never } else { Elide::May });
        }
        self.push(">");
    }

    /// `!dialect.text` where that can be read again, else `!dialect<text>`.
    pub(super) fn print_opaque(&mut self, mark: char, dialect: &str, text: &str) {
        match is_pretty(text) {
            true => self.push_format(format_args!("{mark}{dialect}.{text}")),
            false => self.push_format(format_args!("{mark}{dialect}<{text}>")),
        }
    }
}

/// A word, with or without something in brackets behind it.
fn is_pretty(text: &str) -> bool {
    let word = |it: char| it.is_ascii_alphanumeric() || it == '.' || it == '_';
    let rest = text.trim_start_matches(word);
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && (rest.is_empty()
            || rest.starts_with('<') && find_closing_bracket(rest.as_bytes()) == Some(rest.len()))
}

/// Whether a text ends where it should if it stands in `<>`.
pub(crate) fn is_balanced(text: &str) -> bool {
    is_pretty(text) || find_closing_bracket(format!("<{text}>").as_bytes()) == Some(text.len() + 2)
}

/// Where the bracket that a text begins with is closed, as it is read.
fn find_closing_bracket(text: &[u8]) -> Option<usize> {
    let (mut open, mut at) = (Vec::new(), 0);
    loop {
        match *text.get(at)? {
            opening @ (b'<' | b'[' | b'(' | b'{') => open.push(opening),
            b'-' if text.get(at + 1) == Some(&b'>') => at += 1,
            closing @ (b'>' | b']' | b')' | b'}') => {
                let wanted = match open.pop()? {
                    b'<' => b'>',
                    b'[' => b']',
                    b'(' => b')',
                    _ => b'}',
                };
                if wanted != closing {
                    return None;
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            b'"' => {
                at = string_end(text, at).ok()?;
                continue;
            }
            0 => return None,
            _ => {}
        }
        at += 1;
    }
}
