//! Any arguments for a function of any parameters: each is converted exactly, refused with words,
//! or has its default. Numbers and texts come back as they were.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pairbond::prelude::*;
use pairbond::value::{BigInt, DType, Device};

/// The next value of the input.
fn value(data: &mut &[u8], depth: usize) -> Any {
    let mut take = |count: usize| {
        let (taken, rest) = data.split_at(count.min(data.len()));
        *data = rest;
        taken
    };
    let kind = take(1).first().copied().unwrap_or(0);
    let number = |bytes: &[u8]| {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(all)
    };
    match kind % 11 {
        0 => Any::None,
        1 => Any::Bool(kind & 16 != 0),
        2 => Any::Int(number(take(8)) as i64),
        3 => Any::Float(f64::from_bits(number(take(8)))),
        4 => Any::from(String::from_utf8_lossy(take(usize::from(kind >> 3))).into_owned()),
        5 => Any::from(Bytes::from(take(usize::from(kind >> 3)))),
        6 => Any::from(BigInt::from_le_bytes(take(usize::from(kind >> 2)))),
        7 => Any::DType(DType { code: kind >> 4, bits: kind, lanes: 1 }),
        8 => Any::Device(Device { kind: (kind >> 4).into(), index: 0 }),
        _ if depth > 3 => Any::None,
        _ => {
            let count = usize::from(kind >> 5);
            let items: List<Any> = (0..count).map(|_| value(data, depth + 1)).collect();
            Any::from(items)
        }
    }
}

fn same(one: &Any, other: &Any) -> bool {
    match (one, other) {
        (Any::Float(one), Any::Float(other)) => one.to_bits() == other.to_bits(),
        _ => one.describe() == other.describe(),
    }
}

fuzz_target!(|data: &[u8]| {
    let mut data = data;
    let count = usize::from(data.first().copied().unwrap_or(0) % 8);
    data = data.get(1..).unwrap_or(&[]);
    let arguments: Vec<Any> = (0..count).map(|_| value(&mut data, 0)).collect();
    let names = ["a", "b", "c", "d", "z"];
    let named = usize::from(data.first().copied().unwrap_or(0)) % (arguments.len().min(names.len()) + 1);

    let echo = Function::build("echo").rest("all").from(|all: Vec<Any>| all);
    let back = echo.call(&arguments).and_then(|list| list.to::<Vec<Any>>()).expect("anything goes");
    assert!(arguments.iter().zip(&back).all(|(one, other)| same(one, other)));

    let typed = Function::build("typed")
        .parameter("a")
        .default("b", 1.5)
        .rest("more")
        .default("c", "text")
        .default("d", ())
        .from(|a: i64, b: f64, more: Vec<BigInt>, c: String, d: Option<Vec<u8>>| {
            let text = more.iter().map(BigInt::to_string).collect::<Vec<_>>().join(" ");
            (a, b, text, c, d.map(|d| d.len()))
        });
    if let Err(error) = typed.call_with(&arguments, &names[..named]) {
        assert!(error.to_string().contains("typed()"), "{error}");
    }
    for argument in &arguments {
        if let Any::BigInt(number) = argument {
            assert_eq!(number.to_string().parse::<BigInt>().expect("digits"), *number);
        }
        if let Ok(number) = argument.to::<i128>() {
            assert!(same(&Any::from(number), argument) || matches!(argument, Any::Bool(_)));
        }
        let _ = (argument.to::<u8>(), argument.to::<(i64, String)>(), argument.to::<DType>());
    }
});
