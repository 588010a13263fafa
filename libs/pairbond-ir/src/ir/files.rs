//! Modules from files, and operations into files: large ones, so Python goes on meanwhile, hears
//! how far it is, and may end it.

use pairbond::prelude::*;

use super::Operation;
use crate::context::Context;
use crate::parse;
use crate::print::{self, AsmState};

/// Of Python: what shows progress as a caller wishes, and lets signals in
/// (`python/pairbond_ir/progress.py`).
const WATCHER: &str = "pairbond_ir.watcher";
/// In Python: the reader of a file object, its name and its length.
const READER: &str = "pairbond_ir.reader";
/// Of Python: what takes text for a file.
const WRITER: &str = "pairbond_ir.writer";

/// Reads a module from what Rust reads from: memory is needed for it and a piece of the text, not
/// for the whole.
///
/// # Errors
/// The first error of the text, with its place; the error that reading ended with.
pub fn read_module(context: &Ref<Context>, source: impl std::io::Read, name: &str) -> Result<Ref<Operation>> {
    parse::parse_file(context, &mut parse::Stream(source), name, None)
}

/// Reads a module from a path or from a file object. `progress` is what `Module.parse_file` takes.
pub(super) fn read_module_file(
    context: &Ref<Context>,
    file: &Any,
    progress: Option<Any>,
) -> Result<Ref<Operation>> {
    let opened = pairbond::registry::get_function(READER)?.call(std::slice::from_ref(file))?;
    let (name, total, mut reader) = opened.to::<(Str, Any, Function)>()?;
    let watch = call_builtin(
        WATCHER,
        &[progress.unwrap_or(Any::None), total, name.clone().into()],
    )?;
    let done = parse::parse_file(context, &mut reader, &name, Some(&watch));
    // Whatever it was: nothing more comes.
    let ended = watch.call(&[Any::None]).and(reader.call(&[Any::None]));
    let module = done?;
    ended?;
    Ok(module)
}

/// Writes an operation to a path or to a file object, or where Python's `print` writes, some text
/// at a time; as bytes if the file wants them or somebody says so.
pub(super) fn write_operation(
    op: &Ref<Operation>,
    file: Any,
    binary: bool,
    how: print::Flags,
    state: Option<&AsmState>,
) -> Result<()> {
    let writer = call_builtin(WRITER, &[file, binary.into()])?;
    let write = |text: &str| writer.call(&[Str::from(text).into()]).map(drop);
    let done = print::write_operation(op, how, state, &write);
    let ended = writer.call(&[Any::None]);
    done?;
    ended.map(drop)
}

fn call_builtin(name: &str, arguments: &[Any]) -> Result<Function> {
    pairbond::registry::get_function(name)?
        .call(arguments)?
        .to::<Function>()
}
