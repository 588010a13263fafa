//! Running: one pass after the other, and operations beside each other where no Python is needed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pairbond::memory::has_room_for_a_thread;
use pairbond::prelude::*;
use pairbond::tree::{TreeNode, reason};

use super::{PassItem, PassManager, PythonPass};
use crate::ir::Operation;
use crate::room::Grow;

/// In Python: called before and after each pass with its name and operation.
pub(super) type Watcher<'a> = Option<&'a Function>;

/// All passes, in order.
pub(super) fn run_all(items: &[Ref<PassItem>], op: &Ref<Operation>, watcher: Watcher<'_>) -> Result<()> {
    for item in items {
        op.check()?;
        if let Some(pass) = &item.native {
            let _scope = reason(pass.name());
            run_watched(watcher, pass.name(), op, || pass.run(op))?;
        } else if let Some(pass) = &item.python {
            let _scope = reason(pass.name());
            run_watched(watcher, pass.name(), op, || PythonPass::run_on(pass, op))?;
        } else if let Some(nested) = &item.nested {
            crate::recursion::with_stack(|| run_nested(nested, op, watcher))?;
        }
    }
    Ok(())
}

/// Runs one pass between calls of the watcher. An error of the watcher ends it, unless the pass
/// failed itself.
fn run_watched(
    watcher: Watcher<'_>,
    name: &str,
    op: &Ref<Operation>,
    run: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let Some(watcher) = watcher else {
        return run();
    };
    let tell = |what: &str| {
        let of = match op.is_erased() {
            true => Any::None,
            false => op.clone().into(),
        };
        let arguments = [Str::from(what).into(), Str::from(name).into(), of];
        watcher.call(&arguments).map(drop)
    };
    tell("before")?;
    match run() {
        Ok(()) => tell("after"),
        Err(failed) => match tell("failed") {
            Ok(()) => Err(failed),
            Err(other) => Err(failed.with_note(other.message())),
        },
    }
}

/// A manager on each operation in one.
fn run_nested(manager: &Ref<PassManager>, op: &Ref<Operation>, watcher: Watcher<'_>) -> Result<()> {
    let mut found = Vec::new();
    for region in op.list(|it| &it.regions).iter() {
        for block in region.list(|it| &it.blocks).iter() {
            let all = block.list(|it| &it.operations).iter();
            found.grow(all.filter(|it| manager.is_for(it.name())));
        }
    }
    let items = manager.pass_items();
    let threads = op.context().thread_count().min(found.len());
    if manager.is_native() && threads > 1 && watcher.is_none() {
        return run_parallel(&items, &found, threads);
    }
    // A pass of Python's may have erased some.
    let mut living = found.iter().filter(|it| !it.is_erased());
    living.try_for_each(|it| run_all(&items, it, watcher))
}

/// On several threads. Of several errors that of the first operation counts.
fn run_parallel(items: &[Ref<PassItem>], found: &[Ref<Operation>], threads: usize) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(op) = found.get(place) else { return };
            if let Err(error) = run_all(items, op, None) {
                // No more are begun; those before are, and are the only ones that may matter more.
                next.fetch_max(found.len(), Ordering::Relaxed);
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(other, _)| place < *other) {
                    *failed = Some((place, error));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            if !has_room_for_a_thread() {
                break;
            }
            scope.spawn(work);
        }
        work();
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), |(_, error)| Err(error))
}
