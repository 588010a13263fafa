//! Error messages for input that the macros refuse. Input that they accept is in `accepted_*.rs`:
//! without code to run, the crates below need only be checked here.

use std::process::Command;

/// The release whose messages `ui/compiler` quotes; the words change from release to release.
const COMPILER: &str = "rustc 1.95.";

/// The flags with which trybuild compiles cases. It leaves the last one out where it compiles
/// dependencies, so that all of these would be checked with it and without it.
const FLAGS: [&str; 6] = [
    "--cfg",
    "trybuild",
    "--verbose",
    "-A",
    "dead_code",
    "--diagnostic-width=140",
];

#[test]
fn ui() {
    // SAFETY: This is the only test of this process, and no other thread reads the environment.
    unsafe { std::env::set_var("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f")) };
    let cases = trybuild::TestCases::new();
    // Our own messages.
    cases.compile_fail("tests/ui/fail/*.rs");
    // The compiler's, about what we expand to.
    if compiler().starts_with(COMPILER) {
        cases.compile_fail("tests/ui/compiler/*.rs");
    } else {
        println!(
            "not compared: tests/ui/compiler quotes {COMPILER}, this is {}",
            compiler()
        );
    }
}

fn compiler() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("the compiler that built this test runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
