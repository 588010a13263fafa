//! Modules from files: large ones, so Python goes on meanwhile, hears how far it is, and may end
//! it.

use pairbond::prelude::*;

use super::{Stream, parse_file};
use crate::context::Context;
use crate::ir::Operation;

/// Of Python: what shows progress as a caller wishes, and lets signals in
/// (`python/pairbond_ir/progress.py`).
const WATCHER: &str = "pairbond_ir.watcher";
/// In Python: the reader of a file object, its name and its length.
const READER: &str = "pairbond_ir.reader";

/// Reads a module from what Rust reads from: memory is needed for it and a piece of the text, not
/// for the whole.
///
/// # Errors
/// The first error of the text, with its place; the error that reading ended with.
pub fn read_module(context: &Ref<Context>, source: impl std::io::Read, name: &str) -> Result<Ref<Operation>> {
    parse_file(context, &mut Stream(source), name, None)
}

/// Reads a module from a path or from a file object. `progress` is what `Module.parse_file` takes.
pub(super) fn read_module_file(
    context: &Ref<Context>,
    file: &Any,
    progress: Option<Any>,
) -> Result<Ref<Operation>> {
    let opened = pairbond::registry::get_function(READER)?.call(std::slice::from_ref(file))?;
    let (name, total, mut reader) = opened.to::<(Str, Any, Function)>()?;
    let watch = pairbond::registry::get_function(WATCHER)?.call(&[
        progress.unwrap_or(Any::None),
        total,
        name.clone().into(),
    ])?;
    let watch = watch.to::<Function>()?;
    let done = parse_file(context, &mut reader, &name, Some(&watch));
    // Whatever it was: nothing more comes.
    let ended = watch.call(&[Any::None]).and(reader.call(&[Any::None]));
    let module = done?;
    ended?;
    Ok(module)
}
