//! `repr`, to the character as PyTorch writes it: four digits, lines of 80 characters, three
//! elements at each end of a long dimension.

use crate::data::{DType, Element, Geometry, dispatch};
use crate::tensor::T;

const WIDTH: usize = 80;
const PRECISION: usize = 4;
/// More elements than this are not all shown.
const THRESHOLD: usize = 1000;
const EDGE: usize = 3;
const PREFIX: &str = "tensor(";

/// How numbers are written, all alike.
enum Style {
    Words,
    /// Floats without a fraction.
    Whole,
    Fixed,
    Scientific,
}

struct Format {
    style: Style,
    width: usize,
}

/// As Python's `f"{value:.4e}"`.
fn format_scientific(value: f64) -> String {
    let text = format!("{value:.PRECISION$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent
                .strip_prefix('-')
                .map_or(('+', exponent), |rest| ('-', rest));
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

fn special_text(value: f64) -> Option<&'static str> {
    match value {
        _ if value.is_finite() => None,
        _ if value.is_nan() => Some("nan"),
        _ if value > 0.0 => Some("inf"),
        _ => Some("-inf"),
    }
}

impl Format {
    fn for_numbers(shown: &[f64], dtype: DType) -> Format {
        let mut format = Format {
            style: Style::Words,
            width: 1,
        };
        if !dtype.is_float() {
            let widths = shown
                .iter()
                .map(|&value| format.format_number(value, dtype).len());
            format.width = widths.max().unwrap_or(1);
            return format;
        }
        format.style = Style::Whole;
        let finite: Vec<f64> = shown
            .iter()
            .copied()
            .filter(|value| value.is_finite() && *value != 0.0)
            .collect();
        if finite.is_empty() {
            return format;
        }
        let largest = finite
            .iter()
            .fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let smallest = finite
            .iter()
            .fold(f64::INFINITY, |smallest, value| smallest.min(value.abs()));
        let whole = finite.iter().all(|value| *value == value.ceil());
        format.style = if largest / smallest > 1000.0 || largest > 1e8 || !whole && smallest < 1e-4 {
            Style::Scientific
        } else if whole {
            Style::Whole
        } else {
            Style::Fixed
        };
        let widths = finite
            .iter()
            .map(|&value| format.format_number(value, dtype).len());
        format.width = widths.max().unwrap_or(1);
        format
    }

    fn format_number(&self, value: f64, dtype: DType) -> String {
        if dtype.is_float()
            && let Some(text) = special_text(value)
        {
            // In scientific style Python writes these padded, too.
            return text.into();
        }
        match self.style {
            Style::Words if dtype == DType::Bool => if value == 0.0 { "False" } else { "True" }.into(),
            Style::Words => format!("{}", value as i64),
            Style::Whole => format!("{value:.0}."),
            Style::Fixed => format!("{value:.PRECISION$}"),
            Style::Scientific => format_scientific(value),
        }
    }
}

/// The places of a dimension that are written: all, or `None` between those at both ends.
fn shown_places(len: usize, short: bool) -> Vec<Option<usize>> {
    if !short || len <= 2 * EDGE {
        return (0..len).map(Some).collect();
    }
    let end = (len - EDGE..len).map(Some);
    (0..EDGE).map(Some).chain([None]).chain(end).collect()
}

struct Writer<'a> {
    geometry: &'a Geometry,
    text: &'a dyn Fn(usize) -> String,
    width: usize,
    short: bool,
}

impl Writer<'_> {
    /// The elements in brackets, from a dimension and a place in memory on.
    fn write_axis(&self, axis: usize, start: usize, indent: usize) -> String {
        let (Some(&len), Some(&stride)) = (self.geometry.shape.get(axis), self.geometry.strides.get(axis))
        else {
            return format!("{:>width$}", (self.text)(start), width = self.width);
        };
        let inner = self.geometry.shape.len() - axis - 1;
        let one = |place: &Option<usize>| match place {
            Some(place) if inner == 0 => {
                format!(
                    "{:>width$}",
                    (self.text)(start + place * stride),
                    width = self.width
                )
            }
            Some(place) => self.write_axis(axis + 1, start + place * stride, indent + 1),
            None => if inner == 0 { " ..." } else { "..." }.to_owned(),
        };
        let parts: Vec<String> = shown_places(len, self.short).iter().map(one).collect();
        let next = format!(",{}{}", "\n".repeat(inner.max(1)), " ".repeat(indent + 1));
        if inner > 0 {
            return format!("[{}]", parts.join(&next));
        }
        let per_line = (WIDTH.saturating_sub(indent) / (self.width + 2)).max(1);
        let lines: Vec<String> = parts.chunks(per_line).map(|line| line.join(", ")).collect();
        format!("[{}]", lines.join(&next))
    }

    /// The places of all elements that are written.
    fn collect_shown(&self, axis: usize, start: usize, into: &mut Vec<usize>) {
        match (self.geometry.shape.get(axis), self.geometry.strides.get(axis)) {
            (Some(&len), Some(&stride)) => {
                for place in shown_places(len, self.short).into_iter().flatten() {
                    self.collect_shown(axis + 1, start + place * stride, into);
                }
            }
            _ => into.push(start),
        }
    }
}

/// `tensor([1., 2.], grad_fn=<MulBackward0>)`
pub(super) fn tensor_repr(tensor: &T, history: Option<String>) -> String {
    let (dtype, len) = (tensor.dtype(), tensor.numel());
    let memory = tensor.storage().read_memory();
    let value = |place: usize| dispatch!(dtype, E => memory.typed_slice::<E>()[place].to_f64());
    let mut writer = Writer {
        geometry: tensor.geometry(),
        text: &|_| String::new(),
        width: 0,
        short: len > THRESHOLD,
    };
    let mut shown = Vec::new();
    if len > 0 {
        writer.collect_shown(0, tensor.geometry().offset, &mut shown);
    }
    let format = Format::for_numbers(
        &shown.iter().map(|&place| value(place)).collect::<Vec<_>>(),
        dtype,
    );
    // Large integers are not all floats.
    let exact = |place: usize| match dtype {
        DType::Int64 => memory.typed_slice::<i64>()[place].to_string(),
        _ => format.format_number(value(place), dtype),
    };
    writer.text = &exact;
    writer.width = match dtype {
        DType::Int64 => shown.iter().map(|&place| exact(place).len()).max().unwrap_or(0),
        _ => format.width,
    };
    let mut suffixes = Vec::new();
    let mut text = if len == 0 {
        if tensor.shape().len() != 1 {
            let shape: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
            suffixes.push(format!("size=({})", shape.join(", ")));
        }
        format!("{PREFIX}[]")
    } else {
        format!(
            "{PREFIX}{}",
            writer.write_axis(0, tensor.geometry().offset, PREFIX.len())
        )
    };
    if dtype == DType::Float64 || len == 0 && dtype != DType::Float32 {
        suffixes.push(format!("dtype={}", dtype.name()));
    }
    suffixes.extend(history);
    let mut line = text.len() - text.rfind('\n').map_or(0, |at| at + 1) + 1;
    for suffix in suffixes {
        if line + suffix.len() + 2 > WIDTH {
            text += &format!(",\n{}{suffix}", " ".repeat(PREFIX.len()));
            line = PREFIX.len() + suffix.len();
        } else {
            text += &format!(", {suffix}");
            line += suffix.len() + 2;
        }
    }
    text + ")"
}
