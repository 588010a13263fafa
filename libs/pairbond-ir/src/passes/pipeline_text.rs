//! Pipelines as text: `builtin.module(func.func(canonicalize{max-iterations=5},cse),symbol-dce)`.

use pairbond::prelude::*;

use super::PassManager;
use super::pass::find_pass;

/// The text of a manager.
pub(super) fn format_pipeline(manager: &PassManager) -> String {
    let inner = crate::recursion::with_stack(|| manager.pass_names().join(","));
    format!("{}({inner})", manager.anchor())
}

/// Adds to a manager what stands between its parentheses; all of it or nothing.
pub(super) fn parse_pipeline(manager: &Ref<PassManager>, text: &str) -> Result<()> {
    let staged = PassManager::on(manager.anchor());
    let mut open = vec![staged.clone()];
    let mut rest = text;
    while !rest.trim_start().is_empty() {
        let mut end = rest.find(['(', ')', ',', '{']).unwrap_or(rest.len());
        let (word, mut options) = (rest[..end].trim(), "");
        if let Some(inner) = rest[end..].strip_prefix('{') {
            let (inside, behind) = inner.split_once('}').ok_or_else(|| unbalanced_error(text))?;
            options = inside;
            end = rest.len() - behind.trim_start().len();
        }
        let found = rest[end..].chars().next();
        if !options.is_empty() && !matches!(found, None | Some(')' | ',')) {
            return Err(unbalanced_error(text));
        }
        rest = rest.get(end + 1..).unwrap_or("");
        let Some(here) = open.last().cloned() else {
            return Err(unbalanced_error(text));
        };
        match (word, found) {
            ("", Some('(')) => {
                return Err(pipeline_error(format!(
                    "a name is missing before '(' in {text:?}"
                )));
            }
            (anchor, Some('(')) => {
                let nested = PassManager::on(anchor);
                here.add_nested(nested.clone());
                open.push(nested);
            }
            ("", _) => {}
            (name, _) => match find_pass(name, options).map_err(|wrong| pipeline_error(wrong.message()))? {
                Some(pass) => here.add(pass),
                None => {
                    return Err(pipeline_error(format!(
                        "'{name}' does not refer to a registered pass (in the pipeline {text:?})"
                    )));
                }
            },
        }
        if found == Some(')') {
            open.pop();
        }
    }
    if open.len() != 1 {
        return Err(unbalanced_error(text));
    }
    manager.take_from(&staged);
    Ok(())
}

fn unbalanced_error(text: &str) -> Error {
    pipeline_error(format!(
        "parentheses do not fit together in the pipeline {text:?}"
    ))
}

/// A `PipelineError`.
#[cold]
fn pipeline_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Custom("pairbond_ir.PipelineError".into()), message)
}
