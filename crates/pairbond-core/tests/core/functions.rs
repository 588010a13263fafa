//! Functions, foreign references in one word, the registry, and integers of any size.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond_core::error::ErrorKind;
use pairbond_core::object::Object;
use pairbond_testing::fake::Interpreter;
use pairbond_value::value::{
    Any, BigInt, DType, Device, Foreign, ForeignBody, Function, FunctionBody, List, View, function_names,
    get_function, register_function, register_function_at_start, remove_function,
};

#[test]
fn a_foreign_object_needs_a_body_when_it_is_cloned_only() {
    let interpreter = Interpreter::open_interpreter();
    let one: Foreign = interpreter.new_object();
    let (tag, object) = (one.tag(), one.as_ptr());
    let before = ForeignBody::info().live_count();
    let two = one.clone();
    let three = two.clone();
    if cfg!(debug_assertions) {
        assert!(
            ForeignBody::info().live_count() <= before + 1,
            "one body, whatever other tests do meanwhile"
        );
    }
    for clone in [&one, &two, &three] {
        assert_eq!((clone.tag(), clone.as_ptr()), (tag, object));
        assert!(clone.is(&one));
    }
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 1);
    drop((one, three));
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 1);
    drop(two);
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 0);
}

#[test]
fn a_promise_is_kept_once_and_nothing_else_is_exchanged() {
    let interpreter = Interpreter::open_interpreter();
    let (tag, placeholder) = interpreter.new_object().into_object().expect("not shared");
    // SAFETY: a counted reference, which lives as long as the interpreter here.
    let promise = unsafe { Foreign::new_promise(tag, placeholder) };
    assert!(promise.check_present().is_err() && promise.call::<Any>(&[]).is_err());
    let (first, second) = (interpreter.new_object(), interpreter.new_object());
    promise.fulfill_promise(&first).unwrap();
    assert!(promise.is(&first) && promise.check_present().is_ok());
    assert!(promise.fulfill_promise(&second).is_err(), "kept already");
    let shared = first.clone();
    for no_promise in [&first, &shared, &second] {
        assert!(no_promise.fulfill_promise(&second).is_err());
    }
    assert!(promise.is(&first) && shared.is(&first));
    drop((promise, first, second, shared));
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 0);
}

#[test]
fn threads_clone_one_foreign_object() {
    let interpreter = Interpreter::open_interpreter();
    for _ in 0..if cfg!(miri) { 3 } else { 300 } {
        let one: Foreign = interpreter.new_object();
        let address = one.as_ptr().addr();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let clones = [one.clone(), one.clone()];
                    assert!(clones.iter().all(|clone| clone.as_ptr().addr() == address));
                });
            }
        });
        drop(one);
        drop(interpreter.attach());
        assert_eq!(interpreter.wrapper_count(), 0);
    }
}

#[test]
fn a_foreign_callable_is_its_function() {
    let interpreter = Interpreter::open_interpreter();
    let calls = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&calls);
    let function = interpreter.new_function(move |arguments| {
        seen.fetch_add(1, Ordering::Relaxed);
        Ok(arguments.first().cloned().unwrap_or_default())
    });
    let other = interpreter.new_function(|_| Ok(Any::None));
    let again = Function::from_foreign(function.foreign().unwrap().clone());
    assert!(again.is(&function) && !again.is(&other));
    assert!(function.native().is_none() && function.parameters().is_none());
    assert_eq!(again.call(&[5.into()]).unwrap().as_i64(), Some(5));
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert_eq!(size_of::<Function>(), 8);
    assert_eq!(size_of::<Any>(), 16);
}

fn message(result: Result<Any, pairbond_core::error::Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn closures_with_parameters() {
    let f = Function::build("f")
        .doc("Adds.")
        .parameter("a")
        .default("b", 10)
        .rest("more")
        .default("c", 100)
        .from(|a: i64, b: i64, more: Vec<i64>, c: i64| a + b + c + more.iter().sum::<i64>());
    let call = |arguments: &[i64], names: &[&str]| {
        let values: Vec<Any> = arguments.iter().map(|n| Any::from(*n)).collect();
        f.call_with(&values, names)
    };
    assert_eq!(call(&[1], &[]).unwrap().as_i64(), Some(111));
    assert_eq!(call(&[1, 2], &[]).unwrap().as_i64(), Some(103));
    assert_eq!(call(&[1, 2, 3, 4], &[]).unwrap().as_i64(), Some(110));
    assert_eq!(call(&[1, 2, 3, 4], &["c"]).unwrap().as_i64(), Some(10));
    assert_eq!(call(&[7, 1], &["b", "a"]).unwrap().as_i64(), Some(108));
    assert_eq!(
        message(call(&[], &[])),
        "f() missing 1 required positional argument: 'a'"
    );
    assert_eq!(
        message(call(&[1, 2], &["x"])),
        "f() got an unexpected keyword argument 'x'"
    );
    assert_eq!(
        message(call(&[1, 2], &["a"])),
        "f() got multiple values for argument 'a'"
    );
    assert_eq!(
        message(call(&[1, 2], &["more"])),
        "f() got an unexpected keyword argument 'more'"
    );
    assert_eq!(
        message(f.call(&["x".into()])),
        "f() argument 'a': expected an int of 64 bits, got str 'x'"
    );
    let described = f.native().unwrap().get().description();
    assert_eq!((described.name(), described.doc()), ("f", "Adds."));
    assert_eq!(f.parameters().unwrap().len(), 4);
}

#[test]
fn many_parameters() {
    let mut builder = Function::build("many");
    for i in 0..6 {
        builder = builder.parameter(format!("p{i}"));
    }
    let f = builder.from(|a: i64, b: i64, c: i64, d: i64, e: i64, f: i64| vec![a, b, c, d, e, f]);
    let list = f.call(&[1, 2, 3, 4, 5, 6].map(Any::from)).unwrap();
    assert_eq!(list.to::<Vec<i64>>().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(
        message(f.call(&[])),
        "many() missing 6 required positional arguments: 'p0', 'p1', 'p2', 'p3', 'p4', and 'p5'"
    );
}

#[test]
#[should_panic(expected = "follows one with a default")]
fn defaults_come_last() {
    drop(Function::build("f").default("a", 1).parameter("b"));
}

#[test]
#[should_panic(expected = "takes 1 arguments, 2 parameters were described")]
fn no_more_parameters_than_the_closure_has() {
    drop(
        Function::build("f")
            .parameter("a")
            .parameter("b")
            .from(|a: i64| a),
    );
}

#[test]
fn values_convert() {
    assert_eq!(Any::from(3).to::<f64>().unwrap(), 3.0);
    assert_eq!(Any::from("ab").to::<String>().unwrap(), "ab");
    assert_eq!(Any::from(u64::MAX).to::<u64>().unwrap(), u64::MAX);
    assert_eq!(Any::from(u128::MAX).to::<u128>().unwrap(), u128::MAX);
    assert_eq!(Any::from(i128::MIN).to::<i128>().unwrap(), i128::MIN);
    assert_eq!(Any::from(()).to::<Option<i64>>().unwrap(), None);
    let list: List<Any> = [Any::from(1), Any::from(2)].into_iter().collect();
    assert_eq!(Any::from(list).to::<(i64, i64)>().unwrap(), (1, 2));
    assert_eq!(
        *Any::from(300).to::<u8>().unwrap_err().kind(),
        ErrorKind::Overflow
    );
    assert_eq!(
        Any::from(1.5).to::<i64>().unwrap_err().to_string(),
        "expected an int of 64 bits, got float 1.5"
    );
    assert!(matches!(Any::from("x").view(), View::Str("x")));
    assert_eq!("float32".parse::<DType>().unwrap().to_string(), "float32");
    assert_eq!(Any::from(Device { kind: 1, index: 0 }).describe(), "device cpu:0");
    let dtype = Any::from("int8x4").to::<DType>().unwrap();
    assert_eq!((dtype.code, dtype.bits, dtype.lanes), (0, 8, 4));
}

#[test]
fn large_integers() {
    let mut bytes = vec![0_u8];
    let mut state = 1_u64;
    for _ in 0..if cfg!(miri) { 4 } else { 200 } {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        bytes.push((state >> 56) as u8);
        for last in [0, 1, 0x7f, 0x80, 0xff] {
            *bytes.last_mut().unwrap() = last;
            let number = BigInt::from_le_bytes(&bytes);
            assert_eq!(BigInt::from_le_bytes(&number.to_le_bytes()), number);
            assert_eq!(number.to_string().parse::<BigInt>().unwrap(), number);
            assert_eq!(number.is_negative(), last & 0x80 != 0);
            if bytes.len() <= 16 {
                let mut wide = [if last & 0x80 != 0 { 0xff } else { 0 }; 16];
                wide[..bytes.len()].copy_from_slice(&bytes);
                let value = i128::from_le_bytes(wide);
                assert_eq!(number.to_i128(), Some(value));
                assert_eq!(BigInt::from(value), number);
                assert_eq!(number.to_string(), value.to_string());
                assert_eq!(number.to_f64(), value as f64);
                assert_eq!(number.cmp(&BigInt::from(-1_i64)), value.cmp(&-1));
            }
        }
    }
    for value in [0, 1, i64::MAX, i64::MIN, -1, 255, -128] {
        assert_eq!(BigInt::from(value).to_i64(), Some(value));
        assert!(matches!(Any::from(BigInt::from(value)), Any::Int(v) if v == value));
    }
    assert_eq!(BigInt::from(u128::MAX).to_u128(), Some(u128::MAX));
    assert_eq!(BigInt::from(u128::MAX).to_i128(), None);
    assert_eq!(BigInt::from(-1_i64).to_u128(), None);
    for wrong in ["", "-", "+", "+-1", "1a", "1_0", " 1", "0x1"] {
        assert!(wrong.parse::<BigInt>().is_err(), "{wrong}");
    }
    assert_eq!("+00012".parse::<BigInt>().unwrap().to_i64(), Some(12));
    assert_eq!("9".repeat(400).parse::<BigInt>().unwrap().to_f64(), f64::INFINITY);
}

#[test]
fn the_registry() {
    let f = Function::build("f").from(|| 1);
    register_function("core.f", f.clone(), false).unwrap();
    assert!(get_function("core.f").unwrap().is(&f));
    assert!(function_names().contains(&"core.f".to_owned()));
    let other = Function::build("g").from(|| 2);
    let error = register_function("core.f", other.clone(), false).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Value);
    register_function("core.f", other.clone(), true).unwrap();
    assert!(get_function("core.f").unwrap().is(&other));
    let error = get_function("core.ff").unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Key);
    assert!(error.to_string().ends_with("did you mean 'core.f'?"), "{error}");
    assert!(remove_function("core.f").unwrap().is(&other));
    assert!(remove_function("core.f").is_none());
    let live = FunctionBody::info().live_count();
    drop((f, other));
    assert!(FunctionBody::info().live_count() < live || !cfg!(debug_assertions));
}

#[test]
fn functions_of_an_interpreter_end_with_it() {
    let interpreter = Interpreter::open_interpreter();
    register_function("core.foreign", interpreter.new_function(|_| Ok(Any::None)), false).unwrap();
    assert!(get_function("core.foreign").unwrap().call(&[]).is_ok());
    let held = get_function("core.foreign").unwrap();
    pairbond_value::value::end_functions(interpreter.tag());
    let error = get_function("core.foreign").unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Closed);
    assert!(!function_names().contains(&"core.foreign".to_owned()));
    assert!(held.call(&[]).is_ok(), "whoever has it can still call it");
    // The name is free again.
    register_function("core.foreign", Function::build("f").from(|| 1), false).unwrap();
    assert!(remove_function("core.foreign").is_some());
}

#[test]
fn functions_are_announced_before_anything_is_ready() {
    register_function_at_start("core.announced", || Function::build("announced").from(|| 5));
    assert_eq!(
        get_function("core.announced")
            .unwrap()
            .call(&[])
            .unwrap()
            .as_i64(),
        Some(5)
    );
}
