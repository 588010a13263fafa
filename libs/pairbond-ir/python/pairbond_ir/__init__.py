"""A compiler IR that reads and writes MLIR's generic form; its handles never dangle.

Names and behaviour are those of MLIR's Python bindings where both have a thing; the README of the library says where
they differ.
"""

from typing import ClassVar

from pairbond import InvalidatedError as InvalidatedError

from . import _capsules as _capsules
from . import _casting as _casting
from . import _files as _files
from . import _given as _given
from . import _inferring as _inferring
from . import _matching as _matching
from . import _pickled as _pickled
from ._builders import AttrBuilder as AttrBuilder
from ._builders import register_attribute_builder as register_attribute_builder
from ._dialects import DialectDescriptor as DialectDescriptor
from ._dialects import Dialects as Dialects
from ._errors import DiagnosticInfo as DiagnosticInfo
from ._errors import ElementError as ElementError
from ._errors import IRError as IRError
from ._errors import PipelineError as PipelineError
from ._exchange import from_mlir as from_mlir
from ._exchange import to_mlir as to_mlir
from ._fields import Operand as Operand
from ._fields import Result as Result
from ._finding import get_ops_of_type as get_ops_of_type
from ._finding import get_parent_of_type as get_parent_of_type
from ._kinds import TypeID as TypeID
from ._pairbond_ir import *  # noqa: F403
from ._tracebacks import CurrentLocAction as CurrentLocAction
from ._tracebacks import OnExplicitAction as OnExplicitAction
from ._tracebacks import loc_tracebacks as loc_tracebacks
from .declaring import Dialect as Dialect
from .declaring import Trait as Trait
from .passes import Pass as Pass
from .passes import PassManager as PassManager
from .rewriting import Pattern as Pattern
from .rewriting import RewritePatternSet as RewritePatternSet
from .rewriting import apply_patterns_and_fold_greedily as apply_patterns_and_fold_greedily
from .rewriting import pattern as pattern

MLIRError = IRError


class _GlobalDebug:
    """Whether compilers write notes while they work: kept, and without effect, as there are none here."""

    flag: ClassVar[bool] = False
    types: ClassVar[list[str]] = []

    @classmethod
    def set_types(cls, types: str | list[str]) -> None:
        cls.types = [types] if isinstance(types, str) else list(types)


class WalkOrder:
    """In which order `walk` goes."""

    PRE_ORDER = "pre"
    POST_ORDER = "post"


class WalkResult:
    """What a callback of `walk` wants: go on, leave out what is inside, or end."""

    ADVANCE = "advance"
    SKIP = "skip"
    INTERRUPT = "interrupt"
