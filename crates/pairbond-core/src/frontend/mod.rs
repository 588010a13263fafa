//! Language runtimes behind one table, and the interpreters that are open now.
//!
//! The core knows no Python. For each interpreter a frontend opens a *slot* with a
//! [`FrontendTable`]; the slot's number is the tag that objects carry. Closing a slot *disarms* it:
//! its table is swapped for one whose entries do nothing. A thread that fetched the old table a
//! moment before may still call it, so a frontend's functions must themselves be safe to call for
//! as long as the process lives, and find out that they are closed; tables are never freed, and
//! tags never used again.

mod collecting;
mod deferred;
mod frontend_table;
mod handle;
mod override_cache;
mod report;
mod signals;
mod slots;

pub use crate::custody::Answer;
pub use collecting::Collecting;
pub use deferred::{Deferred, Taken};
pub use frontend_table::{Arguments, Calls, FrontendTable, Overrides};
pub use handle::Frontend;
pub use override_cache::Overridable;
pub(crate) use override_cache::stamp_of;
pub use report::{contain_panics, contain_trace};
pub use signals::check_signals;
#[doc(hidden)]
pub use slots::attached_frontend;
pub use slots::{InterpretersTable, waiting_releases};
pub use slots::{
    NoMoreTags, collecting_interpreters, disarm_interpreter, frontend_of, observe_events, open_interpreter,
};
pub(crate) use slots::{adopt_interpreters, is_orphan};
