//! What an author promises about threads stands: for an object with an `UnsafeCell` under a lock of
//! its own, and for a type around any cell.
use std::cell::{RefCell, UnsafeCell};
use std::sync::Mutex;

use pairbond::prelude::*;

#[pairbond::object("a.Locked")]
struct Locked {
    #[untraced]
    lock: Mutex<()>,
    #[untraced]
    value: UnsafeCell<u32>,
}

// SAFETY: `value` is used under `lock` only.
unsafe impl Sync for Locked {}

#[pairbond::methods]
impl Locked {
    #[new]
    fn new() -> Self {
        Locked {
            lock: Mutex::default(),
            value: UnsafeCell::new(1),
        }
    }
    fn get(&self) -> u32 {
        let _locked = self.lock.lock();
        // SAFETY: under the lock.
        unsafe { *self.value.get() }
    }
}

struct Guarded(RefCell<u32>);

// SAFETY: `Around` uses it under `lock` only.
unsafe impl Sync for Guarded {}

#[pairbond::object("a.Around")]
struct Around {
    #[untraced]
    lock: Mutex<()>,
    #[untraced]
    value: Guarded,
}

#[pairbond::methods]
impl Around {
    #[new]
    fn new() -> Self {
        Around {
            lock: Mutex::default(),
            value: Guarded(RefCell::new(2)),
        }
    }
    fn get(&self) -> u32 {
        let _locked = self.lock.lock();
        *self.value.0.borrow()
    }
}

pairbond::module!(a { Locked, Around });

#[test]
fn it_does_what_it_says() {
    assert_eq!(Ref::new(Locked::new()).get() + Ref::new(Around::new()).get(), 3);
}
