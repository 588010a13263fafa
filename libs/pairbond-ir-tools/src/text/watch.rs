//! [`Watch`]: receives the progress of reading, and may end it, as signals may.

use pairbond::prelude::*;

/// How often it is told: each time this many bytes were read.
const STEP: usize = 1 << 20;

/// Calls a function now and then.
#[derive(Default)]
pub struct Watch<'a> {
    next: usize,
    function: Option<&'a Function>,
}

impl<'a> Watch<'a> {
    /// Returns a watch that calls a function with the number of bytes that were read.
    #[must_use]
    pub fn from_function(function: &'a Function) -> Self {
        Watch {
            next: 0,
            function: Some(function),
        }
    }

    /// Reading has come so far.
    ///
    /// # Errors
    /// What the function raises, or the handler of a signal.
    #[inline]
    pub(super) fn report_progress(&mut self, at: usize) -> Result<()> {
        pairbond::check_signals()?;
        match self.function {
            Some(function) if at >= self.next => {
                self.next = at + STEP;
                function.call(&[(at as u64).into()]).map(drop)
            }
            _ => Ok(()),
        }
    }
}
