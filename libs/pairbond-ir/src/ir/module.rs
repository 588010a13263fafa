//! [`Module`]: the operation `builtin.module`.

use pairbond::prelude::*;
use pairbond::tree::{DetachedNode, TreeNode};

use super::{Block, OpView, Operation, Parts, build_operation};
use crate::context::attributes::{Location, unknown_location};
use crate::context::{Context, context_or_current, current_location};
use crate::error;

/// The name of modules.
pub(super) const MODULE: &str = "builtin.module";

/// The operation `builtin.module`, whose one block holds what a program consists of.
#[pairbond::object("pairbond_ir.Module", extends = OpView, opaque)]
pub struct Module {
    base: OpView,
}

/// An operation of that name.
pub(super) fn new_module(base: Operation) -> Ref<Operation> {
    Ref::new(Module {
        base: OpView { base },
    })
    .upcast()
    .upcast()
}

/// The same, to be planted.
pub(super) fn module_node(base: Operation) -> DetachedNode<Operation> {
    DetachedNode::new(Module {
        base: OpView { base },
    })
    .upcast()
    .upcast()
}

/// A module with an empty block.
pub(crate) fn empty_module(context: &Ref<Context>) -> Result<Ref<Operation>> {
    let location = current_location().filter(|it| it.context().is(context));
    let parts = Parts {
        name: MODULE,
        regions: 1,
        location: Some(location.unwrap_or_else(|| unknown_location(context))),
        ..Parts::default()
    };
    let module = build_operation(context.clone(), parts)?;
    let region = module.list(|it| &it.regions).first();
    let region = region.ok_or_else(|| error::ir_error("a module has a region"))?;
    region.list(|it| &it.blocks).push(&Block::new_detached())?;
    Ok(module)
}

#[pairbond::methods]
impl Module {
    /// An empty module.
    #[classmethod]
    #[name("create")]
    fn create_empty(loc: Option<Ref<Location>>, context: Option<Ref<Context>>) -> Result<Ref<Module>> {
        let context = context.or_else(|| loc.as_ref().map(|it| it.clone().upcast().context().clone()));
        let module = empty_module(&context_or_current(context)?)?;
        if let Some(location) = loc {
            crate::context::same_context(
                module.context(),
                location.clone().upcast().context(),
                "a location",
            )?;
            module.put_location(location.upcast());
        }
        Module::as_module(module)
    }

    /// An operation with a module's name is one.
    #[hidden]
    pub(crate) fn as_module(op: Ref<Operation>) -> Result<Ref<Module>> {
        op.downcast().map_err(|_| error::ir_error("this is no module"))
    }

    /// Its block.
    #[getter]
    fn body(this: Borrow<'_, Self>) -> Result<Ref<Block>> {
        let this: Ref<Operation> = this.to_ref().upcast().upcast();
        let region = this.list(|it| &it.regions).first();
        let block = region.and_then(|it| it.list(|it| &it.blocks).first());
        block.ok_or_else(|| error::ir_error("the module has no block"))
    }
}
