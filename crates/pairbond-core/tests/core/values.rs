//! Values: cells, lists, strings, bytes, anything, errors.

use std::collections::HashMap;

use pairbond_core::error::{Error, ErrorKind, ResultExt};
use pairbond_core::object::Ref;
use pairbond_testing::drops::{Counter, Drops};
use pairbond_testing::fake::Interpreter;
use pairbond_testing::object;
use pairbond_value::value::{
    Any, AnyRef, Array, ArrayBody, Bytes, Cell, DType, Device, Foreign, Function, Lent, List, ListBody, Str,
    Tuple, View, keys_equal,
};

pub(crate) struct Node {
    number: usize,
    next: Cell<Option<Ref<Node>>>,
    _drops: Drops,
}
object!(Node, "values.Node", [next]);

pub(crate) fn node(number: usize, drops: &Counter) -> Ref<Node> {
    Ref::new(Node {
        number,
        next: Cell::default(),
        _drops: drops.drop_probe(),
    })
}

const ROUNDS: usize = if cfg!(miri) { 30 } else { 20_000 };

#[test]
fn a_field_is_replaced_while_others_read_it() {
    let drops = Counter::new();
    let owner = node(0, &drops);
    let made = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    if let Some(next) = owner.next.get() {
                        // Alive, however often it was replaced meanwhile.
                        assert!(next.number > 0);
                    }
                }
            });
        }
        let writers: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| (1..=ROUNDS).for_each(|n| owner.next.set(Some(node(n, &drops))))))
            .collect();
        writers.into_iter().for_each(|w| w.join().unwrap());
        2 * ROUNDS
    });
    assert_eq!(drops.get(), made - 1);
    drop(owner);
    assert_eq!(drops.get(), made + 1);
}

#[test]
fn updates_of_a_field_are_not_lost() {
    let sum = Cell::new(0_usize);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..ROUNDS).for_each(|_| sum.update(|n| *n += 1)));
        }
    });
    assert_eq!(sum.get(), 4 * ROUNDS);
    let panics = std::panic::AssertUnwindSafe(|| sum.update(|_| panic!("in the middle")));
    assert!(std::panic::catch_unwind(panics).is_err());
    assert_eq!(sum.replace(1), 4 * ROUNDS, "the lock was given back");
}

/// The destructor of the value that a field had looks at the same field.
#[test]
fn the_old_value_may_use_the_field() {
    struct Curious(Ref<Owner>, Counter);
    impl Drop for Curious {
        fn drop(&mut self) {
            assert!(self.0.field.with(Option::is_none));
            drop(self.0.field.take());
            let _probe = self.1.drop_probe();
        }
    }
    struct Owner {
        field: Cell<Option<Curious>>,
    }
    object!(Owner, "values.Owner", []);
    let seen = Counter::new();
    let owner = Ref::new(Owner {
        field: Cell::default(),
    });
    for change in [|o: &Owner| o.field.set(None), |o: &Owner| drop(o.field.take())] {
        owner.field.set(Some(Curious(owner.clone(), seen.clone())));
        change(&owner);
    }
    assert_eq!(seen.get(), 2);
}

/// A collector empties the fields of garbage.
#[test]
fn emptied_fields() {
    let drops = Counter::new();
    let object = node(1, &drops);
    object.next.set(Some(object.clone()));
    // SAFETY: alive, and as good as garbage.
    unsafe { object.header().info().clear(object.header()) };
    assert!(object.next.get().is_none());
    drop(object);
    assert_eq!(drops.get(), 1);

    // A reference that must be there has no empty value: the field is emptied as a whole.
    let mut cell = Cell::new(node(2, &drops));
    pairbond_core::trace::Trace::clear(&cell);
    assert_eq!(drops.get(), 2);
    for use_it in [
        |c: &mut Cell<Ref<Node>>| drop(c.get()),
        |c: &mut Cell<Ref<Node>>| drop(c.get_mut().clone()),
    ] {
        let message =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| use_it(&mut cell))).unwrap_err();
        let text = message.downcast_ref::<String>().map(String::as_str);
        assert!(
            text.or(message.downcast_ref::<&str>().copied())
                .unwrap()
                .contains("garbage")
        );
    }
    drop(cell);
    assert_eq!(drops.get(), 2, "not dropped again");
}

#[test]
fn lists() {
    let drops = Counter::new();
    let list: List<Node> = (0..3).map(|n| node(n, &drops)).collect();
    let same = list.clone();
    assert!(same.is(&list) && same.len() == 3 && !same.is_empty());
    list.push(node(3, &drops));
    assert_eq!(
        same.to_vec().iter().map(|n| n.number).collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    assert!(list.get(2).unwrap().is(&list.get(2).unwrap()));
    assert!(list.get(4).is_none());
    let old = list.set(0, node(9, &drops)).unwrap();
    assert_eq!((old.number, list.get(0).unwrap().number), (0, 9));
    drop(old);
    assert_eq!(drops.get(), 1);
    assert_eq!(
        *list.set(7, node(8, &drops)).map(drop).unwrap_err().kind(),
        ErrorKind::Index
    );
    assert_eq!(list.pop().unwrap().number, 3);
    let snapshot = list.iter();
    list.clear();
    assert!(list.is_empty() && list.pop().is_none());
    assert_eq!(snapshot.map(|n| n.number).collect::<Vec<_>>(), [9, 1, 2]);
    assert_eq!(drops.get(), 6);

    let mut words: List<Str> = List::new();
    words.extend(["a", "b"].map(Str::from));
    assert_eq!(
        (&words).into_iter().map(|w| w.to_string()).collect::<String>(),
        "ab"
    );
    assert_eq!(format!("{words:?}"), "<List of 2 str>");
}

#[test]
fn lists_are_shared_between_threads() {
    let list: List<i64> = List::new();
    std::thread::scope(|scope| {
        for t in 0..4 {
            let list = list.clone();
            scope.spawn(move || (0..ROUNDS as i64 / 10).for_each(|n| list.push(n * 4 + t)));
        }
    });
    let mut all = list.to_vec();
    all.sort_unstable();
    assert_eq!(all, (0..all.len() as i64).collect::<Vec<_>>());
    assert_eq!(all.len(), 4 * (ROUNDS / 10));
}

#[test]
fn strings_and_bytes() {
    for text in ["", "x", "grüße, 世界", &"long ".repeat(1000)] {
        let string = Str::from(text);
        assert_eq!(&*string, text);
        assert_eq!(string, text);
        assert_eq!(string.clone(), Str::from(text.to_owned()));
        assert_eq!(
            (format!("{string}"), format!("{string:?}")),
            (text.to_owned(), format!("{text:?}"))
        );
        let bytes = Bytes::from(text.as_bytes());
        assert_eq!(&*bytes, text.as_bytes());
        assert_eq!(bytes, Bytes::from(text.as_bytes().to_vec()));
    }
    assert_eq!(Str::default(), "");
    let (a, b) = (Str::from("a"), Str::from("b"));
    assert!(a < b);
    let map: HashMap<Str, u32> = [(Str::from("key"), 1)].into();
    assert_eq!(map.get("key"), Some(&1));
    // One allocation for one string, shared by its clones.
    let one = Str::from("counted once");
    let two = one.clone();
    assert_eq!(one.as_ptr(), two.as_ptr());
    drop(one);
    assert_eq!(two, "counted once");
}

/// Up to seven bytes lie in the word itself.
#[test]
fn short_strings_and_bytes_need_no_memory() {
    assert_eq!(
        (size_of::<Str>(), size_of::<Any>(), size_of::<Option<Str>>()),
        (8, 16, 8)
    );
    for text in ["", "a", "1234567", "grüße", "\0\0\0", "\u{10ffff}abc"] {
        let (one, two) = (Str::from(text), Str::from(text));
        let inside = std::ptr::from_ref(&one).addr()..std::ptr::from_ref(&one).addr() + 8;
        assert!(inside.contains(&one.as_ptr().addr()), "{text:?}");
        assert_eq!((&*one, one.len()), (text, text.len()));
        let moved = Box::new(one);
        assert_eq!((&**moved, *moved == two, (*moved).clone()), (text, true, two));
        let bytes = Bytes::from(text.as_bytes());
        assert_eq!((&*bytes, bytes.clone().len()), (text.as_bytes(), text.len()));
        // Matching is the same for short ones and long ones.
        assert!(matches!(Any::from(text).view(), View::Str(it) if it == text));
        assert!(matches!(&Any::from(text), Any::Str(it) if *it == text));
    }
    let eight = Str::from("12345678");
    assert_eq!(eight.as_ptr(), eight.clone().as_ptr(), "in an object");
}

#[test]
fn random_texts_and_bytes_come_back() {
    let mut random = pairbond_testing::random::seeded_rng("random_texts_and_bytes_come_back");
    let mut all: Vec<(Any, Vec<u8>)> = Vec::new();
    for _ in 0..pairbond_testing::random::step_count(5_000) {
        let len = random.usize(..12);
        if random.bool() {
            let text: String = (0..len).map(|_| random.char(..)).collect();
            all.push((Any::from(text.as_str()), text.into_bytes()));
        } else {
            let bytes: Vec<u8> = (0..len).map(|_| random.u8(..)).collect();
            all.push((Bytes::from(&bytes[..]).into(), bytes));
        }
        let at = random.usize(..all.len());
        let copy = all[at].clone();
        all.push(copy);
        let (value, bytes) = all.swap_remove(random.usize(..all.len()));
        match value.view() {
            View::Str(text) => {
                assert_eq!(text.as_bytes(), bytes);
                assert_eq!(
                    AnyRef::from(&value).hash().unwrap(),
                    AnyRef::from(text).hash().unwrap()
                );
                assert_eq!(value.to::<String>().unwrap().into_bytes(), bytes);
            }
            View::Bytes(it) => assert_eq!(it, bytes),
            other => panic!("{other:?}"),
        }
        assert!(keys_equal(&value, &AnyRef::from(&value).to_any()).unwrap());
        all.truncate(100);
    }
}

/// Reading changes nothing, and copied items stay unchanged.
#[test]
fn only_what_changes_a_list_is_another_version() {
    let list = ListBody::of_anything(vec![1.into()]);
    let before = list.version();
    assert_eq!(list.change_if(|items| Err::<(), _>(items.len())), Err(1));
    assert_eq!(list.version(), before);
    assert!(list.change_if(|items| items.pop().ok_or(())).is_ok());
    assert_ne!(list.version(), before);
}

#[test]
fn anything() {
    let drops = Counter::new();
    let object = node(5, &drops);
    let list: List<Node> = List::new();
    let values: Vec<(Any, &str)> = vec![
        (().into(), "None"),
        (true.into(), "bool"),
        (i64::MIN.into(), "int"),
        (7_u32.into(), "int"),
        (1.5.into(), "float"),
        ("text".into(), "str"),
        (Bytes::from(vec![1, 2]).into(), "bytes"),
        (object.clone().into(), "values.Node"),
        (list.clone().into(), "pairbond.List"),
        (Function::new("f", |_| Ok(Any::None)).into(), "function"),
        (Interpreter::open_interpreter().new_object().into(), "object"),
        (Some(3).into(), "int"),
        (None::<bool>.into(), "None"),
    ];
    for (value, kind) in &values {
        assert_eq!(value.kind(), *kind);
        assert_eq!(value.clone().kind(), *kind);
        assert_eq!(value.is_none(), *kind == "None");
    }
    assert!(values[7].0.downcast::<Node>().unwrap().is(&object));
    assert!(values[7].0.downcast::<ListBody>().is_none() && values[0].0.downcast::<Node>().is_none());
    assert_eq!(object.strong_count(), 2);
    drop(values);
    assert_eq!(object.strong_count(), 1);
}

#[test]
fn foreign_objects_come_back_as_themselves() {
    let interpreter = Interpreter::open_interpreter();
    let object: Foreign = interpreter.new_object();
    let any = Any::from(object.clone());
    let Any::Foreign(back) = &any else {
        panic!("{any:?}")
    };
    assert!(back.is(&object) && !back.is(&interpreter.new_object()));
    assert_eq!((back.tag(), back.as_ptr()), (interpreter.tag(), object.as_ptr()));
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 1);
    std::thread::spawn(move || drop((any, object))).join().unwrap();
    assert_eq!(
        interpreter.wrapper_count(),
        1,
        "waits for someone who is attached"
    );
    drop(interpreter.attach());
    assert_eq!(interpreter.wrapper_count(), 0);
}

#[test]
fn functions() {
    let double = Function::new("double", |arguments| match arguments {
        [Any::Int(n)] => Ok(Any::Int(n * 2)),
        _ => Err(Error::type_error("one int")),
    });
    assert!(matches!(double.call(&[Any::Int(4)]), Ok(Any::Int(8))));
    assert_eq!(double.call(&[]).unwrap_err().message(), "one int");
    assert_eq!((double.name(), double.foreign().is_none()), ("double", true));
}

fn fails<E: Into<Error>>(error: E) -> ErrorKind {
    error.into().kind().clone()
}

#[test]
fn errors_find_their_kind() {
    use std::io;
    assert_eq!(fails("x".parse::<i32>().unwrap_err()), ErrorKind::Value);
    assert_eq!(fails("x".parse::<f64>().unwrap_err()), ErrorKind::Value);
    assert_eq!(fails(u8::try_from(300).unwrap_err()), ErrorKind::Overflow);
    assert_eq!(
        fails(String::from_utf8(vec![0xff]).unwrap_err()),
        ErrorKind::Unicode
    );
    assert_eq!(
        fails(io::Error::from(io::ErrorKind::NotFound)),
        ErrorKind::FileNotFound
    );
    assert_eq!(
        fails(io::Error::from(io::ErrorKind::PermissionDenied)),
        ErrorKind::Permission
    );
    assert_eq!(
        fails(io::Error::from(io::ErrorKind::TimedOut)),
        ErrorKind::Timeout
    );
    assert_eq!(fails(io::Error::from_raw_os_error(28)), ErrorKind::Os(Some(28)));
    assert_eq!(fails(pairbond_core::memory::AllocationError), ErrorKind::Memory);
    assert_eq!(fails(std::fmt::Error), ErrorKind::Runtime);
    let error = "x".parse::<i32>().or_raise(ErrorKind::Key).unwrap_err();
    assert_eq!((error.kind(), error.source().is_some()), (&ErrorKind::Key, true));
    let error = Error::caused_by(ErrorKind::Runtime, "outer", io::Error::other("inner")).with_note("a note");
    assert_eq!(
        (error.to_string(), error.source().unwrap().to_string()),
        ("outer".into(), "inner".into())
    );
    assert_eq!(error.notes(), ["a note"]);
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    let error = error
        .with_field("line", 3)
        .with_field("file", "a")
        .with_field("line", 4);
    assert_eq!(error.field("line").and_then(Any::as_i64), Some(4));
    assert!(error.field("column").is_none());
    let names: Vec<_> = error.fields().map(|(name, _)| name).collect();
    assert_eq!(names, ["file", "line"]);
}

#[test]
fn arrays_of_a_few_bytes_have_memory_of_their_own() {
    for bytes in [
        &b""[..],
        b"ab",
        b"seven b",
        b"eight by",
        b"a good many bytes, in an object",
    ] {
        let array = Array::from(Bytes::from(bytes));
        // The stack is written over.
        let others: Vec<Array> = (0..4).map(|_| Array::from(Bytes::from(&b"xyz"[..]))).collect();
        assert_eq!(array.view::<u8>().unwrap().as_slice(), Some(bytes));
        drop(others);
    }
}

#[test]
fn what_values_own_is_counted_when_they_are_copied_and_given_back_when_they_go() {
    let drops = Counter::new();
    let one = node(1, &drops);
    let captured = one.clone();
    let function = Function::new("one", move |_| Ok(captured.clone().into()));
    let value = Any::from(one.clone());
    assert_eq!(Ref::strong_count(&one), 3);
    let copies = vec![value.clone(); 3];
    assert_eq!(Ref::strong_count(&one), 6);
    value.discard();
    assert_eq!(Ref::strong_count(&one), 5);
    let list: List<Any> = copies
        .into_iter()
        .chain([1.into(), Any::None, 0.5.into()])
        .collect();
    let tuple: Tuple<Any> = list.iter().collect();
    assert_eq!(Ref::strong_count(&one), 8);
    drop(list);
    assert_eq!(Ref::strong_count(&one), 5);
    drop(tuple);
    assert_eq!(Ref::strong_count(&one), 2);
    let value = Any::from(function);
    value.clone().discard();
    assert_eq!(Ref::strong_count(&one), 2);
    value.discard();
    assert_eq!(Ref::strong_count(&one), 1);
    drop(one);
    assert_eq!(drops.get(), 1);
}

#[test]
fn every_kind_of_value_is_copied_as_it_is() {
    let large: Any = u128::MAX.into();
    let every = [
        Any::None,
        true.into(),
        i64::MIN.into(),
        large,
        f64::NEG_INFINITY.into(),
        "short".into(),
        "a text that is too long for a word".into(),
        Bytes::from(&b"also too long for a word"[..]).into(),
        DType {
            code: 2,
            bits: 32,
            lanes: 4,
        }
        .into(),
        Device { kind: 2, index: 3 }.into(),
    ];
    for value in &every {
        assert_eq!(format!("{:?}", value.clone()), format!("{value:?}"));
    }
}

#[test]
fn parts_of_arrays_without_elements_begin_anywhere() {
    let lent = Lent {
        start: std::ptr::null_mut(),
        dtype: "float64".parse().unwrap(),
        device: "cpu".parse().unwrap(),
        readonly: true,
        shape: &[0, 9],
        strides: Some(&[8, isize::MAX / 2]),
    };
    // SAFETY: there are no elements.
    let array = Array::from_ref(Ref::new(
        unsafe { ArrayBody::from_lent(&lent, Any::None) }.unwrap(),
    ));
    let part = array.slice(1, 5, 2, 2).unwrap();
    assert_eq!(part.shape(), [0, 2]);
    assert_eq!(array.at(1, 8).unwrap().shape(), [0]);
    assert_eq!(array.transposed().view::<f64>().unwrap().get(&[8, 0]), None);
}

#[test]
fn cells_compare_and_copy_as_their_values() {
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Point {
        x: Cell<i64>,
        name: Cell<Str>,
    }
    let point = |x, name: &str| Point {
        x: Cell::new(x),
        name: Cell::new(name.into()),
    };
    let one = point(1, "a");
    let copy = one.clone();
    assert!(one == copy && one >= copy && one < point(1, "b") && one > point(0, "b"));
    copy.x.set(2);
    assert!(one != copy && one.x.get() == 1);
    // The same field on both sides is locked once at a time.
    assert!(one.x == one.x && one.x.cmp(&one.x).is_eq());
    assert_eq!(Cell::new(f64::NAN).partial_cmp(&Cell::new(1.0)), None);
}
