//! The greedy driver: folds, patterns and dead code, again and again until nothing applies.

mod worklist;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use pairbond::prelude::*;
use pairbond::tree::{TreeNode, reason};

use crate::by_name::ByName;
use crate::control;
use crate::error;
use crate::fold::{Constants, Effects, Folded, Kind, fold_arith};
use crate::ir::{InsertionPoint, Operation, all_operands, edits, operand_at, set_operand};
use crate::rewrite::{PatternRewriter, PythonPattern, RewritePattern};
use worklist::Worklist;

/// How far the driver goes.
#[derive(Clone, Copy, Debug)]
pub struct GreedyConfig {
    /// How often all operations are looked at.
    pub max_iterations: usize,
    /// How many edits there may be for each operation that there was, and a thousand: what goes on
    /// and on is stopped.
    pub max_rewrites: u64,
    /// Whether constants are folded and dead operations erased.
    pub fold: bool,
    /// Whether unreachable blocks and unneeded block arguments are erased.
    pub simplify_regions: bool,
}

impl Default for GreedyConfig {
    fn default() -> Self {
        GreedyConfig {
            max_iterations: 10,
            max_rewrites: 1000,
            fold: true,
            simplify_regions: true,
        }
    }
}

/// Applies patterns to the contents of an operation, until none applies. Returns whether there was
/// an edit.
///
/// # Errors
/// `IRError`: it did not end in time. Exceptions of patterns and listeners. Earlier edits stay.
pub fn apply_greedily(
    op: &Ref<Operation>,
    patterns: &[Arc<dyn RewritePattern>],
    listener: &Any,
    config: GreedyConfig,
) -> Result<bool> {
    op.check()?;
    let worklist = Arc::new(Worklist::default());
    let at = InsertionPoint::before_operation(op.clone())?;
    let rewriter = Ref::new(PatternRewriter::for_driver(at, listener, Some(worklist.clone()))?);
    let mut sorted = patterns.to_vec();
    sorted.sort_by_key(|it| std::cmp::Reverse(it.benefit()));
    let is_closed = matches!(listener, Any::None) && sorted.iter().all(|it| it.stays_inside());
    let find = |name: &str| {
        let looks = |(place, it): (usize, &Arc<dyn RewritePattern>)| {
            it.root().is_none_or(|root| *root == *name).then_some(place)
        };
        Rc::new(Named {
            kind: Kind::from_name(name),
            patterns: sorted.iter().enumerate().filter_map(looks).collect(),
        })
    };
    let driver = Driver {
        root: op,
        patterns: &sorted,
        is_closed,
        named: RefCell::new(ByName::new(&find)),
        worklist: &worklist,
        rewriter: &rewriter,
        config,
    };
    let done = driver.run_to_fixpoint();
    rewriter.end_driver();
    done.map(|()| rewriter.change_count() > 0)
}

/// The patterns and folders for operations of a name: looked up once.
struct Named {
    kind: Kind,
    /// The places of the patterns that look at them, in order.
    patterns: Vec<usize>,
}

/// Finds out what concerns the operations of a name.
type Find<'a> = dyn Fn(&str) -> Rc<Named> + 'a;

struct Driver<'a> {
    root: &'a Ref<Operation>,
    patterns: &'a [Arc<dyn RewritePattern>],
    /// Whether no operation leaves the root.
    is_closed: bool,
    named: RefCell<ByName<Rc<Named>, &'a Find<'a>>>,
    worklist: &'a Worklist,
    rewriter: &'a Ref<PatternRewriter>,
    config: GreedyConfig,
}

impl Driver<'_> {
    fn run_to_fixpoint(&self) -> Result<()> {
        for _ in 0..self.config.max_iterations {
            let before = self.rewriter.change_count();
            let settled = self.run_once()?;
            if settled || self.rewriter.change_count() == before {
                return Ok(());
            }
        }
        Err(self.endless_error(&format!("{} iterations", self.config.max_iterations)))
    }

    fn endless_error(&self, what: &str) -> Error {
        error::ir_error(format!(
            "rewriting '{}' did not come to an end in {what}; what was done stays done",
            self.root.name()
        ))
    }

    /// Visits all operations, and those again that an edit may concern. Returns whether nothing
    /// can apply any more: no pattern looked at an operation, nothing but this edits, and whether
    /// an operation folds or is dead depends on its operands, the uses of its results and its
    /// contents. A change of operands or uses had it visited again, and only unreachable blocks
    /// take more than dead operations out of others.
    fn run_once(&self) -> Result<bool> {
        let mut settled = self.is_closed;
        let mut all = edits::inside(self.root);
        let most = self.config.max_rewrites.saturating_mul(all.len() as u64 + 1);
        let most = self.rewriter.change_count().saturating_add(most);
        let (mut constants, effects) = (Constants::new(!self.is_closed), Effects::default());
        if self.config.fold {
            for op in all.iter().skip(1).filter(|it| !it.is_erased()) {
                constants.unify_constant(op, self.rewriter)?;
            }
        }
        all.remove(0);
        all.retain(|it| !it.is_erased());
        self.worklist.push_all(all);
        loop {
            while let Some(op) = self.worklist.pop() {
                if op.is_erased() || op.is(self.root) || !self.is_inside(&op) {
                    continue;
                }
                let named = self.named_patterns(&op);
                if self.config.fold && self.fold_or_erase(&op, named.kind, &mut constants, &effects)? {
                    continue;
                }
                settled &= named.patterns.is_empty();
                self.apply_patterns(&op, &named)?;
                if self.rewriter.change_count() > most {
                    return Err(self.endless_error(&format!("{most} edits")));
                }
            }
            // Each step may make the next one possible, again and again.
            if !self.config.simplify_regions || !control::simplify_regions(self.root, self.rewriter)? {
                return Ok(settled);
            }
            settled = false;
        }
    }

    fn is_inside(&self, op: &Ref<Operation>) -> bool {
        self.is_closed || op.is_in(self.root)
    }

    fn named_patterns(&self, op: &Ref<Operation>) -> Rc<Named> {
        self.named.borrow_mut().get_or_find(op.name()).clone()
    }

    /// Erases dead operations, folds constants. Returns whether the operation is gone.
    fn fold_or_erase(
        &self,
        op: &Ref<Operation>,
        kind: Kind,
        constants: &mut Constants,
        effects: &Effects,
    ) -> Result<bool> {
        if kind.is_dead(op, self.root, effects) {
            self.rewriter.erase_operation(op)?;
            return Ok(true);
        }
        match fold_arith(op, kind) {
            None => Ok(false),
            Some(Folded::Swap) => {
                let values = all_operands(op);
                if let [Some(a), Some(b)] = &*values {
                    set_operand(op, 0, b)?;
                    set_operand(op, 1, a)?;
                    self.rewriter.modified(op)?;
                }
                Ok(true)
            }
            Some(Folded::Operand(place)) => {
                let value = operand_at(op, place)?;
                // Its own result, in a cycle that nothing reaches.
                if op.list(|it| &it.results).contains(&value) {
                    return Ok(false);
                }
                self.rewriter.replace(op, &[value]).map(|()| true)
            }
            Some(Folded::Constant(attribute)) => {
                match constants.get_or_create(&attribute, op, self.rewriter)? {
                    Some(value) => self.rewriter.replace(op, &[value]).map(|()| true),
                    None => Ok(false),
                }
            }
        }
    }

    fn apply_patterns(&self, op: &Ref<Operation>, named: &Named) -> Result<()> {
        for pattern in named.patterns.iter().map(|it| &self.patterns[*it]) {
            let before = self.rewriter.change_count();
            self.rewriter.stand_before(op)?;
            {
                let _scope = reason(pattern.name());
                pattern.rewrite(op, self.rewriter)?;
            }
            if self.rewriter.change_count() != before {
                if !op.is_erased() {
                    self.worklist.push(op);
                }
                return Ok(());
            }
            // It may have been erased without the rewriter.
            if op.is_erased() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Applies patterns to the contents of an operation, until none applies; folds constants and erases
/// dead code, too, unless `fold` is false, and blocks and arguments of blocks that are not needed,
/// unless `simplify_regions` is. Returns whether there was an edit.
///
/// Of patterns with the same root those of greater benefit are tried first, then those that come
/// first.
#[pairbond::function]
#[detach]
pub(crate) fn apply_patterns(
    operation: Ref<Operation>,
    patterns: Vec<Ref<PythonPattern>>,
    #[keyword] listener: Option<Any>,
    #[keyword]
    #[default(10)]
    max_iterations: usize,
    #[keyword]
    #[default(true)]
    fold: bool,
    #[keyword]
    #[default(true)]
    simplify_regions: bool,
) -> Result<bool> {
    let patterns: Vec<Arc<dyn RewritePattern>> =
        patterns.into_iter().map(|it| Arc::new(it) as Arc<_>).collect();
    let config = GreedyConfig {
        max_iterations,
        fold,
        simplify_regions,
        ..GreedyConfig::default()
    };
    apply_greedily(&operation, &patterns, &listener.unwrap_or(Any::None), config)
}
