//! A plain Rust program that loads a library: functions, constructors and methods by name, types,
//! errors and panics.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use pairbond::library::load;
use pairbond::prelude::*;
use pairbond_core::library::image::inspect;

/// Builds the library (alone, so that it has no features that others want) and returns its file.
fn library() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the workspace");
    let target = root.join("target/libraries");
    let done = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["build", "--quiet", "--lib", "--package=pairbond-test-library"])
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
    assert_eq!(info.live(), 1);
    drop(shape);
    assert_eq!(info.live(), 0);

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

    let image = inspect(&std::fs::read(&path).unwrap());
    if cfg!(all(
        target_os = "linux",
        target_pointer_width = "64",
        target_endian = "little"
    )) {
        assert_eq!(image.unwrap().libraries, ["pairbond_testext"]);
    }
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
