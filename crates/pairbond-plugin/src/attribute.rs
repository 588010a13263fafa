//! Fields and properties of a class of another binary.

use std::ffi::c_void;
use std::ptr::NonNull;

use pairbond_core::error::Error;
use pairbond_core::object::{ErasedBorrow, Header, Object, check_node, read_unless_erased};
use pairbond_core::types::TypeInfo;
use pairbond_value::class::{Getter, Setter};
use pairbond_value::convert::erased::guard::{NOTHING, call_guarded, run_guarded};
use pairbond_value::convert::erased::place::Place;
use pairbond_value::convert::erased::sink_table::ErasedSink;
use pairbond_value::convert::erased::source_table::ErasedSource;
use pairbond_value::convert::erased::wire;
use pairbond_value::convert::erased::words::{Home, Word, WordTable};
use pairbond_value::convert::{Sink, Source};
use pairbond_value::value::Any;

/// A field or property of a class of another binary.
#[derive(Debug)]
#[repr(C)]
pub struct AttributeEntry {
    /// Its name.
    pub name: &'static str,
    /// Its documentation; empty when there is none.
    pub doc: &'static str,
    pub(super) owner: *const TypeInfo,
    pub(super) get: GetFn,
    pub(super) set: Option<SetFn>,
    /// For `get` and `set`.
    pub(super) context: *const c_void,
    /// The getter for a frontend of the same binary.
    pub(super) direct: Option<(Home, DirectGet)>,
}

pub(super) type DirectGet =
    unsafe fn(&AttributeEntry, ErasedBorrow<'_>, &'static WordTable) -> Result<Word, Error>;

pub(super) type GetFn =
    unsafe extern "C" fn(&AttributeEntry, NonNull<Header>, ErasedSink<'static>, *mut Any) -> bool;
pub(super) type SetFn =
    unsafe extern "C" fn(&AttributeEntry, NonNull<Header>, *const ErasedSource<'static>, *mut Any) -> bool;

// SAFETY: constant; its pointers are to a registered type and to a description, which live for the
// process.
unsafe impl Send for AttributeEntry {}
// SAFETY: constant; its pointers are to a registered type and to a description, which live for the
// process.
unsafe impl Sync for AttributeEntry {}

impl AttributeEntry {
    pub(super) fn of<G: Getter>() -> Self {
        unsafe extern "C" fn get_attribute<G: Getter>(
            _: &AttributeEntry,
            owner: NonNull<Header>,
            sink: ErasedSink<'static>,
            problem: *mut Any,
        ) -> bool {
            // SAFETY: an object that is alive during the call; the caller's places.
            unsafe {
                let owner = ErasedBorrow::from_header(owner);
                run_guarded(NOTHING, problem, || match owner.downcast::<G::Owner>() {
                    Some(owner) => {
                        check_node(owner.get(), owner.header())?;
                        read_unless_erased(owner.get(), owner.header(), || G::get(owner, sink))?
                    }
                    None => Err(another_binary()),
                })
            }
        }
        AttributeEntry {
            name: G::NAME,
            doc: G::DOC,
            owner: <G::Owner as Object>::info(),
            get: get_attribute::<G>,
            set: None,
            context: std::ptr::null(),
            direct: None,
        }
    }

    pub(super) fn of_property<S: Setter>() -> Self {
        unsafe extern "C" fn set_attribute<S: Setter>(
            _: &AttributeEntry,
            owner: NonNull<Header>,
            value: *const ErasedSource<'static>,
            problem: *mut Any,
        ) -> bool {
            // SAFETY: an object and a value that are alive during the call; the caller's place.
            unsafe {
                let owner = ErasedBorrow::from_header(owner);
                run_guarded(NOTHING, problem, || match owner.downcast::<S::Owner>() {
                    Some(owner) => {
                        check_node(owner.get(), owner.header())?;
                        S::set(owner, *value)
                    }
                    None => Err(another_binary()),
                })
            }
        }
        AttributeEntry {
            set: Some(set_attribute::<S>),
            ..Self::of::<S>()
        }
    }

    /// The type that has it.
    #[must_use]
    pub fn owner(&self) -> &'static TypeInfo {
        // SAFETY: registered types live for the process.
        unsafe { &*self.owner }
    }

    /// Whether it can be set.
    #[must_use]
    pub fn is_settable(&self) -> bool {
        self.set.is_some()
    }

    /// Reads it as a word; `None`: it is of another binary.
    ///
    /// # Errors
    /// As [`Getter::get`].
    ///
    /// # Safety
    /// An object of the type that has it.
    #[inline(always)]
    pub unsafe fn get_word(
        &self,
        owner: ErasedBorrow<'_>,
        table: &'static WordTable,
    ) -> Option<Result<Word, Error>> {
        match self.direct {
            // SAFETY: the caller's object.
            Some((home, get)) if home.is_here() => Some(unsafe { get(self, owner, table) }),
            _ => None,
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// As [`Getter::get`]; an object of another type.
    pub fn get<S: Sink>(&self, owner: ErasedBorrow<'_>, out: S) -> Result<S::Out, Error> {
        let mut place = Place::new(out);
        let (owner, sink) = (NonNull::from(owner.header()), place.erase());
        // SAFETY: as in `Entry::call`.
        unsafe {
            call_guarded(|_: *mut (), problem| {
                (self.get)(
                    self,
                    owner,
                    std::mem::transmute::<ErasedSink<'_>, ErasedSink<'static>>(sink),
                    problem,
                )
            })
        }?;
        place.take_result()
    }

    /// Writes it.
    ///
    /// # Errors
    /// As [`Setter::set`]; it cannot be set; an object of another type.
    pub fn set<'a, V: Source<'a>>(&self, owner: ErasedBorrow<'_>, value: V) -> Result<(), Error> {
        let Some(set) = self.set else {
            return Err(Error::new(
                pairbond_core::error::ErrorKind::Attribute,
                format!("{} cannot be set", self.name),
            ));
        };
        let (owner, value) = (NonNull::from(owner.header()), ErasedSource::from_source(value));
        let mut problem = Any::None;
        // SAFETY: as in `Entry::call`.
        if unsafe { set(self, owner, (&raw const value).cast(), &raw mut problem) } {
            Ok(())
        } else {
            Err(wire::unpack_error(&problem))
        }
    }
}

#[cold]
fn another_binary() -> Error {
    Error::type_error("the attribute is of another type's objects")
}
