//! What two types with one key must have in common. (Of separately built binaries: tests/abi.)
#![forbid(unsafe_code)]
#![allow(dead_code, unreachable_pub, reason = "types are registered, and hardly used")]

use pairbond::layout::Layout;
use pairbond::prelude::*;
use pairbond::types::register_class;

/// Registers the types in turn; the message, if one is refused.
macro_rules! register {
    ($($t:ty),*) => {{
        let all = [$(register_class::<$t>().err().map(|error| error.to_string())),*];
        all.into_iter().flatten().next()
    }};
}

#[test]
fn types_with_the_same_fields_are_the_same() {
    mod one {
        use super::*;
        #[pairbond::object("layouts.Same")]
        pub struct T {
            pub a: Cell<std::string::String>,
            pub b: Vec<(u8, Option<i64>)>,
        }
    }
    mod two {
        #[pairbond::object("layouts.Same")]
        pub struct T {
            pub a: pairbond::Cell<String>,
            pub b: std::vec::Vec<(u8, Option<i64>)>,
        }
    }
    assert_eq!(register!(one::T, two::T), None);
    assert!(std::ptr::eq(
        <one::T as pairbond::Object>::info(),
        <two::T as pairbond::Object>::info()
    ));
}

#[test]
fn two_opaque_types_of_one_binary() {
    fn one() -> Option<String> {
        struct Inner(#[allow(dead_code)] u64);
        #[pairbond::object("layouts.Opaque")]
        struct T {
            #[untraced]
            inner: Box<Inner>,
        }
        let _ = |t: &T| t.inner.0;
        register!(T)
    }
    fn two() -> Option<String> {
        struct Inner(#[allow(dead_code)] String);
        #[pairbond::object("layouts.Opaque")]
        struct T {
            #[untraced]
            inner: Box<Inner>,
        }
        let _ = |t: &T| t.inner.0.len();
        register!(T)
    }
    assert_eq!(one(), None);
    let refused = two().expect("another type");
    for part in [
        "\"layouts.Opaque\"",
        "`inner: Box<Inner>`",
        "cannot look into",
        "pairbond::layout::Layout",
    ] {
        assert!(refused.contains(part), "{part} in {refused}");
    }
}

/// One macro call, so one place in the sources: only the binary can tell.
#[test]
fn two_types_of_one_place_in_the_sources() {
    macro_rules! both {
        ($($name:ident: $t:ty),*) => {$(
            fn $name() -> Option<String> {
                struct Inner(#[allow(dead_code)] $t);
                #[pairbond::object("layouts.Place")]
                struct T {
                    #[untraced]
                    inner: Box<Inner>,
                }
                let _ = |t: &T| size_of_val(&*t.inner);
                register!(T)
            }
        )*};
    }
    both!(one: u64, two: String);
    assert_eq!(one(), None);
    assert!(two().is_some());
}

#[test]
fn derived_layouts_are_compared_field_by_field() {
    mod one {
        use super::*;
        #[derive(Layout)]
        pub struct Inner {
            pub name: String,
            pub next: Option<Box<Inner>>,
            pub kind: Kind,
        }
        #[derive(Layout)]
        #[repr(u8)]
        pub enum Kind {
            One,
            Two { of: u32 } = 7,
        }
        #[pairbond::object("layouts.Derived")]
        pub struct T {
            #[untraced]
            pub inner: Box<Inner>,
        }
    }
    mod two {
        use super::*;
        #[derive(Layout)]
        pub struct Inner {
            pub name: String,
            pub next: Option<Box<Inner>>,
            pub kind: Kind,
        }
        #[derive(Layout)]
        #[repr(u8)]
        pub enum Kind {
            One,
            Two { of: u32 } = 7,
        }
        #[pairbond::object("layouts.Derived")]
        pub struct T {
            #[untraced]
            pub inner: Box<Inner>,
        }
    }
    mod three {
        use super::*;
        #[derive(Layout)]
        pub struct Inner {
            pub name: String,
            pub next: Option<Box<Inner>>,
            pub kind: Kind,
        }
        #[derive(Layout)]
        #[repr(u8)]
        pub enum Kind {
            One,
            Two { of: i32 } = 7,
        }
        #[pairbond::object("layouts.Derived")]
        pub struct T {
            #[untraced]
            pub inner: Box<Inner>,
        }
    }
    assert_eq!(register!(one::T, two::T), None);
    assert!(register!(three::T).unwrap().contains("`inner: Box<Inner>`"));
}

#[test]
fn generic_types_show_what_they_are_of() {
    #[derive(Layout)]
    pub struct Pair<T> {
        pub a: T,
        pub b: Vec<T>,
    }
    mod one {
        #[pairbond::object("layouts.Pair")]
        pub struct T {
            #[untraced]
            pub pair: super::generic_types_show_what_they_are_of_types::Pair<u32>,
        }
    }
    mod two {
        #[pairbond::object("layouts.Pair")]
        pub struct T {
            #[untraced]
            pub pair: super::generic_types_show_what_they_are_of_types::Pair<f32>,
        }
    }
    let _ = Pair { a: 1, b: vec![2] };
    assert_eq!(register!(one::T), None);
    assert!(register!(two::T).is_some());
}

mod generic_types_show_what_they_are_of_types {
    #[derive(pairbond::layout::Layout)]
    pub struct Pair<T> {
        pub a: T,
        pub b: Vec<T>,
    }
}

#[test]
fn variants_of_enums() {
    mod one {
        #[pairbond::object("layouts.Shape")]
        #[derive(Clone)]
        pub enum Shape {
            Circle { radius: f64 },
            Empty,
        }
        #[pairbond::object("layouts.Color")]
        #[derive(Clone, Copy, PartialEq)]
        pub enum Color {
            Red,
            Green,
        }
    }
    mod two {
        #[pairbond::object("layouts.Shape")]
        #[derive(Clone)]
        pub enum Shape {
            Empty,
            Circle { radius: f64 },
        }
    }
    assert_eq!(register!(one::Shape), None);
    let refused = register!(two::Shape).unwrap();
    assert!(
        refused.contains("`Circle: (radius: f64)`") && refused.contains("`Empty: ()`"),
        "{refused}"
    );
    let _ = one::Color::Red;
}

#[test]
fn modules_register_what_their_signatures_mention() {
    use pairbond::__private::class::{ModuleVisitor, register_types};
    #[pairbond::object("layouts.Mentioned")]
    pub struct Mentioned {
        deeper: Cell<Option<Ref<Deeper>>>,
        #[untraced]
        hidden: Option<Ref<Hidden>>,
    }
    #[pairbond::object("layouts.Deeper")]
    pub struct Deeper {}
    #[pairbond::object("layouts.Hidden")]
    pub struct Hidden {}
    #[pairbond::object("layouts.Returned")]
    pub struct Returned {}
    #[pairbond::object("layouts.Kind")]
    #[derive(Clone, Copy, PartialEq)]
    pub enum Kind {
        One,
    }
    type Alias = Option<Ref<Aliased>>;
    #[pairbond::object("layouts.Aliased")]
    pub struct Aliased {}
    #[pairbond::function]
    fn mention(_list: Vec<Option<Ref<Mentioned>>>, _kind: Kind, _alias: Alias) -> Result<Vec<Ref<Returned>>> {
        Ok(Vec::new())
    }
    let _ = |it: &Mentioned| (it.deeper.get(), it.hidden.is_some(), Kind::One);
    enum Module {}
    impl pairbond::__private::class::Module for Module {
        const NAME: &'static str = "layouts";
        const DOC: &'static str = "";
        fn visit_members<V: ModuleVisitor>(visitor: &mut V) {
            visitor.visit_function::<mention>();
        }
    }
    register_types::<Module>().unwrap();
    for name in ["Mentioned", "Deeper", "Hidden", "Returned", "Kind", "Aliased"] {
        assert!(
            pairbond::types::find_type(&format!("layouts.{name}")).is_some(),
            "{name}"
        );
    }

    // And one that is refused is refused here.
    mod other {
        #[pairbond::object("layouts.Deeper")]
        pub struct Deeper {
            pub number: u64,
        }
    }
    #[pairbond::function]
    fn conflict(_it: &other::Deeper) {}
    enum Conflict {}
    impl pairbond::__private::class::Module for Conflict {
        const NAME: &'static str = "layouts";
        const DOC: &'static str = "";
        fn visit_members<V: ModuleVisitor>(visitor: &mut V) {
            visitor.visit_function::<conflict>();
        }
    }
    let error = register_types::<Conflict>().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Import);
    assert!(error.message().contains("\"layouts.Deeper\""), "{error}");
}
