//! Attributes.

use super::{Elide, Writer, escape_string, is_bare_name, symbol_name};
use crate::affine::DYNAMIC;
use crate::context::attributes::{Attribute, AttributeHead};
use crate::context::types::{Type, TypeHead};
use crate::numbers;
use crate::numbers::Sign;
use crate::recursion::with_stack;

impl Writer {
    /// An attribute, by its alias if it has one.
    pub(crate) fn print_attribute(&mut self, it: &Attribute, elide: Elide) {
        if let Some(alias) = self.alias_of(it) {
            let alias = alias.to_owned();
            return self.push(&alias);
        }
        with_stack(|| self.whole_attribute(it, elide));
    }

    pub(super) fn whole_attribute(&mut self, it: &Attribute, elide: Elide) {
        match it.head() {
            AttributeHead::Unit => self.push("unit"),
            AttributeHead::Integer(bytes) => self.print_integer(bytes, &it.types()[0], elide),
            AttributeHead::Float(bits) => self.print_float(*bits, &it.types()[0], elide),
            AttributeHead::String(bytes) => {
                self.push_format(format_args!("\"{}\"", escape_string(bytes)));
                if *it.types()[0].head() != TypeHead::None {
                    self.print_type_suffix(&it.types()[0], elide);
                }
            }
            AttributeHead::Array => {
                self.push("[");
                self.print_list(it.attributes(), |out, it| out.print_attribute(it, Elide::May));
                self.push("]");
            }
            AttributeHead::Dictionary(names) => {
                self.push("{");
                self.print_list(names.iter().zip(it.attributes()), |out, (name, it)| {
                    out.print_named_attribute(name, it)
                });
                self.push("}");
            }
            AttributeHead::Type => self.print_type(&it.types()[0]),
            AttributeHead::SymbolRef(path) => {
                let path: Vec<String> = path.iter().map(|name| symbol_name(name)).collect();
                self.push(&path.join("::"));
            }
            AttributeHead::AffineMap(map) => self.push_format(format_args!("affine_map<{map}>")),
            AttributeHead::IntegerSet(set) => self.push_format(format_args!("affine_set<{set}>")),
            AttributeHead::Strided { strides, offset } => self.print_strided(strides, *offset),
            AttributeHead::Dense { .. } | AttributeHead::DenseStrings { .. } | AttributeHead::Sparse => {
                self.print_elements(it);
                self.print_type_suffix(&it.types()[0], elide);
            }
            AttributeHead::DenseArray(data) => self.dense_array(data, &it.types()[0]),
            AttributeHead::DenseResource(name) => {
                match is_bare_name(name) {
                    true => self.push_format(format_args!("dense_resource<{name}>")),
                    false => self.push_format(format_args!(
                        "dense_resource<\"{}\">",
                        escape_string(name.as_bytes())
                    )),
                }
                self.print_type_suffix(&it.types()[0], elide);
            }
            AttributeHead::Opaque { dialect, text } => {
                self.print_opaque('#', dialect, text);
                it.types().iter().for_each(|of| self.print_type_suffix(of, elide));
            }
            AttributeHead::Distinct(id) => self.print_distinct(*id, &it.attributes()[0]),
            _ if self.pretty_locations => self.whole_pretty_location(it),
            _ => {
                self.push("loc(");
                self.whole_location(it);
                self.push(")");
            }
        }
    }

    /// ` : type`
    fn print_type_suffix(&mut self, r#type: &Type, elide: Elide) {
        if elide != Elide::Must {
            self.push(" : ");
            self.print_type(r#type);
        }
    }

    /// `name = attribute`; what says something by being there, by its name alone.
    pub(crate) fn print_named_attribute(&mut self, name: &str, it: &Attribute) {
        match is_bare_name(name) {
            true => self.push(name),
            false => self.push_format(format_args!("\"{}\"", escape_string(name.as_bytes()))),
        }
        if *it.head() != AttributeHead::Unit {
            self.push(" = ");
            self.print_attribute(it, Elide::Never);
        }
    }

    fn print_integer(&mut self, bytes: &[u8], r#type: &Type, elide: Elide) {
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
            self.print_type_suffix(r#type, elide);
        }
    }

    fn print_float(&mut self, bits: u128, r#type: &Type, elide: Elide) {
        let TypeHead::Float(kind) = r#type.head() else {
            unreachable!("a float attribute has a float type")
        };
        let (text, hexadecimal) = numbers::float_text(bits, *kind);
        self.push(&text);
        if !(elide == Elide::May && *kind == numbers::FloatKind::F64 && !hexadecimal) {
            self.print_type_suffix(r#type, elide);
        }
    }

    fn print_strided(&mut self, strides: &[i64], offset: i64) {
        let number = |out: &mut Self, value: i64| match value {
            DYNAMIC => out.push("?"),
            value => out.push_format(format_args!("{value}")),
        };
        self.push("strided<[");
        self.print_list(strides, |out, it| number(out, *it));
        self.push("]");
        if offset != 0 {
            self.push(", offset: ");
            number(self, offset);
        }
        self.push(">");
    }

    fn print_distinct(&mut self, id: u64, about: &Attribute) {
        let next = self.distinct.len();
        let number = *self.distinct.entry(id).or_insert(next);
        self.push_format(format_args!("distinct[{number}]<"));
        if *about.head() != AttributeHead::Unit {
            self.print_attribute(about, Elide::Never);
        }
        self.push(">");
    }
}
