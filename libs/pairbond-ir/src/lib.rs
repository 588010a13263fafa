//! A compiler IR that reads and writes MLIR's generic form. README.md describes its purpose.
//!
//! # Modules, from the bottom to the top
//! Each imports those above it in this list only. A class is defined where its data is; what a
//! higher module does with it (printing, parsing, verifying) is an `impl` block in that module,
//! which Python sees as methods of the class all the same.
//!
//! Below them all is the crate pairbond-ir-tools, which knows no IR; its modules `by_name`,
//! `error`, `fast`, `numbers` and `room` are also called `crate::by_name` and so on. Rust tests are
//! in that crate only, so that this one is compiled once: what needs some belongs there.
//!
//! 1. `class`, `list_argument`, `slices`, `recursion`: tools.
//! 2. `op_definition`: properties of operations by their names, declared by programs or built in.
//! 3. `affine`: affine expressions, maps and sets as plain values.
//! 4. `context`: contexts, and the `types` and `attributes` that exist once in each. They are one
//!    module: a context owns tables of both, each of them holds its context, and types contain
//!    attributes as attributes contain types.
//! 5. `ir`: operations, regions, blocks and values, and edits of them.
//! 6. `print`: their text. Then `affine_classes`: the classes of affine expressions, maps and sets;
//!    and `diagnostics`: messages for the handlers of a context.
//! 7. `parse`: reads text.
//! 8. `op_parts`: parts of operations as their declarations name them.
//! 9. `verify`: checks operations.
//! 10. `rewrite`: patterns, their rewriter and listeners. Then `fold` and `control`: constant
//!     folding, and simplification of regions and branches; and `greedy`: the driver of all three.
//! 11. `passes`: passes and their manager.
#![forbid(unsafe_code)]

#[macro_use]
mod class;

mod affine;
mod affine_classes;
mod context;
mod control;
mod diagnostics;
mod fold;
mod greedy;
mod ir;
mod list_argument;
mod op_definition;
mod op_parts;
mod parse;
mod passes;
mod print;
mod recursion;
mod rewrite;
mod slices;
mod verify;

use pairbond_ir_tools::{by_name, error, fast, numbers, room};

pub use affine::*;
pub use affine_classes::*;
pub use context::attributes::*;
pub use context::types::*;
pub use context::{Context, DiagnosticHandler, ThreadPool};
pub use diagnostics::{Diagnostic, Severity};
use greedy::apply_patterns;
pub use greedy::{GreedyConfig, apply_greedily};
use ir::trace_locations;
pub use ir::{
    Block, BlockArgument, BlockArgumentList, BlockIterator, BlockList, InsertionPoint, Module,
    OpAttributeMap, OpOperand, OpOperandList, OpResult, OpResultList, OpSuccessors, OpView, Operation,
    OperationIterator, OperationList, Region, RegionSequence, SymbolTable, Value,
};
pub use numbers::{Digits, FloatKind, Sign};
use op_definition::declare;
use op_parts::{attribute_of, part_of, parts_of, set_attribute_of, set_part_of};
pub use parse::read_module;
pub use passes::{Pass, PassItem, PassManager, PythonPass};
pub use print::AsmState;
pub use rewrite::{Listener, PatternRewriter, PythonPattern, RewriteListener, RewritePattern};

pairbond::module!(
    /// The native half of `pairbond_ir`.
    _pairbond_ir {
        Context, ThreadPool,
        Type, Sign, IntegerType, IndexType, NoneType, ComplexType, FunctionType, TupleType, OpaqueType,
        ShapedType, VectorType, RankedTensorType, UnrankedTensorType, MemRefType, UnrankedMemRefType,
        FloatType, Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType, Float8E3M4Type, Float8E4M3Type,
        Float8E4M3FNType, Float8E4M3FNUZType, Float8E4M3B11FNUZType, Float8E5M2Type, Float8E5M2FNUZType,
        Float8E8M0FNUType, BF16Type, F16Type, FloatTF32Type, F32Type, F64Type, F80Type, F128Type,
        Attribute, NamedAttribute, ArrayAttr, DictAttr, SymbolRefAttr, FlatSymbolRefAttr, UnitAttr, StringAttr,
        TypeAttr, AffineMapAttr, IntegerSetAttr, StridedLayoutAttr, OpaqueAttr, DistinctAttr, IntegerAttr, BoolAttr,
        FloatAttr, DenseElementsAttr, DenseIntElementsAttr, DenseFPElementsAttr, DenseStringElementsAttr, DenseArrayAttr,
        DenseBoolArrayAttr, DenseI8ArrayAttr, DenseI16ArrayAttr, DenseI32ArrayAttr, DenseI64ArrayAttr, DenseF32ArrayAttr,
        DenseF64ArrayAttr, DenseResourceElementsAttr,
        SparseElementsAttr,
        Severity, Diagnostic, DiagnosticHandler,
        Location, UnknownLoc, FileLineColLoc, NameLoc, CallSiteLoc, FusedLoc,
        AffineExprObject, AffineConstantExpr, AffineDimExpr, AffineSymbolExpr, AffineBinaryExpr, AffineAddExpr, AffineMulExpr,
        AffineModExpr, AffineFloorDivExpr, AffineCeilDivExpr, AffineMapObject, IntegerSetObject, IntegerSetConstraint,
        Operation, OpView, Module, Region, Block, Value, OpResult, BlockArgument, OpOperand, InsertionPoint, OpAttributeMap,
        OperationList, BlockList, RegionSequence, BlockArgumentList, OpResultList, OpOperandList, OpSuccessors,
        OperationIterator, BlockIterator, SymbolTable, AsmState,
        RewriteListener, PythonPattern, PatternRewriter,
        PassItem, PythonPass, PassManager,
        apply_patterns, trace_locations, declare, part_of, parts_of, set_part_of, attribute_of, set_attribute_of
    }
);
