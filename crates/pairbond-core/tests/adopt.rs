//! Joining the runtime of another binary. One test, because it decides for the whole process.
#![cfg(not(loom))]
#![allow(clippy::disallowed_types)]

use std::mem::MaybeUninit;

use pairbond_core::abi::heap::Heap;
use pairbond_core::abi::{ABI_VERSION, Text, Unfit, VERSION};
use pairbond_core::object::{Object, Ref};
use pairbond_core::runtime::{AdoptError, RuntimeTable, adopt_runtime, runtime_table};
use pairbond_testing::object;

/// An allocator that no other hands out the same addresses as.
const ANOTHER: Heap = {
    unsafe extern "C" fn allocate(size: usize) -> *mut u8 {
        let layout = std::alloc::Layout::from_size_align(size + 64, 8).unwrap();
        // SAFETY: a layout that is not empty.
        unsafe { std::alloc::alloc(layout).add(64) }
    }
    unsafe extern "C" fn free(memory: *mut u8, size: usize) {
        let layout = std::alloc::Layout::from_size_align(size + 64, 8).unwrap();
        // SAFETY: as allocated.
        unsafe { std::alloc::dealloc(memory.sub(64), layout) }
    }
    Heap { allocate, free }
};

unsafe extern "C" fn another_digest() -> u64 {
    1
}

struct Thing(u32);
object!(Thing, "adopt.Thing", []);

/// A copy of the table, as another binary's would be; the fields after `head` may be anything when
/// that differs.
fn table(change: impl FnOnce(&mut RuntimeTable)) -> *const RuntimeTable {
    let mut copy = Box::new(MaybeUninit::<RuntimeTable>::uninit());
    // SAFETY: functions and pointers, which may be copied.
    unsafe {
        std::ptr::copy_nonoverlapping(runtime_table(), copy.as_mut_ptr(), 1);
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
        let refused = |change: fn(&mut RuntimeTable)| match adopt_runtime(table(change)) {
            Err(AdoptError::Unfit(unfit)) => unfit,
            other => panic!("{other:?}"),
        };
        let version = |process, newer| Unfit::Version {
            built: VERSION,
            process,
            newer,
        };
        assert_eq!(refused(|t| t.head.abi = ABI_VERSION + 1), version(VERSION, true));
        assert_eq!(refused(|t| t.head.abi = ABI_VERSION - 1), version(VERSION, false));
        let older = refused(|t| {
            t.head.size -= 8;
            t.head.version = Text::new("0.0.1");
        });
        assert_eq!(older, version("0.0.1", false));
        for part in [VERSION, "0.0.1", "pip install --upgrade 'pairbond>="] {
            assert!(older.to_string().contains(part), "{part} in {older}");
        }
        let compiler = refused(|t| t.head.compiler = Text::new("rustc 9.0"));
        assert!(compiler.to_string().contains("rustc 9.0"), "{compiler}");
        assert!(matches!(refused(|t| t.head.shapes += 1), Unfit::Shape { .. }));
        assert!(matches!(
            refused(|t| t.tables = another_digest),
            Unfit::Shape { .. }
        ));
        if cfg!(all(target_os = "linux", target_env = "gnu", not(miri))) {
            assert_eq!(refused(|t| t.heap = ANOTHER), Unfit::Heap);
        }
        // One of a later release, which has more at its end.
        assert_eq!(adopt_runtime(table(|t| t.head.size += 16)), Ok(()));

        let theirs = table(|_| ());
        assert_eq!(adopt_runtime(theirs), Ok(()));
        assert!(std::ptr::eq(runtime_table(), theirs));
        assert_eq!(adopt_runtime(theirs), Ok(()), "once more is fine");

        let object = Ref::new(Thing(3));
        assert_eq!((object.0, Thing::info().key()), (3, "adopt.Thing"));
        let another = table(|_| ());
        let refused = adopt_runtime(another).unwrap_err();
        assert!(matches!(refused, AdoptError::InUse { .. }), "{refused}");
        assert!(refused.to_string().contains("pairbond.Object"));
        assert!(std::ptr::eq(runtime_table(), theirs));
    }
}
