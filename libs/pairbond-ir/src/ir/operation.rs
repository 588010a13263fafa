//! [`Operation`].

use pairbond::New;
use pairbond::convert::Few;
use pairbond::prelude::*;
use pairbond::tree::{Children, Guarded, Links, TreeNode, with_lock};

use super::builders::infer_result_types;
use super::clone::Cloning;
use super::create::{Parts, create_at};
use super::insertion::InsertionPoint;
use super::op_metadata::About;
use super::use_list::Ends;
use super::{
    Block, OpAttributeMap, OpOperand, OpOperandList, OpResultList, OpSuccessors, Region, RegionSequence,
    Spot, Value, equal, erase, place, uses, walk,
};
use crate::class::cast_to_class;
use crate::context::attributes::{Attribute, Location};
use crate::context::types::Type;
use crate::context::{Context, same_context};
use crate::list_argument;

/// The base of all operations, modules included.
#[pairbond::object("pairbond_ir.Operation", tree, name = Self::name_or_erased, opaque)]
pub struct Operation {
    pub(super) links: Links,
    pub(crate) results: Children<Value>,
    pub(crate) regions: Children<Region>,
    pub(super) context: Ref<Context>,
    pub(super) name: Str,
    /// See [`super::uses`].
    #[untraced]
    pub(super) ends: Guarded<Ends>,
    /// With where in a text it was read, if its location is that of the text.
    pub(crate) about: Guarded<About, Spot>,
}

impl Operation {
    fn name_or_erased(&self) -> &str {
        &self.name
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &Str {
        &self.name
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &Ref<Context> {
        &self.context
    }

    /// The block that it stands in.
    #[must_use]
    pub fn block_of(this: &Ref<Operation>) -> Option<Ref<Block>> {
        this.parent().and_then(|it| it.downcast().ok())
    }

    /// The operation around it.
    #[must_use]
    pub fn parent_operation(this: &Ref<Operation>) -> Option<Ref<Operation>> {
        Operation::around_block(&Operation::block_of(this)?)
    }

    /// The operation around a block.
    pub(crate) fn around_block(block: &Ref<Block>) -> Option<Ref<Operation>> {
        Block::region_of(block)?.parent()?.downcast().ok()
    }
}

#[pairbond::methods]
impl Operation {
    /// A new operation, at `ip`: None is the insertion point of the innermost `with`, False is
    /// nowhere. With `infer_type` the types of its results are those that follow from the rest,
    /// unless they are given.
    #[classmethod]
    #[allow(clippy::too_many_arguments, reason = "they are MLIR's")]
    fn create(
        name: &str,
        mut results: Option<Few<Ref<Type>>>,
        operands: Option<Few<Ref<Value>>>,
        attributes: Option<list_argument::BTreeMap<Str, Ref<Attribute>>>,
        successors: Option<Vec<Ref<Block>>>,
        #[default(0)] regions: usize,
        loc: Option<Ref<Location>>,
        ip: Option<Any>,
        #[default(false)] infer_type: bool,
    ) -> Result<Ref<Operation>> {
        let mut attributes = attributes.map(|it| it.for_operation(name)).transpose()?;
        if infer_type && results.is_none() {
            results = Some(infer_result_types(
                name,
                operands.as_deref(),
                attributes.as_ref(),
            )?);
        }
        let mut parts = Parts {
            name,
            results: results.as_mut(),
            operands: operands.as_deref().unwrap_or_default(),
            attributes: attributes.as_mut(),
            successors: successors.as_deref().unwrap_or_default(),
            regions,
            location: loc.map(Ref::upcast),
        };
        create_at(&mut parts, &ip.unwrap_or(Any::None))
    }

    #[getter]
    #[name("context")]
    fn its_context(&self) -> Ref<Context> {
        self.context.clone()
    }

    #[getter]
    #[name("name")]
    fn its_name(&self) -> Str {
        self.name.clone()
    }

    /// Itself: there are no views of operations.
    #[getter]
    #[allow(clippy::self_named_constructors, reason = "it is MLIR's name")]
    fn operation(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    /// Itself.
    #[getter]
    fn opview(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    #[getter]
    fn operands(this: Borrow<'_, Self>) -> New<OpOperandList> {
        OpOperandList::new_list(this.to_ref())
    }

    /// The uses that its operands are.
    #[getter]
    fn op_operands(this: Borrow<'_, Self>) -> Vec<New<OpOperand>> {
        let this = this.to_ref();
        let all = 0..uses::operand_count(&this) as u32;
        all.map(|place| New(OpOperand::new_operand(this.clone(), place)))
            .collect()
    }

    /// Lets its operands that are one value be another one.
    fn replace_uses_of_with(this: Borrow<'_, Self>, of: Ref<Value>, with_: Ref<Value>) -> Result<()> {
        let this = this.to_ref();
        for place in 0..uses::operand_count(&this) {
            if uses::operand_at(&this, place)?.is(&of) {
                uses::set_operand(&this, place, &with_)?;
            }
        }
        Ok(())
    }

    #[getter]
    #[name("results")]
    fn its_results(this: Borrow<'_, Self>) -> New<OpResultList> {
        OpResultList::new_list(this.to_ref())
    }

    /// The only result.
    #[getter]
    fn result(this: Borrow<'_, Self>) -> Result<Ref<Value>> {
        let at_hand = with_lock(|guard| {
            let mut results = guard.children(&this.results);
            let only = results.next().filter(|_| results.next().is_none())?;
            guard.handle_beside(only, this)
        });
        if let Some(only) = at_hand {
            return Ok(only);
        }
        let this = this.to_ref();
        let results = this.list(|it| &it.results).to_vec();
        <[_; 1]>::try_from(results).map(|[only]| only).map_err(|all| {
            Error::value_error(format!(
                "Cannot call .result on operation {} which has {} results (it is only valid for operations with a \
                 single result)",
                this.name,
                all.len()
            ))
        })
    }

    #[getter]
    #[name("regions")]
    fn its_regions(this: Borrow<'_, Self>) -> New<RegionSequence> {
        RegionSequence::new_list(this.to_ref())
    }

    #[getter]
    #[name("successors")]
    fn its_successors(this: Borrow<'_, Self>) -> Ref<OpSuccessors> {
        OpSuccessors::for_operation(this.to_ref())
    }

    /// By name, those in the properties included.
    #[getter]
    #[name("attributes")]
    fn its_attributes(this: Borrow<'_, Self>) -> Ref<OpAttributeMap> {
        OpAttributeMap::for_operation(this.to_ref())
    }

    #[getter]
    #[name("location")]
    fn its_location(&self) -> Ref<Location> {
        cast_to_class(self.location())
    }

    #[setter]
    fn set_location(&self, location: Ref<Location>) -> Result<()> {
        let location: Ref<Attribute> = location.upcast();
        same_context(&self.context, location.context(), "a location")?;
        self.put_location(location);
        Ok(())
    }

    /// The operation around it; None for the outermost.
    #[getter]
    fn parent(this: Borrow<'_, Self>) -> Option<Ref<Operation>> {
        Operation::parent_operation(&this.to_ref())
    }

    #[getter]
    fn block(this: Borrow<'_, Self>) -> Option<Ref<Block>> {
        Operation::block_of(&this.to_ref())
    }

    /// Whether it stands in a block.
    #[getter]
    fn attached(this: Borrow<'_, Self>) -> bool {
        this.to_ref().parent().is_some()
    }

    #[getter]
    fn next(this: Borrow<'_, Self>) -> Option<Ref<Operation>> {
        this.to_ref().next_sibling()
    }

    #[getter]
    fn previous(this: Borrow<'_, Self>) -> Option<Ref<Operation>> {
        this.to_ref().previous_sibling()
    }

    /// Takes it out of its block; it lives on.
    fn detach_from_parent(this: Borrow<'_, Self>) -> Result<Ref<Operation>> {
        let this = this.to_ref();
        if this.parent().is_none() {
            return Err(Error::value_error("detached operation has no parent"));
        }
        this.detach()?;
        Ok(this)
    }

    /// Erases it and its contents. It is refused while its results have other uses, unless
    /// `drop_uses`: then their operands are gone.
    fn erase(
        this: Borrow<'_, Self>,
        #[keyword]
        #[default(false)]
        drop_uses: bool,
    ) -> Result<()> {
        erase::erase_operation(&this.to_ref(), drop_uses)
    }

    fn move_before(this: Borrow<'_, Self>, other: Ref<Operation>) -> Result<()> {
        place::move_before(&this.to_ref(), &other)
    }

    fn move_after(this: Borrow<'_, Self>, other: Ref<Operation>) -> Result<()> {
        place::move_after(&this.to_ref(), &other)
    }

    /// Whether it stands before another of the same block.
    fn is_before_in_block(this: Borrow<'_, Self>, other: Ref<Operation>) -> Result<bool> {
        place::is_before(&this.to_ref(), &other)
    }

    /// A copy of it and its contents, at `ip` as with `create`. Values from outside are used by the
    /// copy, or their replacements in `mapping`; the copies of results and arguments are put into
    /// `mapping`.
    #[detach]
    fn clone(
        this: Borrow<'_, Self>,
        ip: Option<Any>,
        #[keyword] mapping: Option<Map<Any, Any>>,
    ) -> Result<Ref<Operation>> {
        let this = this.to_ref();
        for (_, to) in mapping.iter().flat_map(Map::to_vec) {
            if let Some(to) = to.downcast::<Value>() {
                to.of_context(this.context(), "a value of the mapping")?;
            }
        }
        let cloning = Cloning::new(mapping)?;
        let copy = this.read(|| cloning.clone_whole(&this))??;
        InsertionPoint::place_at(&ip.unwrap_or(Any::None), &copy)?;
        Ok(copy)
    }

    /// Calls a function with each operation in it, and itself, or those of `op_class`: inner ones
    /// first, or `walk_order="pre"`. The function may return "skip" (its regions, in pre-order) or
    /// "interrupt". Says whether it went through. An exception of the function is the cause of a
    /// `RuntimeError`.
    fn walk(
        this: Borrow<'_, Self>,
        callback: Function,
        #[default("post")] walk_order: &str,
        op_class: Option<Any>,
    ) -> Result<bool> {
        let callback = match op_class {
            Some(class) => walk::of_class(callback, class)?,
            None => callback,
        };
        match walk_order {
            "post" => walk::post_order(&this.to_ref(), &callback),
            "pre" => walk::pre_order(&this.to_ref(), &callback),
            _ => Err(Error::value_error("walk_order is \"pre\" or \"post\"")),
        }
    }

    /// Whether another operation is the same but for names, places and locations: the same
    /// operations in it, connected alike. Values used from outside must be identical.
    fn structural_equal(this: Borrow<'_, Self>, other: Ref<Operation>) -> Result<bool> {
        let this = this.to_ref();
        other.read(|| this.read(|| equal::structurally_equal(&this, &other)))?
    }

    /// Equal for operations that are structurally equal, until they are edited.
    fn structural_hash(this: Borrow<'_, Self>) -> Result<u64> {
        let this = this.to_ref();
        this.read(|| equal::structural_hash(&this))
    }
}
