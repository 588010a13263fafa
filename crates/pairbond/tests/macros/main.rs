//! What the expansions do, seen through a frontend of a few lines.
#![forbid(unsafe_code)]

mod frontend;
mod shareable;
mod subtypes;

use frontend::{Given, Seen, Shown};
use pairbond::__private::class::{Binding, Class, Member, ParameterKind};
use pairbond::Object;
use pairbond::prelude::*;
use pairbond::trace::Trace;

/// A package.
///
///   Indented.
#[pairbond::object("lockgraph.Package", version = 2)]
struct Package {
    /// Its name.
    #[field]
    name: Str,
    #[field(set, name = "remark")]
    note: Cell<Option<Str>>,
    #[field]
    r#type: u8,
    hidden: u16,
}

impl Package {
    fn make(name: &str) -> Package {
        Package {
            name: name.into(),
            note: Cell::new(None),
            r#type: 1,
            hidden: 2,
        }
    }
}

#[pairbond::methods]
impl Package {
    #[new]
    fn new(name: &str) -> Result<Self, Error> {
        if name.is_empty() {
            Err(Error::value_error("empty"))
        } else {
            Ok(Package::make(name))
        }
    }

    /// Adds.
    fn join(
        &self,
        other: &Package,
        #[default("-")] between: &str,
        #[keyword] times: Option<u8>,
        #[default(Self::DEFAULT)] limit: i64,
    ) -> String {
        format!("{}{between}{}{:?}{limit}", self.name, other.name, times)
    }

    const DEFAULT: i64 = -3;

    fn count(#[rest] numbers: Vec<i64>, #[default(-1)] start: i64) -> i64 {
        start + numbers.iter().sum::<i64>()
    }

    #[classmethod]
    #[detach]
    #[name("load_")]
    fn load(#[required] path: Option<&str>) -> Result<Ref<Self>, std::num::ParseIntError> {
        path.unwrap_or("x")
            .parse::<u8>()
            .map(|_| Ref::new(Package::make("loaded")))
    }

    /// Of the class.
    #[getter]
    #[classmethod]
    #[name("limit")]
    fn most() -> u32 {
        9
    }

    #[getter]
    fn title(&self) -> &str {
        &self.name
    }

    #[setter]
    fn set_title(&self, title: &str) -> Result<(), Error> {
        if title.is_empty() {
            return Err(Error::value_error("no title"));
        }
        self.note.set(Some(title.into()));
        Ok(())
    }

    fn __repr__(this: Borrow<'_, Self>) -> String {
        format!("<{}>", this.get().name)
    }

    fn __eq__(&self, other: &Package) -> bool {
        self.name == other.name
    }

    fn __radd__(&self, other: i64) -> i64 {
        other + i64::from(self.hidden)
    }

    fn __lt__(&self, other: &Package) -> bool {
        *self.name < *other.name
    }

    fn __iadd__(&self, note: &str) {
        self.note.set(Some(note.into()));
    }

    #[cfg(any())]
    fn __add__(&self, other: Absent) -> i64 {}

    #[hidden]
    fn _internal(&self) {}
}

#[pairbond::object("lockgraph.Special", extends = Package, sealed)]
struct Special {
    base: Package,
    #[field]
    parents: List<Package>,
    #[untraced]
    cache: std::sync::Mutex<u8>,
}

#[pairbond::object("lockgraph.Local", native)]
struct Local {
    #[untraced]
    pointer: *const u8,
}

/// Reads.
#[pairbond::function]
fn read(path: std::path::PathBuf, #[default(true)] strict: bool) -> Option<String> {
    strict.then(|| path.display().to_string())
}

fn object<T: Object + Send + Sync>(value: T) -> Any {
    Any::Object(Ref::new(value).into_erased())
}

fn package(name: &str) -> Any {
    object(Package::make(name))
}

fn text(value: &str) -> Option<Any> {
    Some(Any::Str(value.into()))
}

#[test]
fn constants() {
    assert_eq!(
        (Package::KEY, Package::VERSION, <Package as Class>::DOC),
        ("lockgraph.Package", 2, "A package.\n\n  Indented.")
    );
    assert_eq!((Package::ATTRIBUTES, Special::ATTRIBUTES), (true, false));
    assert_eq!((Package::THREAD_SAFE, Local::THREAD_SAFE), (true, false));
    assert!(
        Package::TRACED == <Cell<Option<Str>> as Trace>::TRACED
            && <Special as Trace>::TRACED
            && !<Local as Trace>::TRACED
    );
    let fields: Vec<_> = Package::FIELDS
        .iter()
        .map(|f| (f.name, f.rust_type, f.offset, f.size, f.settable))
        .collect();
    assert_eq!(
        fields[1],
        (
            "note",
            "Cell<Option<Str>>",
            std::mem::offset_of!(Package, note),
            size_of::<Cell<Option<Str>>>(),
            true
        )
    );
    assert_eq!((fields[2].0, fields[3].0, fields.len()), ("type", "hidden", 4));
    assert_eq!(Package::FIELDS[0].doc, "Its name.");
    assert_eq!((Special::FIELDS[0].offset, Special::FIELDS.len()), (0, 3));
}

#[test]
fn order() {
    let shown = Shown::class::<Package>();
    let expected = [
        "getter name",
        "getter remark",
        "getter type",
        "constructor __new__",
        "method join",
        "method count",
        "method load_",
        "method limit",
        "getter title",
        "repr __repr__",
        "compare [\"__lt__\", \"\", \"__eq__\", \"\", \"\", \"\"]",
        "- __lt__",
        "- __eq__",
        "add \"\" \"__radd__\"",
        "- __radd__",
        "iadd __iadd__",
    ];
    assert_eq!(shown.order, expected);
    assert_eq!(Shown::class::<Special>().order, ["getter parents"]);
}

#[test]
fn signatures() {
    let shown = Shown::class::<Package>();
    let join = shown.signatures["join"];
    assert_eq!(
        (join.qualified, join.doc, join.returns, join.detach),
        ("Package.join", "Adds.", "String", false)
    );
    let parameters: Vec<_> = join
        .parameters
        .iter()
        .map(|p| (p.name, p.kind, p.default, p.rust_type))
        .collect();
    assert_eq!(
        parameters,
        [
            ("other", ParameterKind::Standard, None, "&Package"),
            ("between", ParameterKind::Standard, Some("'-'"), "&str"),
            ("times", ParameterKind::KeywordOnly, Some("None"), "Option<u8>"),
            ("limit", ParameterKind::KeywordOnly, Some("..."), "i64"),
        ]
    );
    let new = shown.signatures["__new__"];
    assert_eq!(
        (new.qualified, new.binding, new.returns),
        ("Package", Binding::Constructor, "Result<Self, Error>")
    );
    let count = shown.signatures["count"];
    assert_eq!(
        (count.binding, count.parameters[0].kind),
        (Binding::Static, ParameterKind::Rest)
    );
    assert_eq!(
        (count.parameters[1].kind, count.parameters[1].default),
        (ParameterKind::KeywordOnly, Some("-1"))
    );
    let load = shown.signatures["load_"];
    assert_eq!(
        (load.binding, load.detach, load.parameters[0].default),
        (Binding::Class, true, None)
    );
    let limit = shown.signatures["limit"];
    assert_eq!(
        (limit.binding, limit.doc, limit.returns),
        (Binding::ClassGetter, "Of the class.", "u32")
    );
    assert_eq!(shown.signatures["__iadd__"].returns, "()");
}

#[test]
fn calls() {
    let shown = Shown::class::<Package>();
    let given = |arguments| Given {
        receiver: Some(package("a")),
        arguments,
        rest: Vec::new(),
    };
    let seen = shown.call("join", given(vec![Some(package("b"))])).unwrap();
    assert_eq!(seen, "a-bNone-3".into());
    let seen = shown.call(
        "join",
        given(vec![
            Some(package("b")),
            text("+"),
            Some(Any::Int(7)),
            Some(Any::Int(1)),
        ]),
    );
    assert_eq!(seen.unwrap(), "a+bSome(7)1".into());
    let rest = Given {
        rest: vec![Any::Int(2), Any::Int(3)],
        ..Given::default()
    };
    assert_eq!(shown.call("count", rest).unwrap(), Seen::Int(4));
    assert_eq!(shown.call("__repr__", given(vec![])).unwrap(), "<a>".into());
    assert_eq!(
        shown.call("__eq__", given(vec![Some(package("a"))])).unwrap(),
        Seen::Bool(true)
    );
    assert_eq!(
        shown.call("__radd__", given(vec![Some(Any::Int(5))])).unwrap(),
        Seen::Int(7)
    );
    assert_eq!(
        shown.call("load_", given(vec![text("3")])).unwrap(),
        Seen::Object("lockgraph.Package")
    );

    let changed = given(vec![text("noted")]);
    assert_eq!(
        shown.call("__iadd__", changed).unwrap(),
        Seen::Object("lockgraph.Package")
    );
}

#[test]
fn errors_say_where() {
    let shown = Shown::class::<Package>();
    let message = |name: &str, given| shown.call(name, given).unwrap_err().to_string();
    let given = |receiver, arguments| Given {
        receiver,
        arguments,
        rest: Vec::new(),
    };
    assert_eq!(
        message("join", given(Some(package("a")), vec![None])),
        "Package.join() is missing its argument 'other'"
    );
    assert_eq!(
        message("join", given(Some(package("a")), vec![Some(Any::Int(1))])),
        "Package.join() argument 'other': expected lockgraph.Package, got int"
    );
    assert_eq!(
        message("join", given(Some(Any::None), vec![])),
        "Package.join() argument 'self': expected lockgraph.Package, got None"
    );
    assert_eq!(
        message("load_", given(None, vec![])),
        "Package.load_() is missing its argument 'path'"
    );
    let error = shown.call("load_", given(None, vec![text("x")])).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Value);
}

#[test]
fn operators_ask_the_other_operand() {
    let shown = Shown::class::<Package>();
    let kind = |name: &str, other| {
        let given = Given {
            receiver: Some(package("a")),
            arguments: vec![other],
            rest: Vec::new(),
        };
        shown.call(name, given).unwrap_err().kind().clone()
    };
    for name in ["__eq__", "__lt__", "__radd__", "__iadd__"] {
        assert_eq!(
            kind(name, Some(Any::Bool(true))),
            ErrorKind::NoSuchOperation,
            "{name}"
        );
        assert_eq!(kind(name, None), ErrorKind::Type, "{name}");
    }
    assert_eq!(kind("join", Some(Any::Bool(true))), ErrorKind::Type);
}

#[test]
fn constructor() {
    let shown = Shown::class::<Package>();
    let construct = shown.constructor.unwrap();
    let given = |name| Given {
        arguments: vec![text(name)],
        ..Given::default()
    };
    assert_eq!(construct(&given("a")).unwrap(), Seen::Object("lockgraph.Package"));
    assert_eq!(
        shown.call("__new__", given("a")).unwrap(),
        Seen::Object("lockgraph.Package")
    );
    assert_eq!(construct(&given("")).unwrap_err().to_string(), "empty");
    let missing = construct(&Given::default()).unwrap_err();
    assert_eq!(missing.to_string(), "Package() is missing its argument 'name'");
}

#[test]
fn attributes() {
    let shown = Shown::class::<Package>();
    let object = package("a");
    let get = |name| (shown.getters[name].0)(&object).unwrap();
    assert_eq!(
        (get("name"), get("remark"), get("type"), get("title")),
        ("a".into(), Seen::None, Seen::Int(1), "a".into())
    );
    let immutable = |name| shown.getters[name].1;
    assert!(immutable("name") && immutable("type") && !immutable("remark") && !immutable("title"));
    assert_eq!(shown.getters["name"].2, "Its name.");

    let set = |name, value: Any| shown.setters[name](&object, &value);
    set("remark", Any::Str("x".into())).unwrap();
    assert_eq!(get("remark"), "x".into());
    let wrong = set("remark", Any::Int(1)).unwrap_err();
    assert_eq!(wrong.to_string(), "Package.remark: expected str or None, got int");
    assert_eq!(get("remark"), "x".into());
    set("title", Any::Str("y".into())).unwrap();
    assert_eq!(get("remark"), "y".into());
    assert_eq!(
        set("title", Any::None).unwrap_err().to_string(),
        "Package.title: expected str, got None"
    );
    assert_eq!(
        set("title", Any::Str("".into())).unwrap_err().to_string(),
        "no title"
    );
}

#[test]
fn a_child_is_its_parent() {
    let special = Special {
        base: Package::make("s"),
        parents: List::new(),
        cache: 0.into(),
    };
    assert_eq!(special.title(), "s");
    assert_eq!(*special.cache.lock().unwrap(), 0);
    let shown = Shown::class::<Package>();
    let given = Given {
        receiver: Some(object(special)),
        ..Given::default()
    };
    assert_eq!(shown.call("__repr__", given).unwrap(), "<s>".into());
}

#[test]
fn native_objects_stay_on_their_thread() {
    let local = Ref::new(Local {
        pointer: std::ptr::null(),
    });
    assert!(local.pointer.is_null());
}

#[test]
fn functions() {
    let mut shown = Shown::default();
    read::visit_member(&mut shown);
    Package::visit_member(&mut shown);
    assert_eq!(shown.order, ["function read", "class lockgraph.Package"]);
    let signature = shown.signatures["read"];
    assert_eq!(
        (signature.binding, signature.doc, signature.qualified),
        (Binding::Function, "Reads.", "read")
    );
    assert_eq!(signature.parameters[1].default, Some("True"));
    let given = |arguments| Given {
        arguments,
        ..Given::default()
    };
    assert_eq!(shown.call("read", given(vec![text("/x")])).unwrap(), "/x".into());
    assert_eq!(
        shown
            .call("read", given(vec![text("/x"), Some(Any::Bool(false))]))
            .unwrap(),
        Seen::None
    );
    assert_eq!(read("y".into(), true), Some("y".to_owned()));
}
