//! From a file or a text to a graph.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use cargo_lock::{Dependency, Lockfile};
use pairbond::prelude::*;

use crate::place::{Place, Written, find_dependency};
use crate::{Lock, Package};

/// Reads a Cargo.lock.
///
/// Raises OSError if the file cannot be read, and ValueError, with the place in the file, if it is not a lock file or lacks a package.
#[pairbond::function]
#[detach]
pub fn read(path: PathBuf) -> Result<Ref<Lock>, Error> {
    let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, &error))?;
    let name = path.display().to_string();
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        invalid(
            &name,
            Some(Place::end_of(&String::from_utf8_lossy(good))),
            "not UTF-8",
        )
    })?;
    build(&text, Some(&name))
}

/// Reads a lock file from its text.
///
/// Raises ValueError, with the place in the text, if it is not a lock file or lacks a package.
#[pairbond::function]
#[detach]
pub fn parse(text: &str) -> Result<Ref<Lock>, Error> {
    build(text, None)
}

fn build(text: &str, path: Option<&str>) -> Result<Ref<Lock>, Error> {
    let name = path.unwrap_or("<text>");
    let file: Lockfile = text.parse().map_err(|error| explain(name, text, &error))?;
    if file.packages.is_empty() {
        // Every lock file has its root package; the parser takes an empty text for one of an early version.
        return Err(invalid(
            name,
            Some(Place::end_of(text)),
            "no [[package]] here; is it a lock file?",
        ));
    }
    let packages: Vec<Ref<Package>> = file
        .packages
        .iter()
        .map(|parsed| Ref::new(node(parsed)))
        .collect();
    let index = Index::new(&file.packages);
    for (package, parsed) in packages.iter().zip(&file.packages) {
        for dependency in &parsed.dependencies {
            let target = index
                .find(dependency)
                .ok_or_else(|| absent(name, text, parsed, dependency))?;
            Package::depend_on(package.as_borrow(), packages[target].clone());
        }
    }
    let format = file.version.into();
    Ok(Ref::new(Lock {
        path: path.map(Str::from),
        format,
        packages: packages.into_iter().collect(),
    }))
}

fn node(parsed: &cargo_lock::Package) -> Package {
    let source = parsed.source.as_ref().map(ToString::to_string);
    let checksum = parsed.checksum.as_ref().map(ToString::to_string);
    Package::new(
        parsed.name.as_str(),
        &parsed.version.to_string(),
        source.as_deref(),
        checksum.as_deref(),
    )
}

/// Finds the package that a dependency means.
struct Index<'a> {
    packages: &'a [cargo_lock::Package],
    by_name: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Index<'a> {
    fn new(packages: &'a [cargo_lock::Package]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (position, package) in packages.iter().enumerate() {
            by_name.entry(package.name.as_str()).or_default().push(position);
        }
        Index { packages, by_name }
    }

    /// The source decides only between packages of one name and version.
    fn find(&self, dependency: &Dependency) -> Option<usize> {
        let same_version = |i: &usize| self.packages[*i].version == dependency.version;
        let named = self.by_name.get(dependency.name.as_str())?;
        let candidates: Vec<usize> = named.iter().copied().filter(same_version).collect();
        match candidates[..] {
            [only] => Some(only),
            _ => candidates
                .into_iter()
                .find(|&i| self.packages[i].source == dependency.source),
        }
    }
}

/// Python chooses the class by the number: FileNotFoundError, IsADirectoryError, PermissionError.
fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::Os(error.raw_os_error()),
        format!("{}: {error}", path.display()),
    )
}

/// `Cargo.lock:12:3: what is wrong`
fn invalid(name: &str, place: Option<Place>, what: &str) -> Error {
    match place {
        Some(Place { line, column }) => Error::value_error(format!("{name}:{line}:{column}: {what}")),
        None => Error::value_error(format!("{name}: {what}")),
    }
}

/// What the parser has to say. An abbreviated dependency that means nothing it reports without a place.
fn explain(name: &str, text: &str, error: &cargo_lock::Error) -> Error {
    let message = error.to_string();
    if let Some((place, what)) = Place::of_message(&message) {
        return invalid(name, Some(place), what);
    }
    let message = message.trim_end().trim_start_matches("parse error: ");
    let unresolved = message.strip_prefix("couldn't resolve dependency: ");
    match unresolved.and_then(|missing| find_dependency(text, |it| it.dependency == missing)) {
        Some(written) => missing(name, &written),
        None => invalid(name, None, message),
    }
}

fn absent(name: &str, text: &str, package: &cargo_lock::Package, dependency: &Dependency) -> Error {
    let version = (package.version.to_string(), dependency.version.to_string());
    let written = find_dependency(text, |it| {
        let mut words = it.dependency.split(' ');
        (it.name, it.version) == (package.name.as_str(), &version.0)
            && words.next() == Some(dependency.name.as_str())
            && words.next().is_none_or(|word| word == version.1)
    });
    match written {
        Some(written) => missing(name, &written),
        None => {
            let what = format!(
                "{} {} depends on {dependency}, which is not in the file",
                package.name, version.0
            );
            invalid(name, None, &what)
        }
    }
}

fn missing(name: &str, it: &Written<'_>) -> Error {
    let what = format!(
        "{} {} depends on {}, which is not in the file",
        it.name, it.version, it.dependency
    );
    invalid(name, Some(it.place), &what)
}
