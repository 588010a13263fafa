//! The sources of the crate that is being compiled, hashed: `abi::Origin`.
//!
//! The language does not specify the layout of foreign types, and the compiler's identity of such a
//! type does not depend on its sources. So a type's definer records everything that it was compiled
//! from and that a layout can depend on: the sources, the files they include and the environment
//! variables they read, features and other `cfg`s, features of the processor. Profiles and paths
//! are not part of it.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use proc_macro2::TokenStream;
use quote::quote;

use crate::paths::Krate;

/// The inputs of a crate's compilation.
#[derive(Clone, Copy)]
struct Made {
    digest: u64,
    /// It depends on nothing but pairbond.
    closed: bool,
    /// Its sources say `debug_assertions`.
    debug: bool,
}

/// An `abi::Origin` of the crate that is being compiled, as a constant expression.
pub(crate) fn origin_expr(krate: &Krate) -> TokenStream {
    let origin = krate.internal_path(quote!(abi::Origin));
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let name = match variable("CARGO_PKG_NAME") {
        name if name.is_empty() => variable("CARGO_CRATE_NAME"),
        name => name,
    };
    let version = variable("CARGO_PKG_VERSION");
    let Made {
        digest,
        closed,
        debug,
    } = cached_origin();
    let debug = debug.then(|| quote!(^ (::core::cfg!(debug_assertions) as u64)));
    quote! {
        #origin::new(#name, #version, #digest #debug, #closed).at_position(
            ::core::module_path!(),
            ::core::line!(),
            ::core::column!(),
        )
    }
}

/// The same for all expansions of a compilation.
fn cached_origin() -> Made {
    static ALL: Mutex<Option<HashMap<Vec<String>, Made>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let arguments: Vec<String> = std::env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    // An editor expands many crates in one process.
    let mut key = arguments.clone();
    key.extend(
        ["CARGO_MANIFEST_DIR", "CARGO_CRATE_NAME"].map(|name| std::env::var(name).unwrap_or_default()),
    );
    *all.get_or_insert_with(HashMap::new)
        .entry(key)
        .or_insert_with(|| read_origin(&arguments))
}

fn read_origin(arguments: &[String]) -> Made {
    let compiled = Compiled::from_arguments(arguments);
    let mut hash = Digest(0xcbf2_9ce4_8422_2325);
    for setting in &compiled.settings {
        hash.add_text(setting);
    }
    let (mut debug, mut variables, mut generated) = (false, BTreeSet::new(), false);
    for (name, path) in compiled.sources() {
        let text = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        hash.add_text(&name);
        hash.add_text(&text);
        debug |= text.contains("debug_assertions");
        generated |= text.contains("OUT_DIR");
        variables.extend(arguments_of(&text, "env!").map(str::to_owned));
        for inclusion in ["include!", "include_str!", "include_bytes!", "#[path ="] {
            for file in arguments_of(&text, inclusion) {
                let file = path.parent().unwrap_or(Path::new("")).join(file);
                hash.add_bytes(&std::fs::read(file).unwrap_or_default());
            }
        }
    }
    // Cargo's variables hold places, not contents.
    for variable in variables
        .iter()
        .filter(|name| !name.starts_with("CARGO") && *name != "OUT_DIR")
    {
        hash.add_text(variable);
        hash.add_text(&std::env::var(variable).unwrap_or_default());
    }
    if let (true, Some(folder)) = (generated, std::env::var_os("OUT_DIR")) {
        for (name, path) in rust_files(Path::new(&folder)) {
            hash.add_text(&name);
            hash.add_bytes(&std::fs::read(path).unwrap_or_default());
        }
    }
    Made {
        digest: hash.0,
        closed: compiled.closed,
        debug,
    }
}

/// The texts that are given to a macro right behind its name: `include!("file")`.
fn arguments_of<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(name).skip(1).filter_map(|rest| {
        let rest = rest.trim_start().trim_start_matches(['(', '[']).trim_start();
        rest.strip_prefix('"')?.split('"').next()
    })
}

/// FNV-1a
struct Digest(u64);

impl Digest {
    fn add_bytes(&mut self, bytes: &[u8]) {
        let len = (bytes.len() as u64).to_le_bytes();
        for byte in len.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    fn add_text(&mut self, text: &str) {
        self.add_bytes(text.as_bytes());
    }
}

/// How the compiler was called.
struct Compiled {
    /// The file that it was given.
    root: Option<PathBuf>,
    /// The settings that sources can test.
    settings: BTreeSet<String>,
    closed: bool,
}

impl Compiled {
    fn from_arguments(arguments: &[String]) -> Self {
        let mut made = Compiled {
            root: None,
            settings: BTreeSet::new(),
            closed: false,
        };
        let mut others = false;
        let mut at = arguments.iter().skip(1);
        while let Some(argument) = at.next() {
            let (flag, value) = match argument.split_once('=') {
                Some((flag @ ("--cfg" | "--extern"), value)) => (flag, Some(value.to_owned())),
                _ => (argument.as_str(), None),
            };
            match flag {
                // Only what pairbond's own tests build is another release's.
                "--cfg" => made.settings.extend(
                    value
                        .or_else(|| at.next().cloned())
                        .filter(|it| it != "pairbond_next_abi"),
                ),
                "--extern" => {
                    let value = value.or_else(|| at.next().cloned()).unwrap_or_default();
                    let name = value.split('=').next().unwrap_or_default();
                    // Flags may stand before it.
                    let name = name.rsplit(':').next().unwrap_or_default();
                    let known = [
                        "pairbond",
                        "pairbond_core",
                        "pairbond_macros",
                        "pairbond_python",
                        "pairbond_value",
                    ];
                    others |= !known.contains(&name);
                    made.closed = true;
                }
                "-C" | "--codegen" => made.settings.extend(at.next().and_then(|it| processor_text(it))),
                flag if flag.starts_with("-C") => made.settings.extend(processor_text(&flag[2..])),
                flag if flag.ends_with(".rs") && !flag.starts_with('-') && Path::new(flag).is_file() => {
                    made.root.get_or_insert_with(|| flag.into());
                }
                _ => {}
            }
        }
        made.closed &= !others && made.root.is_some();
        made
    }

    /// All sources below the folder of the root: name and path.
    fn sources(&self) -> Vec<(String, PathBuf)> {
        let folder = match &self.root {
            Some(root) => root.parent().unwrap_or(Path::new("")).to_owned(),
            None => match std::env::var_os("CARGO_MANIFEST_DIR") {
                Some(folder) => Path::new(&folder).join("src"),
                None => return Vec::new(),
            },
        };
        let folder = if folder.as_os_str().is_empty() {
            ".".into()
        } else {
            folder
        };
        rust_files(&folder)
    }
}

/// Returns the text of a compiler setting about the processor that sources can test.
fn processor_text(setting: &str) -> Option<String> {
    let known = ["target-cpu=", "target-feature=", "panic="];
    known
        .iter()
        .any(|start| setting.starts_with(start))
        .then(|| setting.to_owned())
}

/// The Rust files below a folder in the order of their names, those of other packages left out.
fn rust_files(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut all = Vec::new();
    let mut folders = vec![(String::new(), folder.to_owned())];
    while let Some((name, folder)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if path.is_dir() {
                if !file.starts_with('.') && file != "target" && !path.join("Cargo.toml").exists() {
                    folders.push((format!("{name}{file}/"), path));
                }
            } else if file.ends_with(".rs") {
                all.push((format!("{name}{file}"), path));
            }
        }
    }
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled_from(arguments: &str) -> Compiled {
        let all: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        Compiled::from_arguments(&all)
    }

    #[test]
    fn what_the_compiler_was_called_with() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");
        let made = compiled_from(&format!(
            "rustc --crate-name demo {root} --cfg feature=\"big\" --cfg=mine -C opt-level=3 -C target-cpu=native -Cmetadata=1 \
             --extern pairbond=/x/libpairbond.rlib"
        ));
        assert_eq!(made.root.as_deref(), Some(Path::new(root)));
        let settings: Vec<&str> = made.settings.iter().map(String::as_str).collect();
        assert_eq!(settings, ["feature=\"big\"", "mine", "target-cpu=native"]);
        assert!(made.closed);
        let more = compiled_from(&format!(
            "rustc {root} --extern pairbond=a --extern noprelude:serde=b"
        ));
        assert!(!more.closed);
        assert!(!compiled_from("rust-analyzer").closed);
    }

    #[test]
    fn what_sources_include() {
        let text = r#"include!("a.rs") include_str! ( "b" ) option_env!("X") concat!(env!("OUT_DIR"), "/c")"#;
        assert_eq!(arguments_of(text, "include!").collect::<Vec<_>>(), ["a.rs"]);
        assert_eq!(arguments_of(text, "include_str!").collect::<Vec<_>>(), ["b"]);
        assert_eq!(arguments_of(text, "env!").collect::<Vec<_>>(), ["X", "OUT_DIR"]);
    }

    #[test]
    fn the_sources_of_this_crate() {
        let names: Vec<String> = rust_files(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").as_path())
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert!(names.is_sorted() && names.contains(&"object/mod.rs".to_owned()));
    }
}
