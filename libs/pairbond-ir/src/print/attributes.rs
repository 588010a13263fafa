//! Attributes.

use super::{Elide, Writer, deep, escaped, is_bare_name, symbol_name};
use crate::attributes::{Attribute, AttributeHead};
use crate::numbers;
use crate::types::{DYNAMIC, Sign, Type, TypeHead};

impl Writer {
    /// An attribute, by its alias if it has one.
    pub(crate) fn attribute(&mut self, it: &Attribute, elide: Elide) {
        if let Some(alias) = self.alias(it) {
            let alias = alias.to_owned();
            return self.push(&alias);
        }
        deep(|| self.whole_attribute(it, elide));
    }

    pub(super) fn whole_attribute(&mut self, it: &Attribute, elide: Elide) {
        match it.head() {
            AttributeHead::Unit => self.push("unit"),
            AttributeHead::Integer(bytes) => self.integer(bytes, &it.types()[0], elide),
            AttributeHead::Float(bits) => self.float(*bits, &it.types()[0], elide),
            AttributeHead::String(bytes) => {
                self.format(format_args!("\"{}\"", escaped(bytes)));
                if *it.types()[0].head() != TypeHead::None {
                    self.suffix(&it.types()[0], elide);
                }
            }
            AttributeHead::Array => {
                self.push("[");
                self.list(it.attributes(), |out, it| out.attribute(it, Elide::May));
                self.push("]");
            }
            AttributeHead::Dictionary(names) => {
                self.push("{");
                self.list(names.iter().zip(it.attributes()), |out, (name, it)| {
                    out.named(name, it)
                });
                self.push("}");
            }
            AttributeHead::Type => self.r#type(&it.types()[0]),
            AttributeHead::SymbolRef(path) => {
                let path: Vec<String> = path.iter().map(|name| symbol_name(name)).collect();
                self.push(&path.join("::"));
            }
            AttributeHead::AffineMap(map) => self.format(format_args!("affine_map<{map}>")),
            AttributeHead::IntegerSet(set) => self.format(format_args!("affine_set<{set}>")),
            AttributeHead::Strided { strides, offset } => self.strided(strides, *offset),
            AttributeHead::Dense { .. } | AttributeHead::DenseStrings { .. } | AttributeHead::Sparse => {
                self.elements(it);
                self.suffix(&it.types()[0], elide);
            }
            AttributeHead::DenseArray(data) => self.dense_array(data, &it.types()[0]),
            AttributeHead::DenseResource(name) => {
                match is_bare_name(name) {
                    true => self.format(format_args!("dense_resource<{name}>")),
                    false => self.format(format_args!("dense_resource<\"{}\">", escaped(name.as_bytes()))),
                }
                self.suffix(&it.types()[0], elide);
            }
            AttributeHead::Opaque { dialect, text } => {
                self.opaque('#', dialect, text);
                it.types().iter().for_each(|of| self.suffix(of, elide));
            }
            AttributeHead::Distinct(id) => self.distinct(*id, &it.attributes()[0]),
            _ if self.pretty_locations => self.whole_pretty_location(it),
            _ => {
                self.push("loc(");
                self.whole_location(it);
                self.push(")");
            }
        }
    }

    /// ` : type`
    fn suffix(&mut self, r#type: &Type, elide: Elide) {
        if elide != Elide::Must {
            self.push(" : ");
            self.r#type(r#type);
        }
    }

    /// `name = attribute`; what says something by being there, by its name alone.
    pub(crate) fn named(&mut self, name: &str, it: &Attribute) {
        match is_bare_name(name) {
            true => self.push(name),
            false => self.format(format_args!("\"{}\"", escaped(name.as_bytes()))),
        }
        if *it.head() != AttributeHead::Unit {
            self.push(" = ");
            self.attribute(it, Elide::Never);
        }
    }

    fn integer(&mut self, bytes: &[u8], r#type: &Type, elide: Elide) {
        let (width, sign) = match r#type.head() {
            TypeHead::Integer { width, sign } => (*width, *sign),
            _ => (64, Sign::Signed),
        };
        let signless = matches!(
            r#type.head(),
            TypeHead::Integer {
                sign: Sign::Signless,
                ..
            }
        );
        if signless && width == 1 {
            return self.push(if bytes[0] == 1 { "true" } else { "false" });
        }
        self.push(&numbers::integer_text(bytes, width, sign != Sign::Unsigned));
        if !(elide == Elide::May && signless && width == 64) {
            self.suffix(r#type, elide);
        }
    }

    fn float(&mut self, bits: u128, r#type: &Type, elide: Elide) {
        let TypeHead::Float(kind) = r#type.head() else {
            unreachable!("a float attribute has a float type")
        };
        let (text, hexadecimal) = numbers::float_text(bits, *kind);
        self.push(&text);
        if !(elide == Elide::May && *kind == numbers::FloatKind::F64 && !hexadecimal) {
            self.suffix(r#type, elide);
        }
    }

    fn strided(&mut self, strides: &[i64], offset: i64) {
        let number = |out: &mut Self, value: i64| match value {
            DYNAMIC => out.push("?"),
            value => out.format(format_args!("{value}")),
        };
        self.push("strided<[");
        self.list(strides, |out, it| number(out, *it));
        self.push("]");
        if offset != 0 {
            self.push(", offset: ");
            number(self, offset);
        }
        self.push(">");
    }

    fn distinct(&mut self, id: u64, about: &Attribute) {
        let next = self.distinct.len();
        let number = *self.distinct.entry(id).or_insert(next);
        self.format(format_args!("distinct[{number}]<"));
        if *about.head() != AttributeHead::Unit {
            self.attribute(about, Elide::Never);
        }
        self.push(">");
    }
}
