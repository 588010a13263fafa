//! Whether this thread is the only one of its process: then nothing changes while it looks.
//!
//! A survey of a process with one thread needs neither locks nor marks. Most Python programs are
//! such a process, and the question costs one system call for a survey of any size.
//!
//! The kernel is asked, and not a library that makes threads: others make them too. A thread that
//! is alone stays so until it makes another itself.
//!
//! # Road not taken
//! Looking afterwards whether another thread has used the processor meanwhile, by the clocks of
//! process and thread: who reads a field without its lock may follow a reference to memory that was
//! given back, and learns too late that he should not have.

#[cfg(test)]
thread_local! {
    /// What tests say instead.
    pub(super) static PRETEND: std::cell::Cell<Option<bool>> = const { std::cell::Cell::new(None) };
}

/// See the head of this file.
pub(super) fn is_alone() -> bool {
    #[cfg(test)]
    if let Some(answer) = PRETEND.get() {
        return answer;
    }
    crate::sync::is_single_threaded()
}
