//! From a file or a text to a graph.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pairbond::prelude::*;

use crate::file::{Dependency, Entry, File, Index};
use crate::place::{Place, Written, find_dependency};
use crate::{Lock, Package};

/// Reads a Cargo.lock.
///
/// Raises OSError if the file cannot be read, and ValueError, with the place in the file, if it is
/// not a lock file or lacks a package.
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
    let mut file: File = toml::from_str(text).map_err(|error| explain(name, text, &error.to_string()))?;
    let format = file.settle().map_err(|error| explain(name, text, &error))?;
    if file.package.is_empty() {
        // Every lock file has its root package; an empty text is one of an early version.
        return Err(invalid(
            name,
            Some(Place::end_of(text)),
            "no [[package]] here; is it a lock file?",
        ));
    }
    let packages: Vec<Ref<Package>> = file.package.iter().map(|entry| Ref::new(node(entry))).collect();
    let index = Index::new(&file.package);
    let mut targets = HashSet::new();
    for (package, entry) in packages.iter().zip(&file.package) {
        targets.clear();
        for dependency in &entry.dependencies {
            let found = index
                .find(dependency)
                .map_err(|error| explain(name, text, &error))?;
            let target = found.ok_or_else(|| absent(name, text, entry, dependency))?;
            if targets.insert(target) {
                Package::link(package, &packages[target]);
            }
        }
    }
    Ok(Ref::new(Lock {
        path: path.map(Str::from),
        format,
        packages: packages.into_iter().collect(),
    }))
}

fn node(entry: &Entry) -> Package {
    let source = entry.source.as_ref().map(ToString::to_string);
    let checksum = entry.checksum.as_ref().map(ToString::to_string);
    Package::new(
        entry.name.as_str(),
        &entry.version.to_string(),
        source.as_deref(),
        checksum.as_deref(),
    )
}

/// Python chooses the class by the number: FileNotFoundError, IsADirectoryError, PermissionError.
fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::Os(error.raw_os_error()),
        format!("{}: {error}", path.display()),
    )
}

/// `Cargo.lock:12:3: the problem`
fn invalid(name: &str, place: Option<Place>, what: &str) -> Error {
    match place {
        Some(Place { line, column }) => Error::value_error(format!("{name}:{line}:{column}: {what}")),
        None => Error::value_error(format!("{name}: {what}")),
    }
}

/// What the parser has to say. An abbreviated dependency that means nothing it reports without a
/// place.
fn explain(name: &str, text: &str, message: &str) -> Error {
    if let Some((place, what)) = Place::of_message(message) {
        return invalid(name, Some(place), what);
    }
    let message = message.trim_end().trim_start_matches("parse error: ");
    let unresolved = message.strip_prefix("couldn't resolve dependency: ");
    match unresolved.and_then(|missing| find_dependency(text, |it| it.dependency == missing)) {
        Some(written) => missing(name, &written),
        None => invalid(name, None, message),
    }
}

fn absent(name: &str, text: &str, package: &Entry, dependency: &Dependency) -> Error {
    let wanted = dependency
        .version
        .as_ref()
        .map_or_else(String::new, ToString::to_string);
    let version = (package.version.to_string(), wanted);
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
                "{} {} depends on {} {}, which is not in the file",
                package.name, version.0, dependency.name, version.1
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
