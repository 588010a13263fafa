"""`PassManager`, where MLIR's bindings have it."""

from .passes import ExternalPass as ExternalPass
from .passes import PassDisplayMode as PassDisplayMode
from .passes import PassManager as PassManager
