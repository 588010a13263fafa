//! Loading a library.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::c;
use super::describe::{ClassEntry, Member};
use super::entry::Entry;
use super::image::{self, SYMBOL};
use super::table::{Host, Table, refused_error};
use pairbond_core::error::{Error, ErrorKind, ResultExt};
use pairbond_core::runtime::runtime_table;
use pairbond_value::class::{Args, Binding};
use pairbond_value::convert::{AnySink, AnySource};
use pairbond_value::value::{Described, Function, Given};

/// A library that was loaded, and stays.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    name: &'static str,
    doc: &'static str,
    members: &'static [Member],
    /// The address of its table.
    id: usize,
}

/// Loads a library that brings no frontend of its own: a `cdylib` with a `pairbond::module!`, built
/// with the feature `plugin` and without `python`. Its types are registered with this process's
/// runtime. It stays for as long as the process; loading it again gives the same.
///
/// ```no_run
/// let shapes = pairbond_plugin::load("target/release/libshapes.so")?;
/// let area = shapes.function("area").expect("it has one");
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
///
/// # Errors
/// `Import`, in words that say what to do, when the file is no such library, is damaged, was built
/// for another version, or brings a type whose key is taken by another with another layout; an
/// error of the system when it cannot be read.
pub fn load(path: impl AsRef<Path>) -> Result<Library, Error> {
    load_for(path.as_ref(), None)
}

/// As [`load`], for a frontend.
///
/// # Errors
/// As there.
pub fn load_for(path: &Path, host: Option<&'static Host>) -> Result<Library, Error> {
    // An absolute path: what has no slash would be looked for elsewhere.
    let path = path.canonicalize().at_path(path)?;
    let symbol = symbol_in_file(&path)?;
    let library = open_library(&path)?;
    // SAFETY: data; nothing is done with it but to look at its address.
    let table = unsafe { library.get::<*const u8>(format!("{symbol}\0").as_bytes()) };
    let table: *const u8 = match table {
        // SAFETY: only the symbol's address is used, not its contents.
        Ok(symbol) => unsafe { symbol.into_raw() }.as_raw_ptr().cast_const().cast(),
        Err(_) => return Err(refused_error(&path, no_library(None))),
    };
    // SAFETY: a symbol of that name is a table, of one language or another.
    if unsafe { table.cast::<[u8; 8]>().read_unaligned() } == c::MAGIC {
        // Its functions are called: from here on it stays.
        std::mem::forget(library);
        // SAFETY: it begins so.
        return unsafe { c::load_table(table) }.map_err(|why| match why {
            c::Refused::Failed(error) => error.with_note(format!("while {} was loaded", path.display())),
            unfit => unfit.into_error_at(path.display()),
        });
    }
    // SAFETY: a symbol of that name is a table, of whatever version; the file was seen to define it
    // with that many bytes. The texts that it points to are used before the library is closed.
    unsafe { Table::check_table(table) }.map_err(|why| refused_error(&path, why))?;
    // SAFETY: it is of this version; from here on it stays, because its functions are called (see
    // the head of this module).
    let table = unsafe { &*table.cast::<Table>() };
    std::mem::forget(library);
    table
        .join_runtime(runtime_table(), host)
        .map_err(|why| refused_error(&path, why))?;
    let members = table.members()?;
    Ok(Library::new(
        table.name(),
        table.doc(),
        members,
        std::ptr::from_ref(table).addr(),
    ))
}

/// A library of C whose table is in this process already: an extension module that is one.
///
/// # Errors
/// As [`load`].
///
/// # Safety
/// A table of a library that stays, at least as many bytes as it says.
#[doc(hidden)]
pub unsafe fn load_table(table: *const u8) -> Result<Library, Error> {
    // SAFETY: the caller's table.
    if unsafe { table.cast::<[u8; 8]>().read_unaligned() } != c::MAGIC {
        return Err(Error::new(
            ErrorKind::Import,
            "this is no table of a library of C",
        ));
    }
    // SAFETY: it begins so.
    unsafe { c::load_table(table) }.map_err(|why| why.into_error_at("the extension module"))
}

#[cfg(unix)]
fn open_library(path: &Path) -> Result<libloading::Library, Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // At once: a symbol that is missing is found now, and not in the middle of a call. SAFETY:
    // initialisers run, as when a program is linked with the library; it is one of ours (see
    // `symbol`), where that can be told.
    let opened = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    opened.map(Into::into).map_err(|error| not_opened(path, &error))
}

#[cfg(not(unix))]
fn open_library(path: &Path) -> Result<libloading::Library, Error> {
    // SAFETY: initialisers run, as when a program is linked with the library.
    unsafe { libloading::Library::new(path) }.map_err(|error| not_opened(path, &error))
}

fn not_opened(path: &Path, error: &libloading::Error) -> Error {
    // The system's words are in the source of the error, or in its text.
    let words = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    refused_error(path, format!("cannot be loaded: {words}"))
}

/// The symbol of the library in a file, before it is opened where files can be judged.
fn symbol_in_file(path: &Path) -> Result<String, Error> {
    let stem = module_name(path);
    if !image::KNOWN {
        // It is named after its module, then.
        return Ok(format!("{SYMBOL}{stem}"));
    }
    let bytes = read_file(path)?;
    let image = image::inspect_image(&bytes).map_err(|why| refused_error(path, why))?;
    match &image.libraries[..] {
        [] => Err(refused_error(path, no_library(image.extension.as_deref()))),
        [one] => Ok(format!("{SYMBOL}{one}")),
        several => match several.iter().find(|name| **name == stem) {
            Some(name) => Ok(format!("{SYMBOL}{name}")),
            None => Err(refused_error(
                path,
                format!(
                    "is the library of several modules ({}): the file must be named after the one that is wanted",
                    several.join(", ")
                ),
            )),
        },
    }
}

fn no_library(extension: Option<&str>) -> String {
    match extension {
        Some(module) => format!(
            "is a Python extension module: import it (import {module}), after its folder was added to sys.path. What is loaded is built with the feature `plugin` and without `python`"
        ),
        None => "is no pairbond library: it does not have the symbol that `pairbond::module!` exports, when it is built with the feature `plugin` \
                 and without `python`, with the same version of pairbond and crate-type = [\"cdylib\"]"
            .into(),
    }
}

/// `libshapes.so` is `shapes`.
fn module_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    name.strip_prefix("lib").unwrap_or(name).replace('-', "_")
}

/// The whole file; of one that is no library at all, the beginning.
fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    let open = || -> std::io::Result<Vec<u8>> {
        if path.is_dir() {
            return Err(std::io::Error::from_raw_os_error(libc_eisdir()));
        }
        // Opening a pipe would wait for a writer.
        if !path.metadata()?.is_file() {
            return Err(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                "it is no regular file",
            ));
        }
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        file.by_ref().take(512).read_to_end(&mut bytes)?;
        if bytes.starts_with(b"\x7fELF") {
            file.read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    };
    open().at_path(path)
}

/// `EISDIR`: the same number on every unix.
const fn libc_eisdir() -> i32 {
    21
}

impl Library {
    /// One whose table is at that address, and which has described itself.
    pub(super) fn new(name: &'static str, doc: &'static str, members: &'static [Member], id: usize) -> Self {
        Library {
            name,
            doc,
            members,
            id,
        }
    }

    /// The name of its module.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The documentation of its module; empty when there is none.
    #[must_use]
    pub fn doc(&self) -> &'static str {
        self.doc
    }

    /// Its members, for frontends.
    #[doc(hidden)]
    #[must_use]
    pub fn members(&self) -> &'static [Member] {
        self.members
    }

    /// A number that no other library has.
    #[doc(hidden)]
    #[must_use]
    pub fn id(&self) -> usize {
        self.id
    }

    /// Its object types.
    pub fn types(&self) -> impl Iterator<Item = &'static pairbond_core::types::TypeInfo> + use<> {
        self.classes().map(ClassEntry::info)
    }

    /// The function of that name; of a type `Point`, `"Point"` makes one, and `"Point.norm"` is a
    /// method, which takes the object first.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<Function> {
        let functions = self.members.iter().filter_map(|member| match member {
            Member::Function(entry) => Some(*entry),
            _ => None,
        });
        let constructors = self
            .classes()
            .filter_map(|class| class.constructor.map(|entry| (class, entry)));
        let methods = || self.classes().flat_map(|class| class.methods).copied();
        let free = functions.into_iter().find(|entry| entry.signature().name == name);
        let entry = free
            .or_else(|| {
                constructors
                    .into_iter()
                    .find(|(class, _)| class.info().name() == name)
                    .map(|(_, entry)| entry)
            })
            .or_else(|| methods().find(|entry| entry.signature().qualified == name))?;
        Some(function_of(entry))
    }

    fn classes(&self) -> impl Iterator<Item = &'static ClassEntry> + use<> {
        self.members.iter().filter_map(|member| match member {
            Member::Class(class) | Member::Variant(class) => Some(*class),
            _ => None,
        })
    }
}

fn function_of(entry: &'static Entry) -> Function {
    let signature = entry.signature();
    if signature.binding == Binding::Instance {
        return Function::from_described(Described::of_method(signature), |given: &Given<'_>| {
            entry.call(&OfMethod(given), AnySink)
        });
    }
    Function::from_described(Described::from_signature(signature), |given: &Given<'_>| {
        entry.call(given, AnySink)
    })
}

/// The arguments of a method that is called as a function: the object is the first.
struct OfMethod<'g, 'a>(&'g Given<'a>);

impl<'a> Args<'a> for OfMethod<'_, 'a> {
    type Source = AnySource<'a>;

    fn receiver(&self) -> Option<AnySource<'a>> {
        self.0.get(0).map(AnySource::One)
    }
    fn get(&self, index: usize) -> Option<AnySource<'a>> {
        self.0.get(index + 1).map(AnySource::One)
    }
    fn rest_arg(&self, index: usize) -> Option<AnySource<'a>> {
        self.0.rest().get(index).map(AnySource::One)
    }
}
