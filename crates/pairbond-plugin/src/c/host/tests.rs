//! The header declares this interface: the same functions in the same order, the same numbers,
//! structures laid out alike.

use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::offset_of;
use std::process::{Command, Stdio};

use super::api;
use super::api::{Api, NAMES};
use super::arrays::ArraySpec;
use super::library::Table;
use crate::c::Text;
use crate::c::attributes::{FieldSpec, RefCell};
use crate::c::call::Call;
use crate::c::callables::{FunctionSpec, ParameterSpec};
use crate::c::types::TypeSpec;
use pairbond_core::error::ErrorKind;
use pairbond_core::event::Event;
use pairbond_core::memory::Allocator;
use pairbond_core::object::Root;
use pairbond_tree::{Children, Links, Place};
use pairbond_value::convert::erased::words::{Layout, Quick, WordTable};
use pairbond_value::value::{Any, Cell, List};

const HEADER: &str = include_str!("../../../../../python/pairbond/include/pairbond/pairbond.h");

/// Returns the text between two texts.
fn text_between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let start = text.find(start).expect(start) + start.len();
    &text[start..start + text[start..].find(end).expect(end)]
}

#[test]
fn the_table_of_functions_is_the_header_s() {
    let header = HEADER;
    let declared = text_between(header, "typedef struct pb_api {", "} pb_api;");
    let names: Vec<&str> = declared
        .split("(*")
        .skip(1)
        .map(|rest| &rest[..rest.find(')').expect("a name ends")])
        .collect();
    assert_eq!(names, NAMES);
}

#[test]
fn the_header_has_the_version_of_the_library() {
    let header = HEADER;
    assert!(header.contains(&format!(
        "#define PAIRBOND_VERSION \"{}\"",
        pairbond_core::abi::VERSION
    )));
    assert!(header.contains(&format!("#define PAIRBOND_ABI {}", api::ABI)));
}

#[test]
fn the_kinds_of_errors_are_the_header_s() {
    let header = HEADER;
    let declared = text_between(header, "enum pb_error_kind {", "};");
    let declared: String = declared
        .lines()
        .map(|line| line.split("/*").next().unwrap_or_default())
        .collect();
    let mut seen = 0;
    for item in declared.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (name, number) = item.split_once(" = ").expect("a number");
        let number: i32 = number.parse().expect("a number");
        let kind = crate::c::errors::kind_of(number);
        let words: String = name["PB_".len()..]
            .trim_end_matches("_ERROR")
            .split('_')
            .map(|word| word[..1].to_owned() + &word[1..].to_lowercase())
            .collect();
        seen += 1;
        // Three are read only, and one is made by a function of its own.
        match number {
            8 => assert_eq!(kind, ErrorKind::Runtime),
            12 => assert_eq!(kind, ErrorKind::Os(None)),
            21 | 22 | 24 => assert_eq!(kind, ErrorKind::Runtime),
            _ => assert_eq!(format!("{kind:?}"), words, "{name}"),
        }
    }
    assert_eq!(seen, 24);
}

/// Structures as C lays them out, compared by a compiler of C where there is one.
#[test]
#[cfg_attr(miri, ignore = "starts a compiler")]
fn structures_are_laid_out_as_in_c() {
    let mut source = String::from("#include <pairbond/pairbond.h>\n");
    let mut same = |what: String, value: usize| {
        writeln!(source, "_Static_assert({what} == {value}, \"{what}\");").expect("a string");
    };
    macro_rules! structures {
        ($($rust:ty as $c:literal { $($field:ident as $name:literal),* })*) => {$(
            same(format!("sizeof({})", $c), size_of::<$rust>());
            same(format!("_Alignof({})", $c), align_of::<$rust>());
            $(same(format!("offsetof({}, {})", $c, $name), offset_of!($rust, $field));)*
        )*};
    }
    structures! {
        Text as "pb_str" { data as "data", size as "size" }
        Any as "pb_any" {}
        Cell<Any> as "pb_cell" {}
        RefCell as "pb_ref_cell" {}
        ParameterSpec as "pb_parameter" {
            size as "size", name as "name", kind_of_value as "type", default as "default_text", kind as "kind"
        }
        FunctionSpec as "pb_function" {
            size as "size", name as "name", doc as "doc", returns as "returns", parameters as "parameters",
            parameter_count as "parameter_count", call as "call", context as "context", binding as "binding",
            quick as "quick"
        }
        FieldSpec as "pb_field" {
            size as "size", name as "name", doc as "doc", kind_of_value as "type", kind as "kind",
            settable as "settable", offset as "offset", key as "key", get as "get", set as "set", context as "context"
        }
        TypeSpec as "pb_type_spec" {
            size as "size", key as "key", doc as "doc", base as "base", value_size as "value_size",
            value_align as "value_align", destroy as "destroy", trace as "trace", clear as "clear", flags as "flags",
            fields as "fields", field_count as "field_count", methods as "methods", method_count as "method_count",
            construct as "construct", constructor as "constructor", node_name as "node_name",
            quick_construct as "quick_construct"
        }
        Links as "pb_links" {}
        Children<Root> as "pb_children" {}
        Place as "pb_cursor" {}
        Table as "pb_library" {
            magic as "magic", size as "size", abi as "abi", api_size as "api_size", version as "version",
            name as "name", doc as "doc", describe as "describe"
        }
        Api as "pb_api" { size as "size", abi as "abi", version as "version", error_new as "error_new",
            check_signals as "check_signals", walk_free as "walk_free", allocator_set as "allocator_set",
            array_from_dlpack as "array_from_dlpack", function_names as "function_names" }
        Layout as "pb_layout" {
            type_at as "type_at", int_type as "int_type", float_type as "float_type", tag_at as "tag_at",
            digit_at as "digit_at", float_at as "float_at", tag_least as "tag_least", tag_span as "tag_span",
            signs as "signs"
        }
        ArraySpec as "pb_array" {
            size as "size", data as "data", dtype as "dtype", device as "device", readonly as "readonly",
            dimensions as "dimensions", shape as "shape", strides as "strides"
        }
        Event as "pb_event" {
            kind as "kind", device_kind as "device_kind", device as "device", interpreter as "interpreter",
            object as "object", info as "type", a as "a", b as "b"
        }
        Allocator as "pb_allocator" {
            allocate as "allocate", deallocate as "deallocate", context as "context"
        }
    }
    macro_rules! fields {
        ($($rust:ty as $c:literal { $($field:ident as $name:literal),* })*) => {
            $($(same(format!("offsetof({}, {})", $c, $name), offset_of!($rust, $field));)*)*
        };
    }
    // Of these C knows the beginning only.
    fields! {
        Call as "struct pb_call" {
            quick as "quick", words as "words", count as "count", receiver as "receiver",
            receiver_type as "receiver_type", makes as "makes", result as "result"
        }
    }
    // A table begins with what C calls.
    assert_eq!(offset_of!(WordTable, quick), 0);
    same("sizeof(pb_quick)".into(), size_of::<Quick>());
    // What `pb_links_init` and `pb_children_init` write.
    // SAFETY: as many words, all of which are written.
    unsafe {
        assert_eq!(std::mem::transmute::<Links, [u64; 4]>(Links::new()), [0; 4]);
        let empty = std::mem::transmute::<Children<Root>, [u64; 2]>(Children::new());
        assert_eq!(empty, [0, 1]);
    }
    // What `pb_cell_init` writes for None, and where `pb_cell_destroy` looks whether it is.
    let empty = std::mem::ManuallyDrop::new(Cell::new(Any::None));
    let at = (&raw const *empty).cast::<u8>();
    // SAFETY: bytes of the cell that are written: the kind of its value, and its lock.
    unsafe { assert_eq!((*at, *at.add(16)), (0, 0)) };
    let full = std::mem::ManuallyDrop::new(Cell::new(Any::Int(1)));
    // SAFETY: the kind of its value.
    unsafe { assert_eq!(*(&raw const *full).cast::<u8>(), 2) };
    // SAFETY: zeros are a cell, as C writes it.
    let zeros: Cell<Any> = unsafe { std::mem::zeroed() };
    assert!(matches!(zeros.get(), Any::None));
    zeros.set(Any::Int(3));
    assert_eq!(zeros.get().as_i64(), Some(3));
    // What `pb_ref_cell_init` writes, and where `pb_ref_cell_destroy` finds the reference.
    // SAFETY: zeros are a cell without a reference, as C writes it.
    let zeros: RefCell = unsafe { std::mem::zeroed() };
    assert!(zeros.get().is_none());
    same("offsetof(pb_ref_cell, opaque)".into(), 0);
    same("offsetof(pb_ref_cell, lock)".into(), 8);
    let Any::Object(object) = Any::from(List::<Any>::new()) else {
        unreachable!("a list is an object")
    };
    let header = std::ptr::from_ref(object.header());
    let full = RefCell::new(Some(object));
    // SAFETY: the bytes of the reference and of the lock are written.
    unsafe {
        assert_eq!(
            (&raw const full)
                .cast::<*const pairbond_core::object::Header>()
                .read(),
            header
        );
        assert_eq!((&raw const full).cast::<u8>().add(8).read(), 0);
    }
    same("offsetof(pb_any, truth)".into(), 1);
    same("offsetof(pb_any, as)".into(), 8);
    // A value in Rust's words is one in C's: kind, truth, and what stands behind them.
    let bytes = |any: Any| {
        // SAFETY: as many bytes; bytes that are not written are not looked at.
        let bytes: [std::mem::MaybeUninit<u8>; 16] = unsafe { std::mem::transmute(any) };
        bytes
    };
    // SAFETY: the bytes that these kinds write.
    unsafe {
        assert_eq!(bytes(Any::Bool(true))[0].assume_init(), 1);
        assert_eq!(bytes(Any::Bool(true))[1].assume_init(), 1);
        let int = bytes(Any::Int(-2));
        assert_eq!(int[0].assume_init(), 2);
        assert!(int[8..].iter().skip(1).all(|byte| byte.assume_init() == 0xff));
        assert_eq!(bytes(Any::Float(1.5))[0].assume_init(), 4);
        assert_eq!(bytes(Any::None)[0].assume_init(), 0);
    }
    let include = format!("{}/../../python/pairbond/include", env!("CARGO_MANIFEST_DIR"));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut compile = Command::new(compiler)
        .args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-x",
            "c",
            "-I",
            &include,
            "-",
        ])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Rust links with a compiler of C");
    compile
        .stdin
        .take()
        .expect("it was piped")
        .write_all(source.as_bytes())
        .expect("the compiler reads");
    let output = compile.wait_with_output().expect("the compiler ends");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn types_of_parameters_are_types_of_rust() {
    for (given, expected) in [
        ("int", "i64"),
        ("shapes.Node?", "Option<Ref<Node>>"),
        ("", "Any"),
        ("str?", "Option<String>"),
        ("list[dict[str, a.B?]]", "Vec<HashMap<String, Option<Ref<B>>>>"),
        ("tuple[int, list[str]]", "(i64, Vec<String>,)"),
        ("Map[str, object]", "Map<String, Any>"),
    ] {
        assert_eq!(crate::c::module::rust_type(given), expected);
    }
}
