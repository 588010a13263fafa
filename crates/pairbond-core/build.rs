//! Tells the crate which compiler builds it: what binaries share is laid out by the compiler, so they compare it (`src/abi/`).
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output();
    let text = output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    let text = text.unwrap_or_default();
    let version = text.lines().next().filter(|line| !line.is_empty());
    let target = std::env::var("TARGET").unwrap_or_default();
    let version = version.unwrap_or("an unknown compiler");
    // Where it runs does not change what it makes.
    println!("cargo::rustc-env=PAIRBOND_COMPILER={version} for {target}");
}
