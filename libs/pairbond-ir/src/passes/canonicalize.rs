//! Canonicalisation: folds, dead code, and patterns for `arith`.

use std::sync::Arc;

use pairbond::prelude::*;

use super::Pass;
use crate::fold::AddConstants;
use crate::ir::Operation;
use crate::rewrite::{GreedyConfig, RewritePattern, apply_greedily};

pub(super) struct Canonicalize;

impl Pass for Canonicalize {
    fn name(&self) -> &'static str {
        "canonicalize"
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let patterns: [Arc<dyn RewritePattern>; 1] = [Arc::new(AddConstants)];
        apply_greedily(op, &patterns, &Any::None, GreedyConfig::default()).map(drop)
    }
}
