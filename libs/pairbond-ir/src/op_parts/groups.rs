//! Which operands, results, regions or successors are which part of a declaration.

use std::ops::Range;

use pairbond::prelude::*;

use crate::context::attributes::AttributeHead;
use crate::ir::{Operation, edits};
use crate::op_definition::{Arity, Part};

/// The elements of an attribute `array<i32: …>`; `None` if there is none, or an element is
/// negative.
pub(crate) fn segment_sizes(op: &Ref<Operation>, name: &str) -> Option<Vec<usize>> {
    let attribute = edits::attribute(op, name)?;
    let AttributeHead::DenseArray(bytes) = attribute.head() else {
        return None;
    };
    let (words, rest) = bytes.as_chunks::<4>();
    let sizes = words.iter().map(|it| i32::from_le_bytes(*it).try_into().ok());
    sizes.collect::<Option<_>>().filter(|_| rest.is_empty())
}

fn count_text(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The places of each part among `count` of them, or an error about the count. With two or more
/// parts that are not single, `sizes` has the length of each.
pub(super) fn group_ranges(
    parts: &[Part],
    count: usize,
    what: &str,
    sizes: impl FnOnce() -> (String, Option<Vec<usize>>),
) -> Result<Vec<Range<usize>>, String> {
    let single = parts.iter().filter(|it| it.arity == Arity::One).count();
    let lengths: Vec<usize> = match parts.len() - single {
        0 if count == single => vec![1; single],
        0 => {
            return Err(format!(
                "expected {}, but found {count}",
                count_text(single, what)
            ));
        }
        1 if count < single => {
            return Err(format!(
                "expected {} or more, but found {count}",
                count_text(single, what)
            ));
        }
        1 => {
            let length = |it: &Part| if it.arity == Arity::One { 1 } else { count - single };
            parts.iter().map(length).collect()
        }
        _ => {
            let (name, sizes) = sizes();
            let sizes = sizes.filter(|it| it.len() == parts.len());
            let sizes = sizes.ok_or_else(|| {
                format!(
                    "requires attribute '{name}', an array of {}",
                    count_text(parts.len(), "i32")
                )
            })?;
            if sizes.iter().sum::<usize>() != count {
                return Err(format!(
                    "has {}, which do not fit its '{name}'",
                    count_text(count, what)
                ));
            }
            sizes
        }
    };
    let mut from = 0;
    let mut all = Vec::with_capacity(parts.len());
    for (part, length) in parts.iter().zip(lengths) {
        let fits = match part.arity {
            Arity::One => length == 1,
            Arity::Optional => length <= 1,
            Arity::Variadic => true,
        };
        if !fits {
            return Err(format!(
                "has {length} times {what} '{}', of which there is one",
                part.name
            ));
        }
        all.push(from..from + length);
        from += length;
    }
    Ok(all)
}
