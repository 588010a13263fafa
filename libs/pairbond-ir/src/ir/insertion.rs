//! [`InsertionPoint`].

use std::any::Any as AnyType;
use std::rc::Rc;
use std::sync::OnceLock;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Block, Operation, place};
use crate::context::{self, Context, Frame, InsertionScope, pop_frame, push_frame};
use crate::op_definition::known;

/// Where new operations go: before an operation, or to the end of a block. In a `with` statement it
/// is where all go that are made inside.
#[pairbond::object("pairbond_ir.InsertionPoint", opaque)]
pub struct InsertionPoint {
    before: Option<Ref<Operation>>,
    end_of: Option<Ref<Block>>,
}

impl InsertionScope for Ref<InsertionPoint> {
    fn context(&self) -> Option<Ref<Context>> {
        InsertionPoint::context(self)
    }
}

/// The innermost insertion point of this thread, as [`context::innermost_insertion`] finds it.
pub(super) fn innermost_insertion() -> Option<Rc<Ref<InsertionPoint>>> {
    let found: Rc<dyn AnyType> = context::innermost_insertion()?;
    found.downcast().ok()
}

/// The same, as a reference of its own.
fn current_insertion() -> Option<Ref<InsertionPoint>> {
    innermost_insertion().map(|it| Ref::clone(&it))
}

/// Whether a frame is that of an insertion point.
fn is_frame_of(frame: &Frame, point: Borrow<'_, InsertionPoint>) -> bool {
    let Frame::Insertion(scope) = frame else {
        return false;
    };
    let scope: &dyn AnyType = &**scope;
    let found = scope.downcast_ref::<Ref<InsertionPoint>>();
    found.is_some_and(|it| it.as_borrow().is(point))
}

impl InsertionPoint {
    fn new_before(op: Ref<Operation>) -> Result<Self> {
        op.check()?;
        let (before, end_of) = (Some(op), None);
        Ok(InsertionPoint { before, end_of })
    }

    fn end_of(block: Ref<Block>) -> Self {
        let (before, end_of) = (None, Some(block));
        InsertionPoint { before, end_of }
    }

    /// The block whose end it is.
    pub(super) fn whole_block(&self) -> Option<&Ref<Block>> {
        self.end_of.as_ref()
    }

    /// The context of the surroundings, as far as that is known.
    pub(crate) fn context(&self) -> Option<Ref<Context>> {
        let own = self.before.as_ref().map(|it| it.context().clone());
        own.or_else(|| Block::owner_of(self.end_of.as_ref()?).map(|it| it.context().clone()))
    }

    /// Before an operation.
    pub(crate) fn before_operation(op: Ref<Operation>) -> Result<Ref<Self>> {
        InsertionPoint::new_before(op).map(Ref::new)
    }

    /// At the end of a block.
    pub(crate) fn at_end_of(block: Ref<Block>) -> Ref<Self> {
        Ref::new(InsertionPoint::end_of(block))
    }

    pub(crate) fn insert_or_move(&self, op: &Ref<Operation>) -> Result<()> {
        match (&self.before, &self.end_of) {
            (Some(before), _) => {
                before.check()?;
                place::move_before(op, before)
            }
            (None, Some(block)) => {
                block.check()?;
                let last = block.list(|it| &it.operations).last();
                // Those that are put where they stand already are not put behind themselves.
                if last.is_some_and(|it| !it.is(op) && known::is_terminator(it.name()) == Some(true)) {
                    return Err(behind_terminator());
                }
                place::at_end(op, block)
            }
            (None, None) => Ok(()),
        }
    }

    /// Where an argument `ip` says: an insertion point, a rewriter, whose listeners hear of it,
    /// False for nowhere, or None for that of the innermost `with`, if there is one.
    pub(super) fn place_at(ip: &Any, op: &Ref<Operation>) -> Result<()> {
        match ip {
            Any::None => current_insertion().map_or(Ok(()), |here| here.insert_or_move(op)),
            Any::Bool(false) => Ok(()),
            other => match other.downcast::<InsertionPoint>() {
                Some(there) => there.insert_or_move(op),
                None => place_with(REWRITERS.get(), other, op),
            },
        }
    }
}

/// Puts a new operation where a rewriter stands; `None` if `ip` is no rewriter.
pub(crate) type PlaceNew = fn(ip: &Any, op: &Ref<Operation>) -> Option<Result<()>>;

/// Set when the first rewriter is created ([`register_rewriters`]): until then no `ip` is one.
static REWRITERS: OnceLock<PlaceNew> = OnceLock::new();

/// Lets `ip` be a rewriter. Rewriters are above this module and make themselves known to it.
pub(crate) fn register_rewriters(place: PlaceNew) {
    REWRITERS.get_or_init(|| place);
}

fn place_with(rewriters: Option<&PlaceNew>, ip: &Any, op: &Ref<Operation>) -> Result<()> {
    let placed = rewriters.and_then(|place| place(ip, op));
    placed.unwrap_or_else(|| {
        Err(Error::type_error(
            "ip is an InsertionPoint, a PatternRewriter, False or None",
        ))
    })
}

#[cold]
fn behind_terminator() -> Error {
    Error::index_error(
        "Cannot insert operation at the end of a block that already has a terminator. Did you mean to use \
         'InsertionPoint.at_block_terminator(block)' versus 'InsertionPoint(block)'?",
    )
}

#[pairbond::methods]
impl InsertionPoint {
    /// Before an operation, or at the end of a block.
    #[new]
    fn new(before_or_block: Any) -> Result<Self> {
        if let Some(op) = before_or_block.downcast::<Operation>() {
            return InsertionPoint::new_before(op);
        }
        let block = before_or_block.downcast::<Block>();
        block
            .map(InsertionPoint::end_of)
            .ok_or_else(|| Error::type_error("expected an Operation or a Block"))
    }

    /// At the beginning of a block.
    #[classmethod]
    fn at_block_begin(block: Ref<Block>) -> Result<Ref<Self>> {
        match block.list(|it| &it.operations).first() {
            Some(first) => InsertionPoint::new_before(first).map(Ref::new),
            None => Ok(Ref::new(InsertionPoint::end_of(block))),
        }
    }

    /// Before the last operation of a block, which must be known to be a terminator: by its
    /// dialect, or because it was declared so. `ValueError` if it is not.
    #[classmethod]
    fn at_block_terminator(block: Ref<Block>) -> Result<Ref<Self>> {
        let last = block.list(|it| &it.operations).last();
        let last = last.filter(|it| known::is_terminator(it.name()) == Some(true));
        let last = last.ok_or_else(|| Error::value_error("Block has no terminator"))?;
        InsertionPoint::new_before(last).map(Ref::new)
    }

    /// Behind an operation.
    #[classmethod]
    fn after(operation: Ref<Operation>) -> Result<Ref<Self>> {
        if let Some(next) = operation.next_sibling() {
            return InsertionPoint::new_before(next).map(Ref::new);
        }
        let block = Operation::block_of(&operation);
        let block = block.ok_or_else(|| Error::value_error("the operation stands in no block"))?;
        Ok(Ref::new(InsertionPoint::end_of(block)))
    }

    /// The insertion point of the innermost `with` of this thread. `ValueError` outside of all.
    #[classmethod]
    #[getter(current)]
    fn current_here() -> Result<Ref<InsertionPoint>> {
        current_insertion().ok_or_else(|| Error::value_error("No current InsertionPoint"))
    }

    #[getter]
    fn block(&self) -> Result<Option<Ref<Block>>> {
        match &self.before {
            Some(before) => before.read(|| Operation::block_of(before)),
            None => Ok(self.end_of.clone()),
        }
    }

    #[getter]
    fn ref_operation(&self) -> Option<Ref<Operation>> {
        self.before.clone()
    }

    /// Puts an operation there that stands nowhere. Others are moved by `move_before`, `move_after`
    /// and a block's `append`.
    fn insert(&self, operation: Ref<Operation>) -> Result<()> {
        operation.check()?;
        if operation.parent().is_some() {
            return Err(Error::value_error(
                "Attempt to insert operation that is already attached; move_before, move_after and block.append move it",
            ));
        }
        self.insert_or_move(&operation)
    }

    fn __enter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        push_frame(Frame::Insertion(Rc::new(this.to_ref())));
        this
    }

    fn __exit__(this: Borrow<'_, Self>, kind: Any, error: Any, traceback: Any) -> Result<bool> {
        let _ = (kind, error, traceback);
        pop_frame(|frame| is_frame_of(frame, this))
    }
}
