//! [`Value`]: what operations compute and blocks are given.

use pairbond::New;
use pairbond::prelude::*;
use pairbond::trace::Untraced;
use pairbond::tree::{DetachedNode, Guarded, Links, TreeGuard, TreeNode};

use super::use_list::Uses;
use super::{Block, OpOperand, Operation, uses};
use crate::class::cast_to_class;
use crate::context::attributes::{Attribute, Location, unknown_location};
use crate::context::types::Type;
use crate::context::{Context, same_context};
use crate::room::Gather;

/// A value: the result of an operation or the argument of a block.
#[pairbond::object("pairbond_ir.Value", tree, name = Self::describe_value, opaque)]
pub struct Value {
    links: Links,
    /// Its type, and its uses as an operand. See [`uses`].
    /// With a number that [`numbered`](super::value_ids) knows.
    about: Guarded<(Ref<Type>, Untraced<Uses>), u32>,
}

/// A result of an operation.
#[pairbond::object("pairbond_ir.OpResult", extends = Value, opaque, fast_getters)]
pub struct OpResult {
    base: Value,
}

/// An argument of a block.
#[pairbond::object("pairbond_ir.BlockArgument", extends = Value, opaque, fast_getters)]
pub struct BlockArgument {
    base: Value,
    location: Cell<Ref<Attribute>>,
}

#[inline(always)]
fn new_value(r#type: Ref<Type>) -> Value {
    Value {
        links: Links::new(),
        about: Guarded::beside((r#type, Untraced(Uses::default())), 0),
    }
}

/// A result that belongs to no operation yet.
pub(crate) fn new_result(r#type: Ref<Type>) -> Ref<Value> {
    Ref::new(OpResult {
        base: new_value(r#type),
    })
    .upcast()
}

/// The same, to be planted.
#[inline(always)]
pub(super) fn detached_node(r#type: Ref<Type>) -> DetachedNode<Value> {
    let room = DetachedNode::uninit();
    room.init_in_place(OpResult {
        base: new_value(r#type),
    })
    .upcast()
}

/// An argument that belongs to no block yet.
pub(crate) fn new_argument(r#type: Ref<Type>, location: Ref<Attribute>) -> Ref<Value> {
    let (base, location) = (new_value(r#type), Cell::new(location));
    Ref::new(BlockArgument { base, location }).upcast()
}

/// The location of an argument; of a result it is unknown.
pub(crate) fn location_of(value: &Ref<Value>) -> Ref<Attribute> {
    match value.clone().downcast::<BlockArgument>() {
        Ok(argument) => argument.location.get(),
        Err(value) => unknown_location(&value.context()),
    }
}

/// Says where an argument comes from.
pub(crate) fn set_location(value: &Ref<Value>, location: Ref<Attribute>) {
    if let Ok(argument) = value.clone().downcast::<BlockArgument>() {
        argument.location.set(location);
    }
}

impl Value {
    fn describe_value(&self) -> String {
        format!("of type {}", self.r#type())
    }

    /// Its type.
    #[must_use]
    pub fn r#type(&self) -> Ref<Type> {
        self.about.with(|(it, _)| it.clone())
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> Ref<Context> {
        self.about.with(|(it, _)| it.context().clone())
    }

    /// Looks at its type.
    pub(crate) fn with_type<R>(&self, guard: &TreeGuard, look: impl FnOnce(&Ref<Type>) -> R) -> R {
        self.about.with_in(guard, |(it, _)| look(it))
    }

    /// The same, with how often it is used.
    pub(super) fn with_type_and_count<R>(
        &self,
        guard: &TreeGuard,
        look: impl FnOnce(&Ref<Type>, usize) -> R,
    ) -> R {
        self.about
            .with_in(guard, |(it, uses)| look(it, uses.0.use_count()))
    }

    /// Reads its uses.
    pub(super) fn with_uses<R>(&self, look: impl FnOnce(&Uses) -> R) -> R {
        self.about.with(|(_, uses)| look(&uses.0))
    }

    /// Changes its uses, as [`uses`] does.
    pub(super) fn change_uses<R>(&self, guard: &TreeGuard, change: impl FnOnce(&mut Uses) -> R) -> R {
        self.about.update_in(guard, |(_, uses)| change(&mut uses.0))
    }

    /// Its number, if it is that: see [`numbered`](super::value_ids).
    pub(super) fn value_number(&self, guard: &TreeGuard) -> u32 {
        self.about.small_in(guard)
    }

    pub(super) fn set_number(&self, guard: &TreeGuard, number: u32) {
        self.about.set_small_in(guard, number);
    }

    /// Refuses a value of another context.
    pub(crate) fn of_context(&self, context: &Ref<Context>, what: &str) -> Result<()> {
        self.about
            .with(|(it, _)| it.context().is(context))
            .then_some(())
            .map_or_else(|| same_context(context, &self.context(), what), Ok)
    }

    /// Whether it may stand for another value, which is looked at nowhere: it is of the same
    /// context, and not erased.
    pub(super) fn may_replace(this: &Ref<Value>, guard: &TreeGuard, other: &Value) -> bool {
        let context = |of: &Value| of.with_type(guard, |it| std::ptr::from_ref(it.context().header()));
        context(this) == context(other) && !this.is_erased()
    }

    /// The operation that computes it.
    #[must_use]
    pub fn defining_op(this: &Ref<Value>) -> Option<Ref<Operation>> {
        this.parent().and_then(|it| it.downcast().ok())
    }

    /// The block that it is an argument of.
    #[must_use]
    pub fn block_of(this: &Ref<Value>) -> Option<Ref<Block>> {
        this.parent().and_then(|it| it.downcast().ok())
    }
}

#[pairbond::methods]
impl Value {
    #[getter]
    #[name("context")]
    fn its_context(&self) -> Ref<Context> {
        self.context()
    }

    /// Where it comes from: that of the operation that computes it, or its own.
    #[getter]
    fn location(this: Borrow<'_, Self>) -> Ref<Location> {
        let this = this.to_ref();
        cast_to_class(Value::defining_op(&this).map_or_else(|| location_of(&this), |it| it.location()))
    }

    #[getter]
    #[name("type")]
    fn type_now(&self) -> Ref<Type> {
        self.r#type()
    }

    /// Makes it a value of another type.
    fn set_type(&self, r#type: Ref<Type>) -> Result<()> {
        same_context(&self.context(), r#type.context(), "a type")?;
        drop(self.about.update(|(it, _)| std::mem::replace(it, r#type)));
        Ok(())
    }

    /// The operation that computes it, or the block that it is an argument of.
    #[getter]
    fn owner(this: Borrow<'_, Self>) -> Option<pairbond::refs::ErasedRef> {
        this.to_ref().parent()
    }

    /// The uses of the value, in no particular order.
    #[getter]
    fn uses(this: Borrow<'_, Self>) -> Vec<New<OpOperand>> {
        let all = uses::uses_of(&this.to_ref());
        all.into_iter()
            .map(|(op, place)| New(OpOperand::new_operand(op, place)))
            .gather()
    }

    #[getter]
    fn has_uses(this: Borrow<'_, Self>) -> bool {
        uses::is_used(&this.to_ref())
    }

    /// Replaces all uses of this value by another one.
    #[name("replace_all_uses_with")]
    fn replace_all(this: Borrow<'_, Self>, with_: Ref<Value>) -> Result<()> {
        uses::replace_unseen(this, &with_)
    }

    /// The same, but for one operation, or several.
    fn replace_all_uses_except(this: Borrow<'_, Self>, with_: Ref<Value>, exceptions: Any) -> Result<()> {
        let excepted: Vec<Ref<Operation>> = match exceptions.downcast::<Operation>() {
            Some(one) => vec![one],
            None => exceptions.to()?,
        };
        uses::replace_uses_where(&this.to_ref(), &with_, |op, _| {
            Ok(!excepted.iter().any(|it| it.is(op)))
        })
    }

    /// The same where a function says so, which is asked with each use.
    fn replace_uses_with_if(this: Borrow<'_, Self>, with_: Ref<Value>, condition: Function) -> Result<()> {
        uses::replace_uses_where(&this.to_ref(), &with_, |op, place| {
            condition
                .call(&[Ref::new(OpOperand::new_operand(op.clone(), place)).into()])?
                .to::<bool>()
        })
    }

    /// Itself: it is of its own class from the beginning.
    fn maybe_downcast(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }
}

#[pairbond::methods]
impl OpResult {
    #[getter]
    fn result_number(this: Borrow<'_, Self>) -> Result<usize> {
        let this: Ref<Value> = this.to_ref().upcast();
        let owner = Value::defining_op(&this)
            .ok_or_else(|| Error::value_error("the result belongs to no operation"))?;
        Ok(owner.list(|it| &it.results).index_of(&this).unwrap_or(0))
    }
}

#[pairbond::methods]
impl BlockArgument {
    #[getter]
    fn arg_number(this: Borrow<'_, Self>) -> Result<usize> {
        let this: Ref<Value> = this.to_ref().upcast();
        let owner =
            Value::block_of(&this).ok_or_else(|| Error::value_error("the argument belongs to no block"))?;
        Ok(owner.list(|it| &it.arguments).index_of(&this).unwrap_or(0))
    }

    #[getter]
    fn location(&self) -> Ref<Location> {
        cast_to_class(self.location.get())
    }

    fn set_location(&self, loc: Ref<Location>) -> Result<()> {
        let location: Ref<Attribute> = loc.upcast();
        same_context(&self.base.context(), location.context(), "a location")?;
        self.location.set(location);
        Ok(())
    }
}
