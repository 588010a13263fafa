//! Operations, regions, blocks and values: nodes of one tree.
//!
//! # Promises, in order of weight
//! 1. A handle to any node keeps the whole tree, and an erased node says so: both are pairbond's
//!    ([`pairbond::tree`]). Nothing here holds a node otherwise: operands, uses and successors are
//!    weak references ([`uses`]), which find a node as long as its tree lives.
//! 2. An operand and the list of uses of its value agree, whatever was edited: both are changed
//!    under one lock, and nowhere else than in [`uses`].
//! 3. Objects of another context are refused where they would come in.
//! 4. Nothing recurses without [`crate::recursion::with_stack`].
//!
//! | node | its children, in order |
//! |---|---|
//! | [`Operation`] | results, regions |
//! | [`Region`] | blocks |
//! | [`Block`] | arguments, operations |
//! | [`Value`] ([`OpResult`], [`BlockArgument`]) | none |

mod block;
mod builders;
mod clone;
mod contexts;
mod copies;
mod create;
pub(crate) mod edits;
mod equal;
mod erase;
mod flow;
mod insertion;
mod iterate;
mod mapping;
mod module;
pub(crate) mod move_contents;
mod nesting;
mod op_metadata;
mod operand;
mod operation;
mod place;
pub(crate) mod read;
mod region;
mod sequences;
mod sight;
mod spot;
pub(crate) mod symbol_scope;
mod symbols;
mod traced;
mod use_list;
mod uses;
mod value;
mod value_ids;
mod walk;

pub use block::Block;
pub use builders::OpView;
pub(crate) use create::{Bare, Parts, bare_operation, build_detached, build_operation};
pub(crate) use flow::{Flow, predecessor_blocks, successor_blocks};
pub use insertion::InsertionPoint;
pub(crate) use insertion::register_rewriters;
pub use iterate::{BlockIterator, OperationIterator};
pub use mapping::OpAttributeMap;
pub use module::Module;
pub(crate) use module::empty_module;
pub(crate) use nesting::{Level, Path, each_inside};
pub(crate) use op_metadata::About;
pub use operand::OpOperand;
pub use operation::Operation;
pub(crate) use read::{is_plain, operand_definers, operation_results, peek_operands};
pub use region::Region;
pub use sequences::{
    BlockArgumentList, BlockList, OpOperandList, OpResultList, OpSuccessors, OperationList, RegionSequence,
};
pub(crate) use sight::{Seen, Sight};
pub(crate) use spot::Spot;
pub use symbols::SymbolTable;
pub(crate) use traced::{infer_location, trace_locations};
pub(crate) use uses::{
    all_operands, begin_partly as begin_operands, operand_at, operand_count, set_operand, uses_of,
};
pub use value::{BlockArgument, OpResult, Value};
pub(crate) use value::{location_of, new_argument, new_result, set_location as set_argument_location};
pub(crate) use walk::operations_in;
