//! [`Package`]: a node of the graph.

use std::collections::{HashMap, HashSet, VecDeque};

use pairbond::prelude::*;

/// A package of a lock file: a node of the graph, with edges both ways.
#[pairbond::object("lockgraph.Package")]
pub struct Package {
    /// As in its Cargo.toml.
    #[field]
    pub(crate) name: Str,
    /// The version that was locked.
    #[field]
    pub(crate) version: Str,
    /// Where it comes from (`registry+https://…`); None for packages of the workspace and path
    /// dependencies.
    #[field]
    pub(crate) source: Option<Str>,
    /// SHA-256 of its archive, in hexadecimal digits.
    #[field]
    pub(crate) checksum: Option<Str>,
    /// Its dependencies.
    #[field]
    pub(crate) dependencies: List<Package>,
    /// What depends on it.
    #[field]
    pub(crate) dependents: List<Package>,
    /// Anything you want to remember of it.
    #[field(set)]
    pub(crate) note: Cell<Option<Str>>,
}

#[pairbond::methods]
impl Package {
    /// A package without edges.
    #[new]
    #[must_use]
    pub fn new(
        name: &str,
        #[default("0.0.0")] version: &str,
        source: Option<&str>,
        checksum: Option<&str>,
    ) -> Self {
        Package {
            name: name.into(),
            version: version.into(),
            source: source.map(Str::from),
            checksum: checksum.map(Str::from),
            dependencies: List::new(),
            dependents: List::new(),
            note: Cell::new(None),
        }
    }

    /// Makes this package depend on another: an edge there and an edge back. Does nothing when it
    /// does already.
    pub fn depend_on(this: Borrow<'_, Self>, other: Ref<Package>) {
        if this.get().dependencies.iter().any(|known| known.is(&other)) {
            return;
        }
        Package::link(&this.to_ref(), &other);
    }

    /// An edge there and an edge back, where there is none.
    #[hidden]
    pub(crate) fn link(this: &Ref<Package>, other: &Ref<Package>) {
        other.dependents.push(this.clone());
        this.dependencies.push(other.clone());
    }

    /// The packages that this one needs, directly or not, nearest first. Itself is not among them,
    /// even if it is in a cycle.
    #[must_use]
    pub fn closure(&self) -> Vec<Ref<Package>> {
        self.reach(|package| &package.dependencies)
    }

    /// The packages that need this one, directly or not, nearest first. Itself is not among them.
    #[must_use]
    pub fn needed_by(&self) -> Vec<Ref<Package>> {
        self.reach(|package| &package.dependents)
    }

    /// The shortest way from this package to another along dependencies, both included; None if
    /// there is none.
    #[must_use]
    pub fn path_to(this: Borrow<'_, Self>, other: &Package) -> Option<Vec<Ref<Package>>> {
        let start = this.to_ref();
        let mut from: HashMap<*const Package, Ref<Package>> = HashMap::new();
        let mut queue = VecDeque::from([start.clone()]);
        while let Some(package) = queue.pop_front() {
            if std::ptr::eq(&raw const *package, other) {
                return Some(walk_back(package, &from));
            }
            for next in &package.dependencies {
                if !next.is(&start) && !from.contains_key(&address(&next)) {
                    from.insert(address(&next), package.clone());
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn __repr__(&self) -> String {
        format!("<Package {} {}>", self.name, self.version)
    }

    #[hidden]
    fn reach(&self, edges: impl Fn(&Package) -> &List<Package>) -> Vec<Ref<Package>> {
        let mut seen = HashSet::from([std::ptr::from_ref(self)]);
        let mut found: Vec<Ref<Package>> = Vec::new();
        let mut add = |found: &mut Vec<Ref<Package>>, package: &Package| {
            found.extend(edges(package).iter().filter(|next| seen.insert(address(next))));
        };
        add(&mut found, self);
        let mut next = 0;
        while let Some(package) = found.get(next).cloned() {
            add(&mut found, &package);
            next += 1;
        }
        found
    }
}

/// What tells packages apart: two of one name and version are two.
fn address(package: &Ref<Package>) -> *const Package {
    std::ptr::from_ref::<Package>(package)
}

fn walk_back(last: Ref<Package>, from: &HashMap<*const Package, Ref<Package>>) -> Vec<Ref<Package>> {
    let mut path = vec![last];
    while let Some(before) = path.last().and_then(|package| from.get(&address(package))) {
        path.push(before.clone());
    }
    path.reverse();
    path
}
