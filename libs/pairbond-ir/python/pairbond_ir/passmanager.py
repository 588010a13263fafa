"""`PassManager`, where MLIR's bindings have it."""

from .passes import PassManager as PassManager
