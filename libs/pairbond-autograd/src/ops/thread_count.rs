//! How many threads compute, as Python asks and says.

use pairbond::prelude::*;

use crate::kernels::threads;

/// How many threads compute a large kernel: at first as `OMP_NUM_THREADS` says, or one for each
/// processor that this process may use.
#[pairbond::function]
pub(crate) fn get_num_threads() -> usize {
    threads::thread_count()
}

/// Computes large kernels with so many threads from now on, the caller's among them.
#[pairbond::function]
pub(crate) fn set_num_threads(int: i32) -> Result<()> {
    let count = usize::try_from(int).ok().filter(|&count| count > 0);
    let count = count.ok_or_else(|| Error::runtime_error("set_num_threads expects a positive integer"))?;
    threads::set_count(count);
    Ok(())
}
