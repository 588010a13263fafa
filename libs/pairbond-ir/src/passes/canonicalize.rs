//! Canonicalisation: folds, dead code, and patterns for `arith`.

use std::sync::Arc;

use pairbond::prelude::*;

use super::Pass;
use crate::control;
use crate::error;
use crate::fold::AddConstants;
use crate::greedy::{GreedyConfig, apply_greedily};
use crate::ir::Operation;

#[derive(Default)]
pub(super) struct Canonicalize {
    config: GreedyConfig,
    /// The options, as they stand in pipelines.
    options: Vec<String>,
}

impl Canonicalize {
    /// With options, which are those of the driver.
    ///
    /// # Errors
    /// There is no such option, or it is no positive number.
    pub(super) fn from_options(options: &str) -> Result<Canonicalize> {
        let mut made = Canonicalize::default();
        for option in options.split_whitespace() {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let value: Option<u32> = value.parse().ok().filter(|it| *it > 0);
            match (name, value) {
                ("max-iterations", Some(value)) => made.config.max_iterations = value as usize,
                ("max-rewrites", Some(value)) => made.config.max_rewrites = value.into(),
                _ => {
                    return Err(error::ir_error(format!(
                        "canonicalize has the options max-iterations and max-rewrites, which are positive numbers, not '{option}'"
                    )));
                }
            }
            made.options.push(option.to_owned());
        }
        Ok(made)
    }
}

impl Pass for Canonicalize {
    fn name(&self) -> &'static str {
        "canonicalize"
    }

    fn options(&self) -> String {
        self.options.join(" ")
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let mut patterns = control::control_patterns();
        patterns.push(Arc::new(AddConstants));
        apply_greedily(op, &patterns, &Any::None, self.config).map(drop)
    }
}
