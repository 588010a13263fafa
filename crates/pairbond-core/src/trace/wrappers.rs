//! [`each_wrapper`]: visits the wrappers of an interpreter without a survey.

use std::ffi::c_void;

use super::AHEAD;
use crate::object::Header;
use crate::object::objects_table;
use crate::sync::{prefetch, relax_or_yield};

/// Calls `show` with each object of a traced type that has a wrapper of interpreter `tag`, and with
/// that wrapper. No object of a traced type is created or destroyed meanwhile.
///
/// The caller must be attached to that interpreter, so that the wrappers live. `show` must call no
/// foreign code, and must neither create nor destroy objects.
pub fn each_wrapper(tag: u16, show: &mut dyn FnMut(&Header, *mut c_void)) {
    struct Walk<'a> {
        tag: u16,
        show: &'a mut dyn FnMut(&Header, *mut c_void),
    }
    unsafe extern "C" fn walk_shard(walk: *mut c_void, objects: *const *mut Header, count: usize) {
        if count == 0 {
            return;
        }
        // SAFETY: the context is the `Walk` below; the slice's objects are alive while the list is
        // held.
        unsafe {
            let walk = &mut *walk.cast::<Walk<'_>>();
            let objects = std::slice::from_raw_parts(objects, count);
            let mut ahead = objects.get(AHEAD..).unwrap_or_default().iter();
            for object in objects {
                if let Some(ahead) = ahead.next() {
                    prefetch(ahead.cast_const());
                }
                let object = &**object;
                let pair = object.custody().pair();
                if pair.tag() == walk.tag && !pair.wrapper().is_null() {
                    (walk.show)(object, pair.wrapper());
                }
            }
        }
    }
    unsafe extern "C" fn finish_walk(_: *mut c_void) {}
    let mut walk = Walk { tag, show };
    let mut attempt = 0;
    // SAFETY: the callbacks get the `Walk` that they expect, and only during this call.
    while !unsafe { (objects_table().walk)((&raw mut walk).cast(), walk_shard, finish_walk) } {
        relax_or_yield(attempt);
        attempt = attempt.saturating_add(1);
    }
}
