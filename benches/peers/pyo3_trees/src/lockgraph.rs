//! `examples/lockgraph` with `Py<Package>`: the same Python API, as far as it goes.

#[path = "../../../../examples/lockgraph/src/file.rs"]
mod file;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use file::{File, Index};

type Packages = Vec<Py<Package>>;

/// A package of a lock file: a node of the graph, with edges both ways.
#[pyclass(frozen, dict, weakref, module = "pyo3_trees.lockgraph")]
pub(crate) struct Package {
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    version: String,
    #[pyo3(get)]
    source: Option<String>,
    #[pyo3(get)]
    checksum: Option<String>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    dependencies: Packages,
    dependents: Packages,
    note: Option<String>,
}

fn copies(py: Python<'_>, all: &Packages) -> Packages {
    all.iter().map(|it| it.clone_ref(py)).collect()
}

impl Package {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics under it")
    }

    fn link(py: Python<'_>, this: &Py<Package>, other: &Py<Package>) {
        other.get().inner().dependents.push(this.clone_ref(py));
        this.get().inner().dependencies.push(other.clone_ref(py));
    }

    fn reach(py: Python<'_>, this: &Py<Package>, edges: impl Fn(&Inner) -> &Packages) -> Packages {
        let mut seen = HashSet::from([this.as_ptr()]);
        let mut found: Packages = Vec::new();
        let add = |found: &mut Packages, seen: &mut HashSet<_>, of: &Py<Package>| {
            let next = copies(py, edges(&of.get().inner()));
            found.extend(next.into_iter().filter(|it| seen.insert(it.as_ptr())));
        };
        add(&mut found, &mut seen, this);
        let mut next = 0;
        while let Some(package) = found.get(next).map(|it| it.clone_ref(py)) {
            add(&mut found, &mut seen, &package);
            next += 1;
        }
        found
    }
}

#[pymethods]
impl Package {
    #[new]
    #[pyo3(signature = (name, version = "0.0.0", source = None, checksum = None))]
    fn new(name: &str, version: &str, source: Option<String>, checksum: Option<String>) -> Self {
        let (name, version) = (name.into(), version.into());
        Package {
            name,
            version,
            source,
            checksum,
            inner: Mutex::default(),
        }
    }

    /// A copy: `package.dependencies.append(…)` changes nothing here, where it does with pairbond.
    #[getter]
    fn dependencies(&self, py: Python<'_>) -> Packages {
        copies(py, &self.inner().dependencies)
    }

    #[getter]
    fn dependents(&self, py: Python<'_>) -> Packages {
        copies(py, &self.inner().dependents)
    }

    #[getter]
    fn note(&self) -> Option<String> {
        self.inner().note.clone()
    }

    #[setter]
    fn set_note(&self, note: Option<String>) {
        self.inner().note = note;
    }

    fn depend_on(slf: &Bound<'_, Self>, other: Py<Package>) {
        let known = slf.get().inner().dependencies.iter().any(|it| it.is(&other));
        if !known {
            Package::link(slf.py(), &slf.clone().unbind(), &other);
        }
    }

    fn closure(slf: &Bound<'_, Self>) -> Packages {
        Package::reach(slf.py(), &slf.clone().unbind(), |it| &it.dependencies)
    }

    fn needed_by(slf: &Bound<'_, Self>) -> Packages {
        Package::reach(slf.py(), &slf.clone().unbind(), |it| &it.dependents)
    }

    fn path_to(slf: &Bound<'_, Self>, other: Py<Package>) -> Option<Packages> {
        let (py, start) = (slf.py(), slf.clone().unbind());
        let mut from: HashMap<_, Py<Package>> = HashMap::new();
        let mut queue = VecDeque::from([start.clone_ref(py)]);
        while let Some(package) = queue.pop_front() {
            if package.is(&other) {
                let mut path = vec![package];
                while let Some(before) = path.last().and_then(|it| from.get(&it.as_ptr())) {
                    path.push(before.clone_ref(py));
                }
                path.reverse();
                return Some(path);
            }
            for next in copies(py, &package.get().inner().dependencies) {
                if !next.is(&start) && !from.contains_key(&next.as_ptr()) {
                    from.insert(next.as_ptr(), package.clone_ref(py));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn __repr__(&self) -> String {
        format!("<Package {} {}>", self.name, self.version)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Ok(inner) = self.inner.try_lock() {
            inner
                .dependencies
                .iter()
                .chain(&inner.dependents)
                .try_for_each(|it| visit.call(it))?;
        }
        Ok(())
    }

    fn __clear__(&self) {
        let inner = std::mem::take(&mut *self.inner());
        drop(inner);
    }
}

/// A lock file: its packages, in its order.
#[pyclass(frozen, module = "pyo3_trees.lockgraph")]
pub(crate) struct Lock {
    #[pyo3(get)]
    format: u32,
    all: Packages,
}

impl Lock {
    fn find(&self, py: Python<'_>, key: &str) -> Packages {
        let (name, version) = key
            .split_once(' ')
            .map_or((key, None), |(name, version)| (name, Some(version)));
        let is = |it: &&Py<Package>| it.get().name == name && version.is_none_or(|at| it.get().version == at);
        self.all.iter().filter(is).map(|it| it.clone_ref(py)).collect()
    }
}

#[pymethods]
impl Lock {
    #[getter]
    fn packages(&self, py: Python<'_>) -> Packages {
        copies(py, &self.all)
    }

    fn by_name(&self, py: Python<'_>, name: &str) -> Packages {
        self.find(py, name)
    }

    fn roots(&self, py: Python<'_>) -> Packages {
        let top = |it: &&Py<Package>| it.get().inner().dependents.is_empty();
        self.all.iter().filter(top).map(|it| it.clone_ref(py)).collect()
    }

    #[pyo3(signature = (n = 10))]
    fn most_depended(&self, py: Python<'_>, n: usize) -> Vec<(Py<Package>, usize, usize)> {
        let count = |it: &Py<Package>| {
            let direct = it.get().inner().dependents.len();
            (
                it.clone_ref(py),
                direct,
                Package::reach(py, it, |it| &it.dependents).len(),
            )
        };
        let mut all: Vec<_> = self.all.iter().map(count).collect();
        all.sort_by_key(|(_, direct, in_all)| std::cmp::Reverse((*direct, *in_all)));
        all.truncate(n);
        all
    }

    fn duplicates(&self) -> BTreeMap<String, Vec<String>> {
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for package in &self.all {
            names
                .entry(package.get().name.clone())
                .or_default()
                .push(package.get().version.clone());
        }
        names.retain(|_, versions| versions.len() > 1);
        names
    }

    fn __len__(&self) -> usize {
        self.all.len()
    }

    fn __getitem__(&self, py: Python<'_>, key: &str) -> PyResult<Py<Package>> {
        let mut found = self.find(py, key);
        match (found.pop(), found.pop()) {
            (Some(package), None) => Ok(package),
            (None, _) => Err(PyKeyError::new_err(format!("no package {key}"))),
            _ => Err(PyKeyError::new_err(format!("{key} is ambiguous"))),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.all.iter().try_for_each(|it| visit.call(it))
    }
}

#[pymodule]
pub(crate) mod lockgraph {
    use super::*;

    #[pymodule_export]
    use super::{Lock, Package};

    #[pyfunction]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Lock> {
        let read = || -> Result<(File, u32), String> {
            let mut file: File = toml::from_str(text).map_err(|error| error.to_string())?;
            let format = file.settle()?;
            Ok((file, format))
        };
        let (file, format) = py.detach(read).map_err(PyValueError::new_err)?;
        let package = |it: &file::Entry| {
            let source = it.source.as_ref().map(ToString::to_string);
            let checksum = it.checksum.as_ref().map(ToString::to_string);
            Py::new(
                py,
                Package::new(it.name.as_str(), &it.version.to_string(), source, checksum),
            )
        };
        let all: Packages = file.package.iter().map(package).collect::<PyResult<_>>()?;
        let (index, mut targets) = (Index::new(&file.package), HashSet::new());
        for (package, entry) in all.iter().zip(&file.package) {
            targets.clear();
            for dependency in &entry.dependencies {
                let found = index.find(dependency).map_err(PyValueError::new_err)?;
                let target = found.ok_or_else(|| PyValueError::new_err(format!("no {}", dependency.name)))?;
                if targets.insert(target) {
                    Package::link(py, package, &all[target]);
                }
            }
        }
        Ok(Lock { format, all })
    }
}
