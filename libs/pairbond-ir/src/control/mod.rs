//! Control flow made simpler, as MLIR's greedy driver and the patterns of `cf` do it.
//!
//! * [`branch`] – what the branches of `cf` pass on, read and written;
//! * [`regions`] – unreachable blocks and unneeded arguments, of all regions; [`live`] finds the
//!   needed ones;
//! * [`patterns`] – branches that lead to branches, or alone to a block; [`decide`] – branches of
//!   which something is known.
//!
//! Edits go through the rewriter, so that listeners see them. Unknown branches (of other dialects)
//! may pass on anything: their successors keep their arguments.

mod branch;
mod decide;
mod live;
mod patterns;
mod regions;

use branch::Branch;
pub(crate) use patterns::control_patterns;
pub(crate) use regions::simplify_regions;
