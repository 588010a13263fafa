//! Control flow made simpler, as MLIR's greedy driver and the patterns of `cf` do it.
//!
//! * [`branch`] – what the branches of `cf` pass on, read and written;
//! * [`regions`] – blocks that nothing reaches, and arguments that nobody needs, of all regions; [`live`] says who needs what;
//! * [`patterns`] – branches that lead to branches, or alone to a block; [`decide`] – branches of which something is known.
//!
//! What is edited goes through the rewriter, so that listeners hear of it. Branches that nobody knows (of other dialects) may pass on anything: what they lead to
//! keeps its arguments.

mod branch;
mod decide;
mod live;
mod patterns;
mod regions;

use branch::Branch;
pub(crate) use patterns::patterns;
pub(crate) use regions::simplify;
