//! [`Lock`]: all packages of one file.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond::prelude::*;

use crate::Package;

/// A lock file: its packages, in its order.
#[pairbond::object("lockgraph.Lock")]
pub struct Lock {
    /// The file that it was read from; None if it was parsed from a text.
    #[field]
    pub(crate) path: Option<Str>,
    /// The version of the format, 1 to 4.
    #[field]
    pub(crate) format: u32,
    /// All packages.
    #[field]
    pub(crate) packages: List<Package>,
}

#[pairbond::methods]
impl Lock {
    /// The packages of that name; there is one for each version and source.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Vec<Ref<Package>> {
        self.packages
            .iter()
            .filter(|package| package.name == *name)
            .collect()
    }

    /// The packages that nothing depends on.
    #[must_use]
    pub fn roots(&self) -> Vec<Ref<Package>> {
        self.packages
            .iter()
            .filter(|package| package.dependents.is_empty())
            .collect()
    }

    /// The `n` packages that most others depend on, each with how many do directly and how many in
    /// all.
    #[must_use]
    pub fn most_depended(&self, #[default(10)] n: usize) -> Vec<(Ref<Package>, usize, usize)> {
        let mut all: Vec<_> = self
            .packages
            .iter()
            .map(|package| {
                let (direct, in_all) = (package.dependents.len(), package.needed_by().len());
                (package, direct, in_all)
            })
            .collect();
        // Stable: equals stay in the order of the file.
        all.sort_by_key(|(_, direct, in_all)| std::cmp::Reverse((*direct, *in_all)));
        all.truncate(n);
        all
    }

    /// The names that occur more than once, each with its versions.
    #[must_use]
    pub fn duplicates(&self) -> BTreeMap<String, Vec<Str>> {
        let mut names: BTreeMap<String, Vec<Str>> = BTreeMap::new();
        for package in &self.packages {
            names
                .entry(package.name.to_string())
                .or_default()
                .push(package.version.clone());
        }
        names.retain(|_, versions| versions.len() > 1);
        names
    }

    fn __len__(&self) -> usize {
        self.packages.len()
    }

    /// The package with that name, or with that name and version (`"syn 2.0.1"`).
    fn __getitem__(&self, key: &str) -> Result<Ref<Package>, Error> {
        let mut found = self.find(key);
        match (found.pop(), found.pop()) {
            (Some(package), None) => Ok(package),
            (None, _) => Err(Error::key_error(format!("no package {key}"))),
            (Some(_), Some(_)) => {
                let all: Vec<String> = self.find(key).iter().map(|package| describe(package)).collect();
                Err(Error::key_error(format!(
                    "{key} is ambiguous: {}",
                    all.join(", ")
                )))
            }
        }
    }

    fn __iter__(&self) -> Ref<Packages> {
        Ref::new(Packages {
            all: self.packages.to_vec(),
            next: AtomicUsize::new(0),
        })
    }

    fn __contains__(&self, key: Any) -> bool {
        match (&key, key.downcast::<Package>()) {
            (Any::Str(key), _) => !self.find(key).is_empty(),
            (_, Some(package)) => self.packages.iter().any(|known| known.is(&package)),
            _ => false,
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<Lock {}: {} packages>",
            self.path.as_deref().unwrap_or("of a text"),
            self.packages.len()
        )
    }

    #[hidden]
    fn find(&self, key: &str) -> Vec<Ref<Package>> {
        let (name, version) = key
            .split_once(' ')
            .map_or((key, None), |(name, version)| (name, Some(version)));
        self.packages
            .iter()
            .filter(|package| {
                package.name == *name && version.is_none_or(|version| package.version == *version)
            })
            .collect()
    }
}

fn describe(package: &Package) -> String {
    match &package.source {
        Some(source) => format!("{} {} ({source})", package.name, package.version),
        None => format!("{} {}", package.name, package.version),
    }
}

/// An iterator over the packages that a lock had when it was asked.
#[pairbond::object("lockgraph.Packages")]
pub struct Packages {
    all: Vec<Ref<Package>>,
    #[untraced]
    next: AtomicUsize,
}

#[pairbond::methods]
impl Packages {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Option<Ref<Package>> {
        // Past the end it stays there; it would take 2^64 calls more to come round.
        self.all.get(self.next.fetch_add(1, Ordering::Relaxed)).cloned()
    }
}
