//! Joining the runtime of another binary. One test, because it decides for the whole process.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types)]

use std::mem::MaybeUninit;

use pairbond_core::object::{ABI_VERSION, Object, Ref};
use pairbond_core::runtime::{AdoptError, RuntimeTable, adopt, runtime};
use pairbond_testing::object;

struct Thing(u32);
object!(Thing, "adopt.Thing", []);

/// A copy of the table, as another binary's would be; the fields after `abi` may be anything when that differs.
fn table(change: impl FnOnce(&mut RuntimeTable)) -> *const RuntimeTable {
    let mut copy = Box::new(MaybeUninit::<RuntimeTable>::uninit());
    // SAFETY: functions and pointers, which may be copied.
    unsafe {
        std::ptr::copy_nonoverlapping(runtime(), copy.as_mut_ptr(), 1);
        change(copy.assume_init_mut());
    }
    static ALL: std::sync::Mutex<Vec<&MaybeUninit<RuntimeTable>>> = std::sync::Mutex::new(Vec::new());
    let copy: &'static MaybeUninit<RuntimeTable> = Box::leak(copy);
    ALL.lock().unwrap().push(copy);
    copy.as_ptr()
}

#[test]
fn versions_must_agree_and_nothing_may_be_made_before() {
    // SAFETY: tables that live for the process.
    unsafe {
        let newer = table(|t| t.abi = ABI_VERSION + 1);
        let refused = adopt(newer).unwrap_err();
        assert_eq!(
            refused,
            AdoptError::Version {
                theirs: ABI_VERSION + 1,
                ours: ABI_VERSION
            }
        );
        assert!(refused.to_string().contains("rebuild"));

        let theirs = table(|_| ());
        assert_eq!(adopt(theirs), Ok(()));
        assert!(std::ptr::eq(runtime(), theirs));
        assert_eq!(adopt(theirs), Ok(()), "once more is fine");

        let object = Ref::new(Thing(3));
        assert_eq!((object.0, Thing::info().key()), (3, "adopt.Thing"));
        let another = table(|_| ());
        let refused = adopt(another).unwrap_err();
        assert!(matches!(refused, AdoptError::InUse { .. }), "{refused}");
        assert!(refused.to_string().contains("pairbond.Object"));
        assert!(std::ptr::eq(runtime(), theirs));
    }
}
