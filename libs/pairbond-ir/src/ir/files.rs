//! Modules from files, and operations into files: large ones, so Python goes on meanwhile, hears how far it is, and may end it.

use std::path::Path;

use pairbond::prelude::*;

use super::Operation;
use crate::context::Context;
use crate::error;
use crate::{parse, print};

/// Of Python: what shows progress as a caller wishes, and lets signals in (`python/pairbond_ir/progress.py`).
const WATCHER: &str = "pairbond_ir.watcher";
/// Of Python: what takes text for a file.
const WRITER: &str = "pairbond_ir.writer";

/// Reads a module. `progress` is what `Module.parse_file` takes.
pub(super) fn read(context: &Ref<Context>, path: &Path, progress: Option<Any>) -> Result<Ref<Operation>> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path)?;
    let text = String::from_utf8(bytes).map_err(|wrong| {
        let at = wrong.utf8_error().valid_up_to();
        error::ir(format!("{name}: error: byte {at} is not UTF-8"))
    })?;
    let watch = call(
        WATCHER,
        &[
            progress.unwrap_or(Any::None),
            (text.len() as u64).into(),
            Str::from(&*name).into(),
        ],
    )?;
    let done = parse::file(context, &text, &name, &watch);
    // Whatever it was: nothing more comes.
    let ended = watch.call(&[Any::None]);
    let module = done?;
    ended?;
    Ok(module)
}

/// Writes an operation to a path or to a file object, some text at a time.
pub(super) fn write(op: &Ref<Operation>, file: &Any, locations: bool) -> Result<()> {
    let writer = call(WRITER, std::slice::from_ref(file))?;
    let done = print::write_operation(op, locations, &|text| {
        writer.call(&[Str::from(text).into()]).map(drop)
    });
    let ended = writer.call(&[Any::None]);
    done?;
    ended.map(drop)
}

fn call(name: &str, arguments: &[Any]) -> Result<Function> {
    pairbond::get_function(name)?.call(arguments)?.to::<Function>()
}
