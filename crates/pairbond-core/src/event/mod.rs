//! Events: changes of objects and interpreters, for observers.
//!
//! Without an observer, making and freeing an object look at a bit that they have in hand anyway,
//! everything else at one number of the process. With one, events go to all [observers](observe),
//! on the thread where they happen and while they happen. An observer must not block, and its own
//! actions are not observed. It may be called in the middle of a drop, of a collector's clean-up,
//! or under any lock of its program. A language runtime that observes (`FrontendTable::event`)
//! therefore records the event, and passes it to its language when that is safe.
//!
//! | kind | when |
//! |---|---|
//! | [`Made`](Kind::Made) | an object was made; it is complete |
//! | [`Freed`](Kind::Freed) | an object is about to be destroyed |
//! | [`Tied`](Kind::Tied) | an object has got a wrapper |
//! | [`HandedOver`](Kind::HandedOver) | the last native reference went, and the wrapper keeps the object from here on |
//! | [`Severed`](Kind::Severed) | the object lost its wrapper and lives on |
//! | [`ReleasedLate`](Kind::ReleasedLate) | a reference that was dropped where its interpreter could not be reached was released |
//! | [`Opened`](Kind::Opened), [`Disarmed`](Kind::Disarmed) | an interpreter began or ended |
//! | [`Device`](Kind::Device) | a library said something of its own: [`emit`] |

mod observers;

pub use observers::{EventsTable, Observer, Observing, muted, observe, runtime_observe, stop_observing};
pub(crate) use observers::{adopt_events, events_table, tell_frontends_by};

use crate::custody::Header;
use crate::sync::statics::Ordering;
use crate::types::TypeInfo;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum Kind {
    /// An object was made.
    Made,
    /// An object is about to be destroyed.
    Freed,
    /// An object got a wrapper.
    Tied,
    /// The wrapper keeps the object from here on.
    HandedOver,
    /// The object lost its wrapper.
    Severed,
    /// A reference was released that had waited.
    ReleasedLate,
    /// An interpreter began.
    Opened,
    /// An interpreter ended.
    Disarmed,
    /// A library's own.
    Device,
    /// So many events ([`a`](Event::a)) were not kept for an observer that could not be told at
    /// once.
    Lost,
}

impl Kind {
    /// The name, in lower case with underscores.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Made => "made",
            Kind::Freed => "freed",
            Kind::Tied => "tied",
            Kind::HandedOver => "handed_over",
            Kind::Severed => "severed",
            Kind::ReleasedLate => "released_late",
            Kind::Opened => "opened",
            Kind::Disarmed => "disarmed",
            Kind::Device => "device",
            Kind::Lost => "lost",
        }
    }
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Event {
    /// What.
    pub kind: Kind,
    /// A device event's own kind.
    pub device_kind: u32,
    /// A device event's device.
    pub device: u32,
    /// The tag of the interpreter that it is about, or 0.
    pub interpreter: u16,
    /// The address of the object that it is about, or 0. Addresses are used again; the object may
    /// be gone.
    pub object: usize,
    /// The object's type.
    pub info: Option<&'static TypeInfo>,
    /// A device event's first word.
    pub a: u64,
    /// A device event's second word.
    pub b: u64,
}

impl Event {
    /// An event without anything but its kind.
    #[must_use]
    pub fn of_kind(kind: Kind) -> Self {
        Event {
            kind,
            device_kind: 0,
            device: 0,
            interpreter: 0,
            object: 0,
            info: None,
            a: 0,
            b: 0,
        }
    }

    /// What happened to an object.
    #[must_use]
    pub fn of_object(kind: Kind, object: &Header, interpreter: u16) -> Self {
        Event {
            interpreter,
            object: std::ptr::from_ref(object).addr(),
            info: Some(object.info()),
            ..Event::of_kind(kind)
        }
    }

    /// What happened to an interpreter.
    #[must_use]
    pub fn of_interpreter(kind: Kind, tag: u16) -> Self {
        Event {
            interpreter: tag,
            ..Event::of_kind(kind)
        }
    }

    /// Tells all observers.
    #[cold]
    #[inline(never)]
    pub fn notify_observers(&self) {
        // SAFETY: a valid event.
        unsafe { (events_table().tell)(self) }
    }
}

/// Whether somebody observes.
#[inline]
#[must_use]
pub fn observed() -> bool {
    // SAFETY: lives for the process.
    unsafe { &*events_table().observed }.load(Ordering::Relaxed) != 0
}

/// Tells observers what happened to an object, if there are any.
#[inline]
pub fn notify_object_event(kind: Kind, object: &Header, interpreter: u16) {
    if object.info().is_observed() {
        Event::of_object(kind, object, interpreter).notify_observers();
    }
}

/// Emits a library's own event: its kind and device, which the library numbers as it likes, and two
/// words. Costs a load and a branch when there is no observer.
///
/// ```
/// use pairbond_core::event::{self, Kind};
/// use std::sync::{Arc, Mutex};
///
/// const UPLOADED: u32 = 1;
///
/// let seen = Arc::new(Mutex::new(Vec::new()));
/// let list = seen.clone();
/// let observing = event::observe(move |event| {
///     if event.kind == Kind::Device {
///         list.lock().unwrap().push((event.device_kind, event.device, event.a, event.b));
///     }
/// });
/// event::emit(UPLOADED, 0, 4096, 17);
/// drop(observing);
/// event::emit(UPLOADED, 0, 4096, 18);
/// assert_eq!(*seen.lock().unwrap(), [(UPLOADED, 0, 4096, 17)]);
/// ```
#[inline]
pub fn emit(kind: u32, device: u32, a: u64, b: u64) {
    if observed() {
        let event = Event {
            device_kind: kind,
            device,
            a,
            b,
            ..Event::of_kind(Kind::Device)
        };
        event.notify_observers();
    }
}
