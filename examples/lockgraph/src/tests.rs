//! The graph used from plain Rust: no Python anywhere.

use pairbond::prelude::*;

use crate::{Lock, Package, parse, read};

const DIAMOND: &str = r#"
version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = ["left", "right"]

[[package]]
name = "base"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "0e2e1de4e1e4ad8e6a4d5a9cfe8f5b2d5c1d0bc1d3de1ea1d4e5a7cb03a7bb7c"

[[package]]
name = "base"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"

[[package]]
name = "left"
version = "1.0.0"
dependencies = [
 "base 1.0.0",
]

[[package]]
name = "right"
version = "1.0.0"
dependencies = [
 "base 1.0.0",
 "left",
]
"#;

fn diamond() -> Ref<Lock> {
    parse(DIAMOND).expect("it is one")
}

fn named(packages: &[Ref<Package>]) -> Vec<String> {
    packages
        .iter()
        .map(|package| format!("{} {}", package.name, package.version))
        .collect()
}

fn package(lock: &Lock, name: &str) -> Ref<Package> {
    let mut found = lock.by_name(name);
    assert_eq!(found.len(), 1, "{name}");
    found.remove(0)
}

fn refused(text: &str) -> String {
    let error = parse(text)
        .map(|lock| named(&lock.packages.to_vec()))
        .expect_err("it is wrong");
    assert_eq!(*error.kind(), ErrorKind::Value);
    error.to_string()
}

#[test]
fn edges_go_both_ways() {
    let lock = diamond();
    let left = package(&lock, "left");
    assert_eq!(lock.format, 4);
    assert_eq!(named(&left.dependencies.to_vec()), ["base 1.0.0"]);
    assert_eq!(named(&left.dependents.to_vec()), ["app 0.1.0", "right 1.0.0"]);
    let base = left.dependencies.get(0).expect("it has one");
    assert!(base.dependents.get(0).expect("it has some").is(&left));
    assert!(
        base.checksum
            .as_deref()
            .is_some_and(|sum| sum.starts_with("0e2e1de4"))
    );
}

#[test]
fn closures_are_nearest_first() {
    let lock = diamond();
    assert_eq!(
        named(&package(&lock, "app").closure()),
        ["left 1.0.0", "right 1.0.0", "base 1.0.0"]
    );
    let base = package(&lock, "left").closure().remove(0);
    assert_eq!(
        named(&base.needed_by()),
        ["left 1.0.0", "right 1.0.0", "app 0.1.0"]
    );
}

#[test]
fn paths_are_shortest() {
    let lock = diamond();
    let [app, left, right] = ["app", "left", "right"].map(|name| package(&lock, name));
    let base = left.dependencies.get(0).expect("it has one");
    let path = |from: &Ref<Package>, to: &Package| Package::path_to(from.as_borrow(), to);
    assert_eq!(
        named(&path(&app, &base).expect("there is one")),
        ["app 0.1.0", "left 1.0.0", "base 1.0.0"]
    );
    assert_eq!(
        named(&path(&right, &left).expect("there is one")),
        ["right 1.0.0", "left 1.0.0"]
    );
    assert_eq!(named(&path(&app, &app).expect("it is there")), ["app 0.1.0"]);
    assert!(path(&base, &app).is_none());
}

#[test]
fn cycles_end() {
    let [a, b, c] = ["a", "b", "c"].map(|name| Ref::new(Package::new(name, "1.0.0", None, None)));
    for (from, to) in [(&a, &b), (&b, &c), (&c, &a), (&a, &a)] {
        Package::depend_on(from.as_borrow(), to.clone());
        Package::depend_on(from.as_borrow(), to.clone());
    }
    assert_eq!(named(&a.closure()), ["b 1.0.0", "c 1.0.0"]);
    assert_eq!(named(&a.needed_by()), ["c 1.0.0", "b 1.0.0"]);
    assert_eq!(
        Package::path_to(b.as_borrow(), &a).expect("there is one").len(),
        3
    );
    assert_eq!(Package::path_to(a.as_borrow(), &a).expect("it is there").len(), 1);
    // Nothing else breaks the cycle here, and a leak checker looks.
    for package in [a, b, c] {
        package.dependencies.clear();
        package.dependents.clear();
    }
}

#[test]
fn a_long_chain_is_walked_without_recursion() {
    let chain: Vec<_> = (0..100_000)
        .map(|i| Ref::new(Package::new(&i.to_string(), "1.0.0", None, None)))
        .collect();
    for pair in chain.windows(2) {
        Package::depend_on(pair[0].as_borrow(), pair[1].clone());
    }
    let last = &chain[chain.len() - 1];
    assert_eq!(chain[0].closure().len(), chain.len() - 1);
    assert_eq!(
        Package::path_to(chain[0].as_borrow(), last).map(|path| path.len()),
        Some(chain.len())
    );
    for package in &chain {
        package.dependents.clear();
    }
}

#[test]
fn the_file_as_a_whole() {
    let lock = diamond();
    assert_eq!(lock.packages.len(), 5);
    assert_eq!(named(&lock.roots()), ["app 0.1.0", "base 2.0.0"]);
    let most: Vec<_> = lock
        .most_depended(2)
        .into_iter()
        .map(|(it, direct, all)| (it.name.to_string(), direct, all))
        .collect();
    assert_eq!(most, [("base".to_owned(), 2, 3), ("left".to_owned(), 2, 2)]);
    let duplicates = lock.duplicates();
    assert_eq!(duplicates.keys().collect::<Vec<_>>(), ["base"]);
    assert_eq!(duplicates["base"], [Str::from("1.0.0"), Str::from("2.0.0")]);
}

#[test]
fn the_source_decides_between_equal_versions() {
    let text = DIAMOND
        .replace(
            "name = \"base\"\nversion = \"2.0.0\"",
            "name = \"base\"\nversion = \"1.0.0\"",
        )
        .replacen(
            "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
            "source = \"git+https://example.org/base#0123abc\"",
            1,
        )
        .replacen(
            "\"base 1.0.0\"",
            "\"base 1.0.0 (registry+https://github.com/rust-lang/crates.io-index)\"",
            1,
        );
    let lock = parse(&text).expect("it is one");
    let sources = |name| {
        package(&lock, name)
            .dependencies
            .get(0)
            .and_then(|it| it.source.clone())
            .expect("it has one")
    };
    assert!(sources("left").starts_with("registry+"), "{}", sources("left"));
    assert!(sources("right").starts_with("git+"), "{}", sources("right"));
}

#[test]
fn mistakes_name_the_place() {
    assert_eq!(refused("not toml"), "<text>:1:5: key with no value, expected `=`");
    assert_eq!(
        refused("version = 4\n[[package]]\nname = \"a\"\n"),
        "<text>:2:1: missing field `version`"
    );
    assert_eq!(refused(""), "<text>:1:1: no [[package]] here; is it a lock file?");
    assert_eq!(
        refused("version = 9"),
        "<text>: invalid Cargo.lock format version: `9`"
    );
    let cut = &DIAMOND[..DIAMOND.find("base 1.0.0").expect("it is there") + 3];
    assert_eq!(refused(cut), "<text>:24:6: unclosed array, expected `]`");
}

#[test]
fn absent_packages_are_named() {
    let head = "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n";
    let absent = "a 1.0.0 depends on";
    let message = refused(&format!("{head}dependencies = [\n \"b\",\n]\n"));
    assert_eq!(
        message,
        format!("<text>:6:3: {absent} b, which is not in the file")
    );
    let message = refused(&format!("{head}dependencies = [\"a\", \"b 2.0.0\"]\n"));
    assert_eq!(
        message,
        format!("<text>:5:23: {absent} b 2.0.0, which is not in the file")
    );
    let message = refused(&format!("{head}dependencies = [\n \"a 2.0.0\",\n]\n"));
    assert_eq!(
        message,
        format!("<text>:6:3: {absent} a 2.0.0, which is not in the file")
    );
}

#[test]
fn files_that_cannot_be_read() {
    let missing = read("no/such/Cargo.lock".into())
        .map(|_| ())
        .expect_err("it is missing");
    assert!(matches!(missing.kind(), ErrorKind::Os(Some(_))), "{missing:?}");
    assert!(
        missing.to_string().starts_with("no/such/Cargo.lock: "),
        "{missing}"
    );
    let path = std::env::temp_dir().join(format!("lockgraph-{}.lock", std::process::id()));
    std::fs::write(&path, b"version = 4\n# \xff").expect("the folder is there");
    let error = read(path.clone()).map(|_| ()).expect_err("it is not UTF-8");
    std::fs::remove_file(&path).expect("it was there");
    assert_eq!(error.to_string(), format!("{}:2:3: not UTF-8", path.display()));
}

#[test]
fn checksums_of_the_first_format() {
    let sum = "0e2e1de4e1e4ad8e6a4d5a9cfe8f5b2d5c1d0bc1d3de1ea1d4e5a7cb03a7bb7c";
    let source = "registry+https://github.com/rust-lang/crates.io-index";
    let text = format!(
        "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\ndependencies = [\"b 1.0.0 ({source})\"]\n\
         [[package]]\nname = \"b\"\nversion = \"1.0.0\"\nsource = \"{source}\"\n\
         [metadata]\n\"checksum b 1.0.0 ({source})\" = \"{sum}\"\n"
    );
    let lock = parse(&text).expect("it is one");
    assert_eq!(lock.format, 1);
    let b = package(&lock, "a").dependencies.get(0).expect("it has one");
    assert_eq!(b.checksum.as_deref(), Some(sum));
    assert_eq!(b.source.as_deref(), Some(source));
    let short = text.replace(&format!("b 1.0.0 ({source})\"]"), "b\"]");
    assert!(
        refused(&short).contains("which is not in the file"),
        "{}",
        refused(&short)
    );
}

/// The time of twice as much is about twice as long.
#[test]
fn large_files_take_no_longer_than_they_are() {
    let text = |count: usize| {
        let mut text = String::from("version = 4\n");
        for i in 0..count {
            text += &format!("[[package]]\nname = \"p{i}\"\nversion = \"1.0.0\"\ndependencies = [\n");
            for j in 1..6 {
                text += &format!(" \"p{}\",\n", (i * 7 + j * 13) % count);
            }
            text += "]\n";
        }
        text
    };
    let time = |text: &str| {
        (0..3)
            .map(|_| {
                let began = std::time::Instant::now();
                let lock = parse(text).expect("it is one");
                let took = began.elapsed();
                // Nothing else breaks the cycles here.
                lock.packages.iter().for_each(|it| it.dependents.clear());
                took
            })
            .min()
            .expect("there are some")
    };
    let (small, large) = (time(&text(2_000)), time(&text(16_000)));
    assert!(
        large < small * 24,
        "{small:?} for 2,000 packages, {large:?} for 16,000"
    );
}
