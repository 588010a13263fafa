//! Refuses targets that pairbond cannot run on, and tells the crate which compiler builds it: what
//! binaries share is laid out by the compiler, so they compare it (`src/abi/`).
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    if std::env::var("CARGO_CFG_TARGET_POINTER_WIDTH").as_deref() != Ok("64") {
        println!(
            "cargo::error=pairbond needs a 64-bit target, and {target} is none: object headers pack counts into 64-bit words beside pointers"
        );
        return;
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output();
    let text = output
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    let text = text.unwrap_or_default();
    let version = text.lines().next().filter(|line| !line.is_empty());
    let version = version.unwrap_or("an unknown compiler");
    // The machine that runs it does not change its result.
    println!("cargo::rustc-env=PAIRBOND_COMPILER={version} for {target}");
}
