//! Every conversion, there and back.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use pairbond::convert::CallEach;
use pairbond::prelude::*;
use pairbond::value::{BigInt, DType, Device};

identity! { conversion:
    i8_: i8;
    i16_: i16;
    i32_: i32;
    i64_: i64;
    u8_: u8;
    u16_: u16;
    u32_: u32;
    u64_: u64;
    i128_: i128;
    u128_: u128;
    f32_: f32;
    f64_: f64;
    bool_: bool;
    char_: char;
    string: String;
    text: Str;
    blob: Bytes;
    path: PathBuf;
    option: Option<i64>;
    vec: Vec<i64>;
    array: [i64; 3];
    set: BTreeSet<i64>;
    unordered: HashSet<i64>;
    unordered_any: HashSet<Vec<i64>>;
    ordered_map: BTreeMap<String, i64>;
    map: HashMap<String, i64>;
    pair: (i64, String);
    nested: HashMap<String, Vec<(i64, Option<String>)>>;
    unit: ();
    any: Any;
    foreign: Foreign;
    function: Function;
    sized: (isize, usize);
    big: BigInt;
    dtype: DType;
    device: Device;
    bytes_like: Vec<Bytes>;
}

/// Whether that is the name of a function that returns its argument by a conversion.
#[pairbond::function]
pub(crate) fn converts(name: &str) -> bool {
    named_conversion(name).is_some()
}

/// The same conversions where Rust calls Rust.
#[pairbond::function]
pub(crate) fn called_by_rust(name: &str, value: Any) -> Result<Any, Error> {
    let function = named_conversion(name).ok_or_else(|| Error::key_error(name))?;
    function.call(&[value])
}

fn named_conversion(name: &str) -> Option<Function> {
    conversion(name).or_else(|| crate::values::conversion(name))
}

#[pairbond::function]
pub(crate) fn str_(value: &str) -> &str {
    value
}

#[pairbond::function]
pub(crate) fn bytes_(value: &[u8]) -> &[u8] {
    value
}

#[pairbond::function]
pub(crate) fn apply(function: Function, #[rest] arguments: Vec<Any>) -> Result<Any, Error> {
    function.call(&arguments)
}

/// Calls a function with one value after the other.
struct Calls {
    values: std::vec::IntoIter<Any>,
    results: Vec<Any>,
    stop: Option<Any>,
}

impl CallEach for Calls {
    fn next_argument(&mut self, place: &mut Any) -> bool {
        let Some(next) = self.values.next() else {
            return false;
        };
        assert!(
            !matches!(&next, Any::Str(text) if **text == *"panic"),
            "a value that panics"
        );
        *place = next;
        true
    }

    fn on_result(&mut self, result: &Any) -> Result<bool, Error> {
        if matches!(result, Any::Str(text) if **text == *"refused") {
            return Err(Error::value_error("refused"));
        }
        self.results.push(result.clone());
        Ok(self.stop.as_ref().is_none_or(|it| it.kind() != result.kind()))
    }
}

/// What a function returns for one value after the other, until it is of the kind of `stop`.
#[pairbond::function]
pub(crate) fn call_each(function: Function, values: Vec<Any>, stop: Option<Any>) -> Result<Vec<Any>, Error> {
    let mut calls = Calls {
        values: values.into_iter(),
        results: Vec::new(),
        stop,
    };
    function.call_each(&mut calls)?;
    Ok(calls.results)
}

/// The same on a thread that Python does not know.
#[pairbond::function]
#[detach]
pub(crate) fn call_each_later(function: Function, values: Vec<Any>) -> Result<Vec<Any>, Error> {
    std::thread::spawn(move || call_each(function, values, None))
        .join()
        .map_err(|_| Error::runtime_error("the thread panicked"))?
}

/// Calls from a thread that Python does not know.
#[pairbond::function]
#[detach]
pub(crate) fn apply_later(function: Function, argument: Any) -> Result<Any, Error> {
    std::thread::spawn(move || function.call(&[argument]))
        .join()
        .map_err(|_| Error::runtime_error("the thread panicked"))?
}

#[pairbond::function]
pub(crate) fn native_function() -> Function {
    Function::new("double", |arguments| match arguments {
        [Any::Int(value)] => Ok(Any::Int(value * 2)),
        [Any::Str(text)] => Ok(Any::from(format!("{text}{text}"))),
        _ => Err(Error::type_error("double() takes an int or a str")),
    })
}

#[pairbond::function]
pub(crate) fn collect_anys(values: Vec<Any>) -> Vec<Any> {
    values
}

/// Iterates with a callback for each element, which may do anything to the container.
#[pairbond::function]
pub(crate) fn walk(values: Vec<i64>) -> usize {
    values.len()
}

#[pairbond::function]
pub(crate) fn describe_any(value: Any) -> &'static str {
    value.kind()
}

/// How many bytes there are, and the last, without a copy.
#[pairbond::function]
pub(crate) fn end_of_bytes(value: &[u8]) -> (usize, Option<u8>) {
    (value.len(), value.last().copied())
}

/// The same of a text.
#[pairbond::function]
pub(crate) fn end_of_text(value: &str) -> (usize, Option<char>) {
    (value.len(), value.chars().next_back())
}

/// The same of a value of any kind, which is a copy.
#[pairbond::function]
pub(crate) fn len_of_any(value: Any) -> Option<usize> {
    match value {
        Any::Str(text) => Some(text.len()),
        Any::Bytes(bytes) => Some(bytes.len()),
        _ => None,
    }
}
