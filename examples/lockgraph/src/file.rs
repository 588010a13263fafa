//! A lock file as it is written, and which package each dependency in it means.
//!
//! Names, versions, sources and checksums are read as the crate `cargo-lock` reads them. Its
//! `Lockfile` is not used: it goes through all packages for each dependency, which takes seconds
//! where a file has some ten thousand.

use std::collections::HashMap;
use std::str::FromStr;

use cargo_lock::{Checksum, Metadata, Name, Patch, ResolveVersion, SourceId, Version};
use serde::{Deserialize, Deserializer, de};

/// A lock file.
#[derive(Deserialize)]
pub(crate) struct File {
    version: Option<u32>,
    #[serde(default)]
    pub(crate) package: Vec<Entry>,
    /// The root package of early versions, which is in no list.
    root: Option<Entry>,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    #[allow(dead_code, reason = "it is checked like the rest")]
    patch: Patch,
}

/// A package.
#[derive(Deserialize)]
pub(crate) struct Entry {
    pub(crate) name: Name,
    pub(crate) version: Version,
    pub(crate) source: Option<SourceId>,
    pub(crate) checksum: Option<Checksum>,
    #[serde(default)]
    pub(crate) dependencies: Vec<Dependency>,
    replace: Option<Dependency>,
}

/// `name`, `name version` or `name version (source)`: an omitted part is clear from the other
/// packages.
#[derive(Clone)]
pub(crate) struct Dependency {
    pub(crate) name: Name,
    pub(crate) version: Option<Version>,
    pub(crate) source: Option<SourceId>,
}

impl FromStr for Dependency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split_whitespace();
        let name = parts.next().ok_or("empty dependency string")?;
        let version = parts.next().map(Version::parse).transpose();
        let source = parts.next().map(|part| {
            let inside = part.strip_prefix('(').and_then(|part| part.strip_suffix(')'));
            let inside = inside.ok_or_else(|| format!("malformed source in dependency: {part}"))?;
            SourceId::from_url(inside).map_err(|error| error.to_string())
        });
        if parts.next().is_some() {
            return Err(format!("malformed dependency: {text}"));
        }
        Ok(Dependency {
            name: name
                .parse()
                .map_err(|error: cargo_lock::Error| error.to_string())?,
            version: version.map_err(|error| error.to_string())?,
            source: source.transpose()?,
        })
    }
}

impl<'de> Deserialize<'de> for Dependency {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

impl File {
    /// The number of its format, and checksums where that has them.
    pub(crate) fn settle(&mut self) -> Result<u32, String> {
        let version = match self.version {
            Some(number) => ResolveVersion::try_from(number).map_err(|error| error.to_string())?,
            None => self.detect()?,
        };
        if version == ResolveVersion::V1 {
            let mut checksums: HashMap<(String, Version), Option<Checksum>> = HashMap::new();
            for (key, value) in &self.metadata {
                if let Ok(of) = key.checksum_dependency() {
                    let name = of.name.to_string();
                    let checksum = checksums.entry((name, of.version));
                    checksum.or_insert_with(|| value.checksum().ok());
                }
            }
            for package in &mut self.package {
                let of = (package.name.to_string(), package.version.clone());
                package.checksum = checksums.get(&of).cloned().flatten();
            }
        }
        // Packages whose names are never abbreviated.
        let all = self.package.iter().chain(&self.root);
        let replaced = all.filter_map(|package| package.replace.as_ref());
        let of_first = self.package.iter().filter(|_| version == ResolveVersion::V1);
        let whole = of_first.chain(&self.root).flat_map(|it| &it.dependencies);
        let unclear = whole.chain(replaced).find(|it| it.version.is_none());
        match unclear {
            Some(unclear) => Err(unresolved(unclear)),
            None => Ok(version.into()),
        }
    }

    fn detect(&self) -> Result<ResolveVersion, String> {
        let first = self.metadata.keys().any(cargo_lock::MetadataKey::is_checksum);
        let second = self.package.iter().any(|package| package.checksum.is_some());
        match (first, second) {
            (true, true) => Err(
                "malformed lockfile: contains checksums in both [[package]] and [[metadata]] sections".into(),
            ),
            (true, false) => Ok(ResolveVersion::V1),
            (false, _) => Ok(ResolveVersion::V2),
        }
    }
}

fn unresolved(dependency: &Dependency) -> String {
    format!("couldn't resolve dependency: {}", dependency.name)
}

/// Finds the package that a dependency means.
pub(crate) struct Index<'a> {
    /// The first of a name.
    by_name: HashMap<&'a str, usize>,
    /// The first of a name and version, and whether it is the only one.
    by_version: HashMap<(&'a str, &'a Version), (usize, bool)>,
    by_source: HashMap<(&'a str, &'a Version, Option<&'a SourceId>), usize>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(packages: &'a [Entry]) -> Self {
        let mut index = Index {
            by_name: HashMap::new(),
            by_version: HashMap::new(),
            by_source: HashMap::new(),
        };
        for (position, package) in packages.iter().enumerate() {
            let (name, version, source) = (package.name.as_str(), &package.version, package.source.as_ref());
            index.by_name.entry(name).or_insert(position);
            let of_version = index.by_version.entry((name, version));
            of_version
                .and_modify(|(_, is_only)| *is_only = false)
                .or_insert((position, true));
            index.by_source.entry((name, version, source)).or_insert(position);
        }
        index
    }

    /// The number of the package; `None`: there is none.
    ///
    /// # Errors
    /// A name alone that no package has.
    pub(crate) fn find(&self, of: &Dependency) -> Result<Option<usize>, String> {
        let name = of.name.as_str();
        let Some(version) = &of.version else {
            let named = self.by_name.get(name).filter(|_| of.source.is_none());
            return named.copied().map(Some).ok_or_else(|| unresolved(of));
        };
        // The source decides only between packages of one name and version.
        let found = match self.by_version.get(&(name, version)) {
            Some((only, true)) => Some(*only),
            Some((first, false)) if of.source.is_none() => Some(*first),
            Some(_) => self.by_source.get(&(name, version, of.source.as_ref())).copied(),
            None => None,
        };
        Ok(found)
    }
}
