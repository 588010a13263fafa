"""What `match` takes for sequences, and for mappings, as of MLIR's bindings."""

from collections.abc import Mapping, Sequence

from ._pairbond_ir import (
    BlockArgumentList,
    BlockList,
    OpAttributeMap,
    OperationList,
    OpOperandList,
    OpResultList,
    OpSuccessors,
    RegionSequence,
)

for _list in (
    BlockArgumentList,
    BlockList,
    OperationList,
    OpOperandList,
    OpResultList,
    OpSuccessors,
    RegionSequence,
):
    Sequence.register(_list)
Mapping.register(OpAttributeMap)
