//! The protocol as it was first drawn: a revival counts one reference, the reviver's. Kept to show
//! that the model sees its fault: the thread that dropped the last reference looks at an object
//! that others have revived, handed over and freed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use loom::sync::atomic::{AtomicUsize, Ordering::AcqRel, Ordering::Acquire};

const PYTHON: usize = 1;
const ONE: usize = 2;

struct Naive {
    state: AtomicUsize,
    /// The wrapper's references.
    refs: AtomicUsize,
    freed: AtomicBool,
}

impl Naive {
    fn alive<R>(&self, result: R) -> R {
        assert!(!self.freed.load(Relaxed), "use after free: the naive protocol");
        result
    }

    fn drop_native(&self) {
        if self.alive(self.state.fetch_sub(ONE, AcqRel)) == ONE {
            // {0, Native} → {1, Python}; when that fails, somebody revived the object.
            if self
                .alive(self.state.compare_exchange(0, ONE | PYTHON, AcqRel, Acquire))
                .is_ok()
            {
                self.let_go();
            }
        }
    }

    /// A native reference out of the wrapper that the caller holds; `false` in Python's custody,
    /// which this test can do without.
    fn extract(&self) -> bool {
        let revived = |state| (state & PYTHON == 0).then_some(state + ONE);
        self.alive(self.state.fetch_update(AcqRel, Acquire, revived))
            .is_ok()
    }

    fn let_go(&self) {
        if self.refs.fetch_sub(1, AcqRel) == 1 {
            assert_eq!(self.alive(self.state.load(Acquire)), ONE | PYTHON);
            self.freed.store(true, Relaxed);
        }
    }
}

#[test]
#[should_panic(expected = "use after free: the naive protocol")]
fn custody_md_protocol_has_a_use_after_free() {
    super::explore(|| {
        let refs = AtomicUsize::new(2);
        let pair = Arc::new(Naive {
            state: AtomicUsize::new(ONE),
            refs,
            freed: AtomicBool::new(false),
        });
        let other = Arc::clone(&pair);
        let dropping = loom::thread::spawn(move || other.drop_native());
        if pair.extract() {
            pair.drop_native();
        }
        pair.let_go();
        dropping.join().unwrap();
    });
}
