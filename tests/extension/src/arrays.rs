//! Arrays as arguments, results and fields.

use pairbond::convert::Subscript;
use pairbond::prelude::*;

/// The sum of an array's elements, of whatever type.
#[pairbond::function]
pub(crate) fn array_sum(array: Array) -> Result<f64, Error> {
    if let Ok(view) = array.view::<f64>() {
        return Ok(view.iter().sum());
    }
    if let Ok(view) = array.view::<i64>() {
        return Ok(view.iter().map(|n| n as f64).sum());
    }
    Ok(array.view::<u8>()?.iter().map(f64::from).sum())
}

/// Multiplies in place.
#[pairbond::function]
pub(crate) fn array_scale(array: Array, by: f64) -> Result<(), Error> {
    array.view::<f64>()?.update(|x| x * by)
}

/// Values that never change.
#[pairbond::function]
pub(crate) fn array_constant(values: Vec<f64>) -> Result<Array, Error> {
    let array = Array::constant(&[values.len()], values)?;
    if array.view::<f64>()?.as_slice().is_none() {
        return Err(Error::runtime_error("constant values are a slice"));
    }
    Ok(array)
}

/// Bytes as they are.
#[pairbond::function]
pub(crate) fn array_of_bytes(bytes: Bytes) -> Array {
    bytes.into()
}

/// Other elements of the same memory.
#[pairbond::function]
pub(crate) fn array_strided(
    array: Array,
    shape: Vec<usize>,
    strides: Vec<usize>,
    start: usize,
) -> Result<Array, Error> {
    array.strided(&shape, &strides, start)
}

/// Lends the memory of the array that it has at the moment.
#[pairbond::object("pairbond_testext.Lender")]
pub(crate) struct Lender {
    #[field(set)]
    array: Cell<Option<Array>>,
}

#[pairbond::methods]
impl Lender {
    #[new]
    fn new(array: Option<Array>) -> Self {
        Lender {
            array: Cell::new(array),
        }
    }

    fn __buffer__(&self) -> Result<Array, Error> {
        self.array
            .get()
            .ok_or_else(|| Error::runtime_error("there is nothing to lend"))
    }
}

/// What stands in brackets, in a sequence of that length.
pub(crate) struct Words(String);

impl<'a> pairbond::convert::FromValue<'a> for Words {
    fn expected_type() -> std::borrow::Cow<'static, str> {
        "a subscript".into()
    }
    fn from_value<S: pairbond::convert::Source<'a>>(source: S) -> Result<Self, pairbond::convert::Mismatch> {
        Ok(Words(match source.read_subscript() {
            Ok(Subscript::Several) => {
                let mut words = Vec::new();
                source.read_sequence(|_, item| {
                    words.push(Words::from_value(item)?.0);
                    Ok(())
                })?;
                format!("({})", words.join(" "))
            }
            Ok(Subscript::Ellipsis) => "...".into(),
            Ok(slice) => format!("{:?}", slice.places(5)),
            Err(pairbond::convert::Mismatch::Type) => source.read_i64()?.to_string(),
            Err(other) => return Err(other),
        }))
    }
}

/// What stands in brackets, in words.
#[pairbond::function]
pub(crate) fn subscripts(key: Words) -> String {
    key.0
}

/// Whether Rust may look at an array as a slice.
#[pairbond::function]
pub(crate) fn array_is_slice(array: Array) -> Result<bool, Error> {
    Ok(array.view::<f64>()?.as_slice().is_some())
}

/// Keeps an array for a thread that is not attached to Python to drop.
#[pairbond::function]
pub(crate) fn array_drop_elsewhere(array: Array) -> Result<f64, Error> {
    let sum = array_sum_of(&array)?;
    std::thread::spawn(move || drop(array))
        .join()
        .map_err(|_| Error::runtime_error("the thread panicked"))?;
    Ok(sum)
}

fn array_sum_of(array: &Array) -> Result<f64, Error> {
    Ok(array.view::<f64>()?.iter().sum())
}
