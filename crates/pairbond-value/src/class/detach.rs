//! Letting a frontend's other threads run while Rust works: what `#[detach]` expands to.

use std::ffi::c_void;

use crate::convert::FromValue;
use crate::sync::statics::{AtomicPtr, Ordering};

/// How a frontend lets go of its interpreter and takes it back.
#[derive(Debug)]
#[repr(C)]
pub struct DetachHooks {
    /// Lets go, if this thread is attached; returns what `attach` needs, or null when it was not.
    pub detach: unsafe extern "C" fn() -> *mut c_void,
    /// Attaches again.
    pub attach: unsafe extern "C" fn(*mut c_void),
}

static HOOKS: AtomicPtr<DetachHooks> = AtomicPtr::new(std::ptr::null_mut());

/// Installs the hooks of a frontend; called by the frontend, once per binary.
pub fn set_detach_hooks(hooks: &'static DetachHooks) {
    HOOKS.store(std::ptr::from_ref(hooks).cast_mut(), Ordering::Release);
}

/// Runs `f` detached from the interpreter, if a frontend called us; also when `f` panics, the
/// thread is attached again. `f` is `Send` so that it cannot take along values that are valid on
/// attached threads only: PyO3's `Python` and `Bound` are not.
pub fn detached<R>(f: impl FnOnce() -> R + Send) -> R {
    detached_call(f)
}

/// Checks a parameter's type when the function is compiled, for the expansion of `#[detach]`.
#[doc(hidden)]
pub const fn may_detach<'a, T: FromValue<'a>>() {
    const {
        assert!(
            T::DETACHES,
            "a function that runs detached cannot have this parameter, which is valid on attached threads only: take `Py<T>` in place of `Bound<'_, T>`, and `Function` in place of `Callback<'_>`"
        );
    }
}

/// As [`detached`], for calls whose arguments [may come along](may_detach).
#[doc(hidden)]
pub fn detached_call<R>(f: impl FnOnce() -> R) -> R {
    struct Attach(&'static DetachHooks, *mut c_void);
    impl Drop for Attach {
        fn drop(&mut self) {
            if !self.1.is_null() {
                // SAFETY: from `detach` on this thread.
                unsafe { (self.0.attach)(self.1) }
            }
        }
    }
    // SAFETY: hooks live for the process.
    let Some(hooks) = (unsafe { HOOKS.load(Ordering::Acquire).as_ref() }) else {
        return f();
    };
    // SAFETY: the frontend's own function, callable from any thread.
    let _attach = Attach(hooks, unsafe { (hooks.detach)() });
    f()
}
