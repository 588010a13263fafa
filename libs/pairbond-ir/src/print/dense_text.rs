//! Elements.

use super::{Writer, escape_string};
use crate::context::attributes::{Attribute, AttributeHead, Element, array_element, element_count};
use crate::context::types::{Type, shape_of};

/// So many elements and no more are written one by one.
const READABLE: usize = 100;

/// How many elements are written, or the first of two sequences of them.
fn written_elements(it: &Attribute) -> usize {
    match it.head() {
        AttributeHead::Sparse => it.attributes().first().map_or(0, |it| written_elements(it)),
        AttributeHead::Dense { splat: true, .. } | AttributeHead::DenseStrings { splat: true, .. } => 1,
        _ => element_count(it.types()[0].head()).unwrap_or(0),
    }
}

impl Writer {
    /// `dense<…>` or `sparse<…>`, without the type.
    pub(super) fn print_elements(&mut self, it: &Attribute) {
        if self.most_elements.is_some_and(|most| written_elements(it) > most) {
            return self.push("dense_resource<__elided__>");
        }
        match it.head() {
            AttributeHead::Sparse => {
                self.push("sparse<");
                if let [indices, values] = it.attributes() {
                    self.print_indices(indices);
                    self.push(", ");
                    self.print_dense_content(values, false);
                }
            }
            _ => {
                self.push("dense<");
                self.print_dense_content(it, true);
            }
        }
        self.push(">");
    }

    /// Indices, each in full: one that stands for all is read as one for each dimension.
    fn print_indices(&mut self, it: &Attribute) {
        let sizes = shape_of(it.types()[0].head()).unwrap_or_default();
        let (AttributeHead::Dense { data, splat }, [many, ..]) = (it.head(), &sizes[..]) else {
            return self.print_dense_content(it, false);
        };
        if let [many, 0] = sizes[..] {
            self.push("[");
            self.print_list(0..many, |out, _| out.push("[]"));
            return self.push("]");
        }
        if !splat || *many == 1 {
            return self.print_dense_content(it, false);
        }
        let element = Element::from_type(Type::element_or_self(&it.types()[0])).expect("indices are numbers");
        let sizes: Vec<usize> = sizes.iter().map(|it| usize::try_from(*it).unwrap_or(0)).collect();
        self.print_nested(&sizes, false, |out, _| out.push(&element.element_text(data)));
    }

    /// Prints the contents of `dense<…>`.
    fn print_dense_content(&mut self, it: &Attribute, hexadecimal: bool) {
        let r#type = &it.types()[0];
        let sizes: Vec<usize> = shape_of(r#type.head())
            .unwrap_or_default()
            .into_iter()
            .map(|size| usize::try_from(size).unwrap_or(0))
            .collect();
        match it.head() {
            AttributeHead::Dense { data, splat } => {
                let element =
                    Element::from_type(Type::element_or_self(r#type)).expect("dense elements are numbers");
                let all = data.len() / element.byte_size().max(1);
                if hexadecimal && !splat && all > READABLE {
                    self.push("\"0x");
                    for byte in data.iter() {
                        self.push_format(format_args!("{byte:02X}"));
                    }
                    return self.push("\"");
                }
                let at = |place: usize| {
                    element
                        .element_text(&data[place * element.byte_size()..(place + 1) * element.byte_size()])
                };
                self.print_nested(&sizes, *splat, |out, place| out.push(&at(place)));
            }
            AttributeHead::DenseStrings { data, splat } => {
                self.print_nested(&sizes, *splat, |out, place| {
                    out.push_format(format_args!("\"{}\"", escape_string(&data[place])));
                });
            }
            _ => {}
        }
    }

    /// Elements in the brackets of their shape.
    fn print_nested(&mut self, sizes: &[usize], splat: bool, mut element: impl FnMut(&mut Self, usize)) {
        let all: usize = sizes.iter().product();
        if splat || sizes.is_empty() {
            return element(self, 0);
        }
        for place in 0..all {
            // How many of the innermost dimensions begin here.
            let begun = |place: usize| {
                let mut inner = 1;
                let sizes = sizes.iter().rev();
                sizes
                    .take_while(|size| {
                        inner *= **size;
                        place.is_multiple_of(inner)
                    })
                    .count()
            };
            if place > 0 {
                (0..begun(place)).for_each(|_| self.push("]"));
                self.push(", ");
            }
            (0..begun(place)).for_each(|_| self.push("["));
            element(self, place);
        }
        if all > 0 {
            sizes.iter().for_each(|_| self.push("]"));
        }
    }

    /// `array<i32: 1, 2>`
    pub(super) fn dense_array(&mut self, data: &[u8], r#type: &Type) {
        self.push("array<");
        self.print_type(r#type);
        let element = array_element(r#type).expect("a dense array is one of numbers");
        if !data.is_empty() {
            self.push(": ");
            self.print_list(data.chunks_exact(element.byte_size()), |out, bytes| {
                out.push(&element.element_text(bytes))
            });
        }
        self.push(">");
    }
}
