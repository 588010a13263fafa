//! A plain Rust program that loads a library: functions, constructors and methods by name, types,
//! errors and panics.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use pairbond::library::load;
use pairbond::prelude::*;
use pairbond_plugin::image::inspect_image;

/// Builds the library (without pairbond's features that others want, so beside a crate only that
/// asks for those of other crates) and returns its file.
fn library() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the workspace");
    let target = root.join("target/libraries");
    let done = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["build", "--quiet", "--lib", "--package=pairbond-test-library"])
        .arg("--package=pairbond-workspace-hack")
        .arg(format!("--target-dir={}", target.display()))
        .status()
        .expect("cargo runs");
    assert!(done.success());
    target.join("debug").join(format!(
        "{}pairbond_testlib{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

#[test]
fn a_program_without_python_loads_a_library() {
    let path = library();
    let library = load(&path).expect("it loads");
    assert_eq!(library.name(), "pairbond_testext");
    assert_eq!(library.doc(), "Everything that the tests need.");
    let call = |name: &str, arguments: &[Any]| library.function(name).expect(name).call(arguments);

    // Functions, with defaults and keywords.
    assert_eq!(
        call("add3", &[1.into(), 2.into(), 3.into()]).unwrap().as_i64(),
        Some(6)
    );
    let greet = library.function("greet").unwrap();
    assert_eq!(greet.call(&["you".into()]).unwrap().as_str(), Some("Hello, you!"));
    assert_eq!(
        greet
            .call_with(&["you".into(), "Hi".into()], &["greeting"])
            .unwrap()
            .as_str(),
        Some("Hi, you!")
    );
    assert!(library.function("nowhere").is_none());

    // Objects, whose types are registered here.
    let shape = call("Shape", &[2.5.into()]).unwrap();
    assert_eq!(
        call("Shape.twice", std::slice::from_ref(&shape))
            .unwrap()
            .as_f64(),
        Some(5.0)
    );
    assert_eq!(
        call("area_of", &[shape.clone(), 2.0.into()]).unwrap().as_f64(),
        Some(5.0)
    );
    let info = pairbond::types::find_type("pairbond_testext.Shape").expect("registered");
    assert!(library.types().any(|it| std::ptr::eq(it, info)));
    assert_eq!(info.live_count(), 1);
    drop(shape);
    assert_eq!(info.live_count(), 0);

    // Errors and panics.
    let error = call("add3", &["no".into(), 2.into(), 3.into()]).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Type);
    assert_eq!(
        error.message(),
        "add3() argument 'a': expected an int of 64 bits, got str 'no'"
    );
    let panic = call("panic", &["ouch".into()]).unwrap_err();
    assert_eq!(*panic.kind(), ErrorKind::Panic);
    assert!(panic.message().starts_with("ouch (Rust panicked at "), "{panic}");

    // Again: the same.
    assert_eq!(load(&path).unwrap().id(), library.id());

    let image = inspect_image(&std::fs::read(&path).unwrap());
    if cfg!(all(
        target_os = "linux",
        target_pointer_width = "64",
        target_endian = "little"
    )) {
        assert_eq!(image.unwrap().libraries, ["pairbond_testext"]);
    }
}

/// Builds the library of C for the tests and returns its file.
fn library_of_c() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the workspace");
    let made = std::env::temp_dir().join(format!("shapes-{}.so", std::process::id()));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let done = Command::new(compiler)
        .args(["-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-o"])
        .args([&made, &root.join("tests/c/shapes.c")])
        .arg(format!("-I{}", root.join("python/pairbond/include").display()))
        .status()
        .expect("Rust links with a compiler of C");
    assert!(done.success());
    made
}

#[test]
fn a_program_without_python_loads_a_library_of_c() {
    let path = library_of_c();
    let library = load(&path).expect("it loads");
    std::fs::remove_file(&path).expect("it was made");
    assert_eq!((library.name(), library.doc()), ("shapes", "Shapes of C."));
    let call = |name: &str, arguments: &[Any]| library.function(name).expect(name).call(arguments);

    // Objects, methods, and what C does with functions of Rust.
    let node = call("Node", &["a".into(), 3.into()]).unwrap();
    let info = pairbond::types::find_type("shapes.Node").expect("registered");
    assert_eq!(info.live_count(), 1);
    let shown = call("Node.__repr__", std::slice::from_ref(&node)).unwrap();
    assert_eq!(shown.as_str(), Some("Node(a, 3)"));
    let heft = call("heft_of", &[node.clone(), 2.into()]).unwrap();
    assert_eq!(heft.as_i64(), Some(-6));
    let double = Function::new("double", |arguments: &[Any]| {
        Ok((2 * arguments[0].as_i64().expect("an int")).into())
    });
    let doubled = call("apply", &[Any::Function(double), 4.into()]).unwrap();
    assert_eq!(doubled.as_i64(), Some(8));
    drop(node);
    assert_eq!(info.live_count(), 0);

    // Trees, whose nodes Rust walks as its own.
    let branch = |name: &str| call("Branch", &[name.into()]).unwrap();
    let (root, child) = (branch("root"), branch("child"));
    call("Branch.append", &[root.clone(), child.clone()]).unwrap();
    let Any::Object(above) = &root else {
        panic!("an object")
    };
    let below = pairbond::tree::Descendants::of_object(above.clone()).expect("a node");
    assert_eq!(below.count(), 1);
    call("Branch.erase", &[child.clone(), "a pass".into()]).unwrap();
    let error = call("Branch.index", &[child]).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Invalidated);
    assert!(
        error
            .message()
            .contains("shapes.Branch child was erased, by a pass"),
        "{error}"
    );

    // Errors, and arrays.
    let error = call("fail", &[2.into(), "oh".into()]).unwrap_err();
    assert_eq!((error.kind(), error.message()), (&ErrorKind::Value, "oh"));
    let ramp: Array = call("ramp", &[3.into()]).unwrap().to().unwrap();
    assert_eq!(ramp.view::<f64>().unwrap().to_vec(), [2.0, 1.0, 0.0]);
}

#[test]
fn what_is_no_library_is_refused() {
    let missing = load("/nowhere/libshapes.so").unwrap_err();
    assert_eq!(*missing.kind(), ErrorKind::FileNotFound);
    let text = load(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap_err();
    assert_eq!(*text.kind(), ErrorKind::Import);
    assert!(text.message().contains("is a text file"), "{text}");
    let folder = load(env!("CARGO_MANIFEST_DIR")).unwrap_err();
    assert_eq!(*folder.kind(), ErrorKind::Os(Some(21)));
}
