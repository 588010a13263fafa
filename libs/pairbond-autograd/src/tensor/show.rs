//! `repr`.

use super::{Element, Tensor, dispatch};

fn number(value: f64, dtype: super::DType) -> String {
    match dtype {
        super::DType::Bool => if value == 0.0 { "False" } else { "True" }.into(),
        super::DType::Int64 => format!("{}", value as i64),
        _ if value == value.trunc() && value.abs() < 1e16 => format!("{value:.0}."),
        super::DType::Float32 => format!("{}", value as f32),
        super::DType::Float64 => format!("{value}"),
    }
}

/// The elements in brackets.
fn nested(texts: &mut impl Iterator<Item = String>, shape: &[usize], indent: usize) -> String {
    let Some((&len, inner)) = shape.split_first() else {
        return texts.next().unwrap_or_default();
    };
    let parts: Vec<String> = (0..len).map(|_| nested(texts, inner, indent + 1)).collect();
    let between = match inner.len() {
        0 => ", ".to_owned(),
        rank => format!(",{}{}", "\n".repeat(rank), " ".repeat(indent + 1)),
    };
    format!("[{}]", parts.join(&between))
}

/// `tensor([1., 2.], grad_fn=<MulBackward0>)`
pub(super) fn repr(tensor: &Tensor, history: Option<String>) -> String {
    let dtype = tensor.dtype();
    let memory = tensor.storage.read();
    let texts: Vec<String> = dispatch!(dtype, E => {
        let numbers = memory.slice::<E>();
        tensor.geometry.places().map(|at| number(numbers[at].to_f64(), dtype)).collect()
    });
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    let mut padded = texts.iter().map(|text| match tensor.shape().len() {
        0 => text.clone(),
        _ => format!("{text:>width$}"),
    });
    let mut text = format!("tensor({}", nested(&mut padded, tensor.shape(), "tensor(".len()));
    if dtype == super::DType::Float64 {
        text += ", dtype=float64";
    }
    if let Some(history) = history {
        text += &format!(", {history}");
    }
    text + ")"
}
