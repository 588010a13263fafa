//! [`Hooks`]: a list of functions; [`RemovableHandle`]: one of them.

use pairbond::prelude::*;

use crate::state;

/// Functions, in the order in which they came.
#[pairbond::object("pairbond_tape._Hooks", opaque)]
pub struct Hooks {
    entries: Cell<Vec<(i64, Function)>>,
}

impl Hooks {
    pub(super) fn new() -> Ref<Hooks> {
        Ref::new(Hooks {
            entries: Cell::new(Vec::new()),
        })
    }

    /// Adds one.
    pub(crate) fn add_hook(this: &Ref<Hooks>, function: Function) -> Ref<RemovableHandle> {
        let id = state::next_hook();
        this.entries.update(|all| all.push((id, function)));
        Ref::new(RemovableHandle {
            hooks: this.downgrade(),
            id,
        })
    }

    /// Those of now.
    pub(crate) fn snapshot(&self) -> Vec<Function> {
        self.entries
            .with(|all| all.iter().map(|(_, function)| function.clone()).collect())
    }
}

/// Takes a hook away again, by `remove()` or at the end of a `with` block.
#[pairbond::object("pairbond_tape.RemovableHandle", opaque)]
pub struct RemovableHandle {
    hooks: Weak<Hooks>,
    /// Its number.
    #[field]
    id: i64,
}

#[pairbond::methods]
impl RemovableHandle {
    /// Takes the hook away, if it is still there.
    pub fn remove(&self) {
        if let Some(hooks) = self.hooks.upgrade() {
            let entries = &hooks.entries;
            // Dropped outside of the lock: its captured values may run any code then.
            let removed = entries.update(|all| {
                let place = all.iter().position(|(id, _)| *id == self.id);
                place.map(|place| all.remove(place))
            });
            drop(removed);
        }
    }

    fn __enter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __exit__(&self, _class: Any, _error: Any, _traceback: Any) {
        self.remove();
    }
}
