//! Data of other versions of a type.

use pairbond::prelude::*;

use super::{read, written};

mod old {
    use pairbond::prelude::*;
    #[pairbond::object("schema.Thing_old")]
    pub(crate) struct Thing {
        pub name: Str,
        pub size: i64,
    }
    #[pairbond::object("schema.Other_old")]
    pub(crate) struct Other {
        pub name: Str,
        pub gone: i64,
    }
    #[pairbond::object("schema.Newer_old", version = 3)]
    pub(crate) struct Newer {
        pub name: Str,
    }
    #[pairbond::object("schema.Unknown_old")]
    pub(crate) struct Unknown {
        pub name: Str,
    }
    #[pairbond::object("schema.Typed_old")]
    pub(crate) struct Typed {
        pub name: i64,
    }
}

#[pairbond::object("schema.Thing_new", version = 2)]
struct Thing {
    #[default("red".into())]
    color: String,
    size: i64,
    name: Str,
    #[default]
    tags: Vec<Str>,
}

#[pairbond::object("schema.Other_new", version = 2)]
struct Other {
    name: Str,
    added: i64,
}

#[pairbond::object("schema.Newer_new", version = 2)]
struct Newer {
    name: Str,
}

#[pairbond::object("schema.Typed_new")]
struct Typed {
    name: Str,
}

/// The data, as if it were of the type under its name of today. (One process cannot have both under
/// one name.)
fn renamed(value: Any) -> Vec<u8> {
    let bytes = written(&value).unwrap();
    let at = bytes.windows(4).position(|window| window == b"_old").unwrap();
    [&bytes[..at], b"_new", &bytes[at + 4..]].concat()
}

#[test]
fn a_field_was_added_and_others_moved() {
    Thing::register();
    let data = renamed(
        Ref::new(old::Thing {
            name: "n".into(),
            size: 5,
        })
        .into(),
    );
    let thing = read(&data).unwrap().downcast::<Thing>().unwrap();
    assert_eq!(
        (&*thing.name, thing.size, &*thing.color, thing.tags.len()),
        ("n", 5, "red", 0)
    );
}

trait Register: pairbond::Object {
    fn register() {
        let _ = Self::info();
    }
}
impl<T: pairbond::Object> Register for T {}

#[test]
fn errors_name_type_and_field() {
    Other::register();
    Newer::register();
    Typed::register();
    let error = |value: Any| read(&renamed(value)).unwrap_err().to_string();
    let text = error(
        Ref::new(old::Other {
            name: "n".into(),
            gone: 5,
        })
        .into(),
    );
    assert!(
        text.contains("`gone`") && text.contains("schema.Other_new"),
        "{text}"
    );
    let text = error(Ref::new(old::Newer { name: "n".into() }).into());
    assert!(
        text.contains("schema.Newer_new") && text.contains('3') && text.contains('2'),
        "{text}"
    );
    let text = error(Ref::new(old::Unknown { name: "n".into() }).into());
    assert!(
        text.contains("schema.Unknown_new") && text.contains("registered"),
        "{text}"
    );
    let text = error(Ref::new(old::Typed { name: 5 }).into());
    assert!(
        text.contains("schema.Typed_new.name") && text.contains("str"),
        "{text}"
    );
    // The same with a field that is missing and has no default.
    let bytes = written(&Ref::new(Newer { name: "n".into() }).into()).unwrap();
    let at = bytes.windows(5).position(|window| window == b"Newer").unwrap();
    let other = [&bytes[..at], b"Other", &bytes[at + 5..]].concat();
    let text = read(&other).unwrap_err().to_string();
    assert!(
        text.contains("`added`") && text.contains("schema.Other_new"),
        "{text}"
    );
}
