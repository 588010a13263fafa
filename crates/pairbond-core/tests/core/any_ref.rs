//! Borrowed values in 16 bytes: whatever goes in is what comes out.

use pairbond_core::object::Object;
use pairbond_testing::fake::Interpreter;
use pairbond_value::value::{
    Any, AnyRef, BigInt, Bytes, DType, Device, Foreign, Function, List, ListBody, Str, Verdict, View,
    keys_equal,
};

fn every_kind(foreign: Foreign) -> Vec<Any> {
    vec![
        Any::None,
        true.into(),
        i64::MIN.into(),
        u128::MAX.into(),
        Any::Float(-0.0),
        "".into(),
        "1234567".into(),
        "longer than a word: grüße \0\u{10ffff}".into(),
        Bytes::from(Vec::new()).into(),
        Bytes::from(vec![0, 0xff, 0x80]).into(),
        Bytes::from(vec![7; 300]).into(),
        List::<Any>::new().into(),
        Function::new("f", |_| Ok(Any::None)).into(),
        foreign.into(),
        DType {
            code: 2,
            bits: 32,
            lanes: 1,
        }
        .into(),
        Device { kind: 2, index: -3 }.into(),
    ]
}

/// Also of those that say the same in another kind, as `1` and `True`.
#[test]
fn every_kind_of_value_is_lent_as_it_is() {
    let interpreter = Interpreter::open_interpreter();
    let values = every_kind(interpreter.new_object());
    for value in &values {
        let lent = AnyRef::from(value);
        assert_eq!(format!("{lent:?}"), format!("{:?}", value.view()));
        assert_eq!(lent.kind(), value.kind());
        let again = AnyRef::from(lent.view());
        assert_eq!(again.compare_key(lent), Verdict::Same, "{lent:?}");
        let copy = lent.to_any();
        assert!(keys_equal(value, &copy).unwrap(), "{lent:?} and {copy:?}");
        assert_eq!(std::mem::discriminant(value), std::mem::discriminant(&copy));
        for other in &values {
            let same = std::ptr::eq(value, other);
            assert_eq!(keys_equal(value, other).unwrap(), same, "{value:?} and {other:?}");
        }
    }
}

/// Texts are lent where they lie, whether or not anything owns them as a value.
#[test]
fn slices_keep_their_place_and_length() {
    let text = "grüße, welt".repeat(if cfg!(miri) { 10 } else { 10_000 });
    for (start, end) in [(0, 0), (0, 1), (2, 4), (4, text.len()), (text.len(), text.len())] {
        let part = &text[start..end];
        match AnyRef::from(part).view() {
            View::Str(it) => assert!(std::ptr::eq(it, part)),
            other => panic!("{other:?}"),
        }
        let bytes = part.as_bytes();
        match AnyRef::from(bytes).view() {
            View::Bytes(it) => assert!(std::ptr::eq(it, bytes)),
            other => panic!("{other:?}"),
        }
        assert_eq!(AnyRef::from(part).compare_key(bytes.into()), Verdict::Different);
        let owned = Any::from(Str::from(part));
        assert_eq!(
            AnyRef::from(part).hash().unwrap(),
            AnyRef::from(&owned).hash().unwrap()
        );
    }
}

#[test]
fn numbers_and_objects_are_lent_without_an_owner() {
    assert!(matches!(AnyRef::from(true).view(), View::Bool(true)));
    assert!(matches!(AnyRef::from(-7).view(), View::Int(-7)));
    assert!(matches!(AnyRef::from(f64::NAN).view(), View::Float(it) if it.is_nan()));
    let big = BigInt::from(u128::MAX);
    assert!(matches!(AnyRef::from(View::BigInt(&big)).view(), View::BigInt(it) if *it == big));
    let list = [1, 2].into_iter().collect::<List<i64>>();
    let any = Any::from(list.clone());
    let lent = AnyRef::from(&any);
    assert_eq!(lent.downcast::<ListBody>().unwrap().get().read(Vec::len), 2);
    assert!(lent.downcast::<pairbond_value::value::MapBody>().is_none());
    assert_eq!(lent.kind(), ListBody::KEY);
}
