//! Threads of C and C++ (`tests/c/threads.cpp`, `tests/c/pthreads.c`), in a program without Python,
//! while threads of Rust use the same libraries. The libraries compare every result.
//!
//! With `--cfg pairbond_tsan` the libraries are built for ThreadSanitizer, whose runtime is in this
//! program then: `make test-long ARGS=c`.
#![cfg(all(unix, not(miri)))]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use pairbond_core::error::Error;
use pairbond_plugin::{Library, load};
use pairbond_value::value::{Any, Function};

/// More where somebody waits for it.
const TURNS: i64 = if cfg!(pairbond_tsan) { 300 } else { 100 };

/// Names the library for a process that has it race.
const RACE: &str = "PAIRBOND_RACE";

fn run_command(command: &mut Command) {
    let done = command.output().expect("Rust links with a compiler of C");
    assert!(
        done.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// Builds a library of `tests/c`, in two steps: a linker that is told of a sanitizer would add a
/// runtime of its own.
fn build_library(source: &str, compiler: &str, standard: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the workspace");
    // Under a name of its own: several processes may build it. It stays, because reports of
    // ThreadSanitizer name its lines.
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{source}.so", std::process::id()));
    let object = made.with_extension("o");
    let watched = if cfg!(pairbond_tsan) {
        ["-fsanitize=thread", "-O1"]
    } else {
        ["-pthread", "-O0"]
    };
    run_command(
        Command::new(compiler)
            .args([
                standard,
                "-g",
                "-c",
                "-pthread",
                "-fPIC",
                "-fvisibility=hidden",
                "-Wall",
                "-Wextra",
                "-Werror",
            ])
            .args(watched)
            .arg(format!("-I{}", root.join("python/pairbond/include").display()))
            .arg(root.join("tests/c").join(source))
            .arg("-o")
            .arg(&object),
    );
    run_command(
        Command::new(compiler)
            .args(["-shared", "-pthread", "-o"])
            .args([&made, &object]),
    );
    std::fs::remove_file(object).expect("it was made");
    made
}

/// The library of C++, which is built and loaded once; or the one that the environment names.
fn thread_library() -> &'static Library {
    static LOADED: OnceLock<Library> = OnceLock::new();
    LOADED.get_or_init(|| {
        if let Some(built) = std::env::var_os(RACE) {
            return load(PathBuf::from(built)).expect("it loads");
        }
        load(build_cpp()).expect("it loads")
    })
}

fn build_cpp() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
        build_library("threads.cpp", &compiler, "-std=c++17")
    })
}

fn call_function(name: &str, arguments: &[Any]) -> Result<Any, Error> {
    thread_library().function(name).expect(name).call(arguments)
}

/// Calls a function on several threads of Rust at once, each with two of C++ below it, and returns
/// what each returned.
fn call_on_threads(name: &str, arguments: &[Any]) -> Vec<Any> {
    let mut all = arguments.to_vec();
    all.extend([2.into(), TURNS.into()]);
    thread_library();
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| call_function(name, &all)))
            .collect();
        let ended = started
            .into_iter()
            .map(|it| it.join().expect("no panic").expect(name));
        ended.collect()
    })
}

fn int_items(result: &Any) -> Vec<i64> {
    let elements = result
        .to::<pairbond_value::value::List<Any>>()
        .map(|it| it.iter().collect())
        .or_else(|_| {
            result
                .to::<pairbond_value::value::Tuple<Any>>()
                .map(|it| it.iter().collect())
        });
    let elements: Vec<Any> = elements.unwrap_or_else(|_| vec![result.clone()]);
    elements.iter().map(|it| it.as_i64().expect("an int")).collect()
}

/// A function of Rust: twice an int, and an error for a negative one.
fn doubling_function() -> Any {
    Any::Function(Function::new("doubles", |arguments: &[Any]| {
        let number = arguments[0].as_i64().expect("an int");
        if number < 0 {
            return Err(Error::value_error("a negative number"));
        }
        Ok((2 * number).into())
    }))
}

fn sum_of(turns: i64) -> i64 {
    turns * (turns - 1) / 2
}

fn references_and_weak_references() {
    for left in call_on_threads("references", &[]) {
        assert_eq!(int_items(&left), [0]);
    }
    for result in call_on_threads("weak", &[]) {
        let [there, gone, left] = int_items(&result)[..] else {
            panic!("three numbers")
        };
        assert!(there >= TURNS);
        assert_eq!((gone, left), (2 * TURNS, 0));
    }
}

fn functions_errors_and_names() {
    for sum in call_on_threads("functions", &[doubling_function()]) {
        assert_eq!(int_items(&sum), [2 * sum_of(2 * TURNS)]);
    }
    assert_eq!(
        int_items(&call_function("names", &[3.into(), TURNS.into()]).unwrap()),
        [7]
    );
    for read in call_on_threads("errors", &[]) {
        assert_eq!(int_items(&read), [2 * TURNS]);
    }
}

fn containers_and_trees() {
    for result in call_on_threads("containers", &[]) {
        // Of the texts, those of even turns were removed.
        let odd = 2 * (TURNS / 2) * (TURNS / 2) + TURNS * (TURNS / 2);
        assert_eq!(int_items(&result), [sum_of(2 * TURNS), odd]);
    }
    for result in call_on_threads("trees", &[]) {
        let [made, moved, erased, left] = int_items(&result)[..] else {
            panic!("four numbers")
        };
        assert!(moved > 0 && erased > 0 && left > 0 && left <= made - erased);
    }
}

fn overridable_methods_and_observers() {
    let offer = call_function("Offer", &[3.into()]).unwrap();
    for sum in call_on_threads("totals", &[offer, 3.into()]) {
        assert_eq!(int_items(&sum), [2 * 3 * sum_of(TURNS)]);
    }
    for made in call_on_threads("observers", &[]) {
        assert_eq!(int_items(&made), [2 * TURNS]);
    }
}

fn what_is_dropped_on_a_thread_of_the_library() {
    let list = pairbond_value::value::List::<Any>::new();
    for number in 0..TURNS {
        let node = call_function("Node", &[number.into()]).unwrap();
        list.push(node);
    }
    assert_eq!(
        int_items(&call_function("release", &[list.into(), 3.into()]).unwrap()),
        [TURNS]
    );
}

/// One test, because the library takes seconds to build and each test may be a process of its own.
#[test]
fn threads_of_cpp() {
    references_and_weak_references();
    functions_errors_and_names();
    containers_and_trees();
    overridable_methods_and_observers();
    what_is_dropped_on_a_thread_of_the_library();
}

#[test]
fn threads_of_c() {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let path = build_library("pthreads.c", &compiler, "-std=c11");
    let library = load(&path).expect("it loads");
    let run = library.function("run").expect("it has one");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                assert_eq!(
                    int_items(&run.call(&[doubling_function(), TURNS.into()]).unwrap()),
                    [0]
                )
            });
        }
    });
    assert_eq!(
        int_items(&library.function("alive").expect("it has one").call(&[]).unwrap()),
        [0]
    );
}

/// That silence means something: a data race in the library of C++ ends the process with the
/// status that ThreadSanitizer was told, and names the line.
#[test]
#[cfg(pairbond_tsan)]
fn a_race_is_reported() {
    if std::env::var_os(RACE).is_some() {
        call_function("race", &[3.into(), 1000.into()]).unwrap();
        return;
    }
    let done = Command::new(std::env::current_exe().expect("it runs"))
        .args(["--exact", "a_race_is_reported"])
        .env(RACE, build_cpp())
        .env("TSAN_OPTIONS", "exitcode=66 halt_on_error=1")
        .output()
        .expect("it runs again");
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(66), "{said}");
    assert!(
        said.contains("data race") && said.contains("threads.cpp"),
        "{said}"
    );
}
