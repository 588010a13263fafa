"""What `match` takes for sequences, and for mappings, as of MLIR's bindings."""

from collections.abc import Mapping, Sequence
from typing import Any

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


def _register(abstract: Any, *classes: type) -> None:
    for cls in classes:
        abstract.register(cls)


_register(
    Sequence,
    BlockArgumentList,
    BlockList,
    OperationList,
    OpOperandList,
    OpResultList,
    OpSuccessors,
    RegionSequence,
)
_register(Mapping, OpAttributeMap)

# What MLIR's bindings say of their sequences: of which class the elements are.
_ELEMENTS: dict[Any, str] = {
    BlockArgumentList: "BlockArgument",
    OpOperandList: "Value",
    OpResultList: "OpResult",
    OpSuccessors: "Block",
    RegionSequence: "Region",
}
for _cls, _element in _ELEMENTS.items():
    _cls.__nb_signature__ = f"class {_cls.__name__}(collections.abc.Sequence[pairbond_ir.{_element}])"
