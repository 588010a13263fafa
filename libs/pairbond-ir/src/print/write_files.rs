//! Operations into files: large ones, so Python goes on meanwhile.

use pairbond::prelude::*;

use super::{AsmState, Flags};
use crate::ir::Operation;

/// Of Python: what takes text for a file.
const WRITER: &str = "pairbond_ir.writer";

/// Writes an operation to a path or to a file object, or where Python's `print` writes, some text
/// at a time; as bytes if the file or the caller wants them.
pub(super) fn write_to_file(
    op: &Ref<Operation>,
    file: Any,
    binary: bool,
    how: Flags,
    state: Option<&AsmState>,
) -> Result<()> {
    let writer = pairbond::registry::get_function(WRITER)?.call(&[file, binary.into()])?;
    let writer = writer.to::<Function>()?;
    let write = |text: &str| writer.call(&[Str::from(text).into()]).map(drop);
    let done = super::write_operation(op, how, state, &write);
    let ended = writer.call(&[Any::None]);
    done?;
    ended.map(drop)
}
