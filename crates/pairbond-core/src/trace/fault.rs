//! Ways to break the algorithm on purpose, so that tests can show that they would notice. None
//! exists outside of this crate's own tests.

pub(in crate::trace) const NO_UNITS: u32 = 1;
pub(in crate::trace) const NO_COUNT: u32 = 2;
pub(in crate::trace) const NO_TOUCH: u32 = 4;
pub(in crate::trace) const FIRST_OWNER: u32 = 8;
pub(in crate::trace) const LATE_OWNER: u32 = 16;
pub(in crate::trace) const NO_CONDEMN: u32 = 64;
pub(in crate::trace) const NO_FLOOD: u32 = 128;
pub(in crate::trace) const NO_REACH: u32 = 256;
pub(in crate::trace) const ONE_LOOK: u32 = 512;
pub(in crate::trace) const NO_OTHER_OWNERS: u32 = 1024;
pub(in crate::trace) const NO_FOREIGN_EDGE: u32 = 2048;
pub(in crate::trace) const NO_LEAF_EDGE: u32 = 4096;
pub(in crate::trace) const NO_COMPONENT: u32 = 8192;
pub(in crate::trace) const ALL_DORMANT: u32 = 16384;
pub(in crate::trace) const NO_LINK_TO_EDGE: u32 = 32768;

#[cfg(test)]
thread_local! {
    pub(in crate::trace) static FAULTS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    /// Called wherever another thread might come in between.
    pub(in crate::trace) static STEP: std::cell::Cell<Option<fn()>> = const { std::cell::Cell::new(None) };
}

#[inline]
pub(in crate::trace) fn is_fault_enabled(which: u32) -> bool {
    #[cfg(test)]
    return FAULTS.get() & which != 0;
    #[cfg(not(test))]
    {
        let _ = which;
        false
    }
}

#[inline]
pub(in crate::trace) fn run_test_step() {
    #[cfg(test)]
    if let Some(step) = STEP.get() {
        crate::sync::STEPPING.set(true);
        step();
        crate::sync::STEPPING.set(false);
    }
}
