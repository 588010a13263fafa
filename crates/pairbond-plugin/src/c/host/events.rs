//! Events, and the allocator of objects.

use std::ffi::c_void;

use crate::c::errors::{Problem, catch_errors_as_bool, catch_silently};
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::event::{Event, Observer, emit, runtime_observe, stop_observing};
use pairbond_core::memory::{Allocator, current_allocator, set_allocator};

type Tell = unsafe extern "C" fn(*mut c_void, *const Event);
type Destroy = unsafe extern "C" fn(*mut c_void);

/// Observes; returns a number to end it by. The context is taken.
pub(super) unsafe extern "C" fn observe_events(
    tell: Tell,
    context: *mut c_void,
    forget: Option<Destroy>,
) -> usize {
    unsafe extern "C" fn forget_nothing(_: *mut c_void) {}
    let forget = forget.unwrap_or(forget_nothing);
    // SAFETY: functions that may be called from any thread, with their context.
    let begin = || unsafe {
        runtime_observe(Observer {
            tell,
            forget,
            context,
        })
    };
    catch_silently(begin).unwrap_or(0)
}

pub(super) unsafe extern "C" fn end_observer(observer: usize) {
    catch_silently(|| stop_observing(observer));
}

pub(super) unsafe extern "C" fn report_event(kind: u32, device: u32, a: u64, b: u64) {
    catch_silently(|| emit(kind, device, a, b));
}

/// The allocator that new objects come from.
pub(super) unsafe extern "C" fn get_allocator(out: *mut Allocator) {
    // SAFETY: a place for it.
    unsafe { out.write(current_allocator()) }
}

/// Replaces the allocator for objects made from now on.
pub(super) unsafe extern "C" fn replace_allocator(new: *const Allocator, problem: Problem) -> bool {
    // SAFETY: functions that do what `pairbond.h` says, for the life of the process; a place for an
    // error.
    unsafe {
        catch_errors_as_bool(problem, || {
            set_allocator(*new)
                .map(drop)
                .map_err(|refused| Error::new(ErrorKind::Runtime, refused.to_string()))
        })
    }
}
