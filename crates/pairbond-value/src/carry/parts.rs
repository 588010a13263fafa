//! [`Carry`]: how a field's value is taken apart and made again.
//!
//! What a value consists of goes by as [`Part`]s: simple values, references, and the beginnings of
//! sequences. [`Saver`] and [`Loading`] are `repr(C)` with functions: a type's field functions are
//! compiled into the binary that defines it, the graph is written and read by another.

use std::borrow::Cow;
use std::ffi::c_void;
use std::ptr::NonNull;

use crate::any::RawAny;
use crate::error::Error;
use crate::object::{ErasedBorrow, Header, Root, Weak};
use crate::value::{Any, Kinds};

/// A type of fields that can be taken apart and made again.
///
/// `save` puts the value's parts; `load` takes the same parts and makes the value; `finish` takes
/// them again when all objects are there, and fills what `load` had to leave vacant. All three take
/// exactly the parts of one value.
pub trait Carry: Sized {
    /// Puts the parts of the value. It may be called under a field's lock: it calls no foreign code
    /// and locks nothing but what lies inside.
    ///
    /// # Errors
    /// The value cannot be taken apart.
    fn save_value(&self, to: &mut Saver) -> Result<(), Error>;

    /// Makes the value.
    ///
    /// # Errors
    /// Other parts than expected; an object that is not there yet. What consists of several values
    /// goes on to the last of them in that case, so that all objects that are missing are known at
    /// once.
    fn load_value(from: &mut Loading) -> Result<Self, Fault>;

    /// Fills the vacant places.
    ///
    /// # Errors
    /// As for `load`.
    fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
        from.skip_value()
    }

    /// Whether values can have something vacant.
    const CHANGES: bool = false;

    /// Whether values can be nothing ([`Part::None`]), so that an `Option` of them must say more.
    const NULLABLE: bool = false;

    /// Shows what containers that are reached from here hold.
    fn visit_kinds(kinds: &mut Kinds<'_>) {
        let _ = kinds;
    }
}

/// One part of a value on its way out.
#[derive(Clone, Copy)]
#[repr(C, u8)]
pub enum Part<'a> {
    /// A simple value, an object, or something foreign.
    Any(&'a Any),
    /// Nothing.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text: its start and length.
    Text(*const u8, usize),
    /// A native object.
    Object(&'a Header),
    /// A native object that this does not keep.
    Weak(&'a Weak<Root>),
    /// So many values follow that are one together.
    Sequence(usize),
    /// So many follow, in no order.
    Bag(usize),
    /// So many keys and values follow, in no order.
    Pairs(usize),
    /// A child of a node of a tree: even a copy of the node alone has one of its own.
    Owned(&'a Header),
}

/// Where parts go.
#[repr(C)]
pub struct Saver {
    /// Inside of so many places that change.
    soft: u32,
    context: *mut c_void,
    put: PutPart,
}

/// On `false` an [`Any::Error`] is written.
pub type PutPart = unsafe extern "C-unwind" fn(*mut Saver, *const Part<'_>, *mut Any) -> bool;

impl Saver {
    /// Makes a saver whose parts go to `put`.
    ///
    /// # Safety
    /// `put` may be called with this saver as long as it lives.
    #[doc(hidden)]
    pub unsafe fn new(context: *mut c_void, put: PutPart) -> Self {
        Saver {
            soft: 0,
            context,
            put,
        }
    }

    /// Returns the context of the functions.
    #[doc(hidden)]
    #[must_use]
    pub fn context(&self) -> *mut c_void {
        self.context
    }

    /// Returns whether the part lies in a place that never changes.
    #[doc(hidden)]
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.soft == 0
    }

    /// Puts a part.
    ///
    /// # Errors
    /// It cannot be written.
    #[inline]
    pub fn put_part(&mut self, part: Part<'_>) -> Result<(), Error> {
        let mut error = Any::None;
        // SAFETY: the context is the function's own; the part lives during the call.
        if unsafe { (self.put)(self, &part, &mut error) } {
            Ok(())
        } else {
            Err(take_error(error))
        }
    }

    /// Puts a value that lies in a place that changes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save_mutable<T: Carry>(&mut self, value: &T) -> Result<(), Error> {
        self.soft += 1;
        let saved = value.save_value(self);
        self.soft -= 1;
        saved
    }

    /// Puts a text.
    ///
    /// # Errors
    /// None so far.
    pub fn put_text(&mut self, text: &str) -> Result<(), Error> {
        self.put_part(Part::Text(text.as_ptr(), text.len()))
    }
}

/// One part of a value on its way in.
#[derive(Debug)]
#[repr(C, u8)]
pub enum Item {
    /// A simple value, an object, or something foreign.
    Any(Any),
    /// So many values follow that are one together.
    Sequence(usize),
    /// So many follow, in no order.
    Bag(usize),
    /// So many keys and values follow, in no order.
    Pairs(usize),
}

/// Why a value could not be made.
#[derive(Debug)]
pub enum Fault {
    /// It refers to an object that is not there yet. Which one is noted.
    Wait,
    /// The data is wrong, or something failed.
    Error(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Error(error)
    }
}

/// Where parts come from.
#[repr(C)]
pub struct Loading {
    /// The place of the next part.
    at: usize,
    /// Inside of so many places that may stay vacant.
    soft: u32,
    /// Whether something was left vacant.
    vacant: bool,
    context: *mut c_void,
    parts: NextParts,
    /// The object whose field is finished; null before.
    object: *const Header,
}

/// Where a [`Loading`] gets its parts: each function takes the parts that it returns, or passes by.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[repr(C)]
pub struct NextParts {
    /// Whether the next part is nothing, which is taken then.
    pub none: unsafe extern "C-unwind" fn(*mut Loading) -> bool,
    /// The next part, or a [`status`] and an error.
    pub next: unsafe extern "C-unwind" fn(*mut Loading, *mut Item, *mut Any) -> u8,
    /// Passes a value by.
    pub skip: unsafe extern "C-unwind" fn(*mut Loading, *mut Any) -> u8,
}

/// Results of functions of fields.
#[doc(hidden)]
pub mod status {
    pub const FINE: u8 = 0;
    pub const WAIT: u8 = 1;
    pub const ERROR: u8 = 2;

    /// Converts a result to a status and an error that is written to its place.
    pub fn to_status(result: Result<(), super::Fault>, error: &mut crate::value::Any) -> u8 {
        match result {
            Ok(()) => FINE,
            Err(super::Fault::Wait) => WAIT,
            Err(super::Fault::Error(e)) => {
                *error = super::Any::Error(std::sync::Arc::new(e));
                ERROR
            }
        }
    }

    /// The other way round.
    pub fn from_status(status: u8, error: super::Any) -> Result<(), super::Fault> {
        match status {
            FINE => Ok(()),
            WAIT => Err(super::Fault::Wait),
            _ => Err(super::Fault::Error(super::take_error(error))),
        }
    }
}

/// Takes the error that a function of a field wrote.
#[doc(hidden)]
#[must_use]
pub fn take_error(error: Any) -> Error {
    RawAny::new(error).into_error("it")
}

#[doc(hidden)]
impl Loading {
    /// Makes one whose next part is at a place; `object` is the one whose field is finished, or
    /// null.
    ///
    /// # Safety
    /// The functions may be called with this as long as it lives, and so long the object does.
    pub unsafe fn new(at: usize, context: *mut c_void, parts: NextParts, object: *const Header) -> Self {
        Loading {
            at,
            soft: 0,
            vacant: false,
            context,
            parts,
            object,
        }
    }

    /// Returns the context of the functions.
    #[must_use]
    pub fn context(&self) -> *mut c_void {
        self.context
    }

    /// Returns the place of the next part.
    #[must_use]
    pub fn next_place(&self) -> usize {
        self.at
    }

    /// Goes on at another place.
    pub fn go_to(&mut self, place: usize) {
        self.at = place;
    }

    /// Returns whether the part lies in a place that never changes.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.soft == 0
    }

    /// Returns whether something was left vacant.
    #[must_use]
    pub fn is_vacant(&self) -> bool {
        self.vacant
    }

    /// The object whose field is being finished.
    pub fn object(&self) -> Option<ErasedBorrow<'_>> {
        // SAFETY: null, or alive until all of its fields are finished, which is during this borrow.
        NonNull::new(self.object.cast_mut()).map(|object| unsafe { ErasedBorrow::from_header(object) })
    }

    /// Says that something was left out that is there when all objects are.
    pub fn leave_vacant(&mut self) {
        self.vacant = true;
    }
}

impl Loading {
    /// The next part.
    ///
    /// # Errors
    /// There is none, or it is an object that is not there yet.
    #[inline]
    pub fn next_item(&mut self) -> Result<Item, Fault> {
        let (mut item, mut error) = (Item::Sequence(0), Any::None);
        // SAFETY: the function is the context's own; the places are ours.
        let status = unsafe { (self.parts.next)(self, &mut item, &mut error) };
        status::from_status(status, error).map(|()| item)
    }

    /// The next part, which is one value.
    ///
    /// # Errors
    /// As [`next_item`](Self::next_item); it is a sequence.
    #[inline]
    pub fn next_value(&mut self) -> Result<Any, Fault> {
        match self.next_item()? {
            Item::Any(value) => Ok(value),
            _ => Err(Fault::Error(Error::value_error(
                "a single value is expected, not several",
            ))),
        }
    }

    /// Takes the next part if it is nothing.
    #[inline]
    pub fn take_none(&mut self) -> bool {
        // SAFETY: the function is the context's own.
        unsafe { (self.parts.none)(self) }
    }

    /// The number of values of a sequence, which follow.
    ///
    /// # Errors
    /// As [`next_item`](Self::next_item); it is none.
    pub fn begin_sequence(&mut self) -> Result<usize, Fault> {
        match self.next_item()? {
            Item::Sequence(count) => Ok(count),
            other => Err(not_a("a sequence", other)),
        }
    }

    /// The number of values of a set.
    ///
    /// # Errors
    /// As [`next_item`](Self::next_item); it is none.
    pub fn begin_set(&mut self) -> Result<usize, Fault> {
        match self.next_item()? {
            Item::Bag(count) => Ok(count),
            other => Err(not_a("a set", other)),
        }
    }

    /// The number of keys of a mapping.
    ///
    /// # Errors
    /// As [`next_item`](Self::next_item); it is none.
    pub fn begin_mapping(&mut self) -> Result<usize, Fault> {
        match self.next_item()? {
            Item::Pairs(count) => Ok(count),
            other => Err(not_a("a mapping", other)),
        }
    }

    /// A sequence of so many values.
    ///
    /// # Errors
    /// As [`begin_sequence`](Self::begin_sequence); of another number.
    pub fn expect_sequence(&mut self, count: usize) -> Result<(), Fault> {
        match self.begin_sequence()? {
            n if n == count => Ok(()),
            n => Err(Fault::Error(Error::value_error(format!(
                "{count} values are expected, not {n}"
            )))),
        }
    }

    /// Passes one value by, with all that it consists of.
    ///
    /// # Errors
    /// There is none.
    pub fn skip_value(&mut self) -> Result<(), Fault> {
        let mut error = Any::None;
        // SAFETY: the function is the context's own.
        let status = unsafe { (self.parts.skip)(self, &mut error) };
        status::from_status(status, error)
    }

    /// Makes a value that may be left out when something that it refers to is not there yet: `None`
    /// then.
    pub(crate) fn load_if_ready<T: Carry>(&mut self) -> Result<Option<T>, Fault> {
        self.load_if_ready_by(T::load_value)
    }

    /// Makes a value by a function that may be left out when something that it refers to is not
    /// there yet: `None` then.
    ///
    /// # Errors
    /// The function's, unless it has to wait.
    pub fn load_if_ready_by<T>(
        &mut self,
        load: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let at = self.at;
        self.soft += 1;
        let made = load(self);
        self.soft -= 1;
        match made {
            Ok(value) => Ok(Some(value)),
            Err(Fault::Wait) => {
                self.at = at;
                self.skip_value()?;
                self.vacant = true;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Collects the values of something that consists of several: goes on to the last when one waits.
pub(crate) struct Several {
    waits: bool,
}

impl Several {
    pub(crate) fn new() -> Self {
        Several { waits: false }
    }

    /// The value, if it is there.
    pub(super) fn value_or_missing<T>(&mut self, value: Result<T, Fault>) -> Result<Option<T>, Fault> {
        match value {
            Ok(value) => Ok(Some(value)),
            Err(Fault::Wait) => {
                self.waits = true;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether all were.
    pub(crate) fn all_present(self) -> Result<(), Fault> {
        if self.waits { Err(Fault::Wait) } else { Ok(()) }
    }
}

pub(crate) fn unexpected_value(expected: impl Into<Cow<'static, str>>, came: &Any) -> Fault {
    Fault::Error(Error::value_error(format!(
        "{} is expected, not {}",
        expected.into(),
        came.describe()
    )))
}

fn not_a(expected: &'static str, came: Item) -> Fault {
    match came {
        Item::Any(value) => unexpected_value(expected, &value),
        _ => Fault::Error(Error::value_error(format!(
            "{expected} is expected, not several values of another kind"
        ))),
    }
}
