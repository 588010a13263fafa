//! Whole texts: aliases and operations.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::forward_refs::Body;
use super::input::Text;
use super::lexer::Kind;
use super::source::{Source, of_bytes};
use super::watch::Watch;
use super::{Parser, text_location};
use crate::context::Context;
use crate::error;
use crate::ir::{Operation, empty_module};
use crate::room::Room;

/// Reads a module. Operations that stand in none are put into one.
pub(crate) fn parse_module(context: &Ref<Context>, text: &Text<'_>, name: &str) -> Result<Ref<Operation>> {
    let all = parse_operations(context, &mut of_bytes(&text.0), name, Watch::default())?;
    of_operations(context, name, all)
}

/// The same from a file, and tells a function on the way how many bytes were read.
pub(crate) fn parse_file(
    context: &Ref<Context>,
    source: &mut dyn Source,
    name: &str,
    watch: Option<&Function>,
) -> Result<Ref<Operation>> {
    let watch = watch.map(Watch::from_function).unwrap_or_default();
    let all = parse_operations(context, source, name, watch)?;
    of_operations(context, name, all)
}

fn of_operations(context: &Ref<Context>, name: &str, mut all: Vec<Ref<Operation>>) -> Result<Ref<Operation>> {
    if let [only] = &all[..]
        && **only.name() == *"builtin.module"
    {
        return Ok(all.swap_remove(0));
    }
    let module = empty_module(context)?;
    module.put_location(text_location(context, name));
    let region = module.list(|it| &it.regions).first();
    let block = region.and_then(|it| it.list(|it| &it.blocks).first());
    let block = block.ok_or_else(|| error::ir_error("a module has a block"))?;
    for op in &all {
        block.list(|it| &it.operations).push(op)?;
    }
    Ok(module)
}

/// Reads one operation.
pub(crate) fn one_operation(context: &Ref<Context>, text: &Text<'_>, name: &str) -> Result<Ref<Operation>> {
    let mut all = parse_operations(context, &mut of_bytes(&text.0), name, Watch::default())?;
    match all.len() {
        1 => Ok(all.swap_remove(0)),
        count => Err(error::ir_error(format!(
            "expected one operation in the text, and found {count}"
        ))),
    }
}

fn parse_operations(
    context: &Ref<Context>,
    source: &mut dyn Source,
    name: &str,
    watch: Watch<'_>,
) -> Result<Vec<Ref<Operation>>> {
    let mut parser = Parser::new(context, source, name, watch);
    parser.of_module = true;
    let mut body = Body::default();
    body.enter_scope(true);
    let mut all = Vec::new();
    loop {
        match parser.token.kind {
            Kind::End => break,
            Kind::Hash | Kind::Bang => parser.alias_definition()?,
            Kind::Resources => parser.parse_resource_section()?,
            _ => all.room().push(parser.parse_operation(&mut body)?),
        }
    }
    parser.check_end()?;
    body.leave_scope(&parser)?;
    body.resolve_locations(&parser)?;
    Ok(all)
}
