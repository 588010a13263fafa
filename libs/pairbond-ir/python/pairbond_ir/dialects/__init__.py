"""Operations of MLIR's dialects by the names that MLIR's bindings have for them.

Importing a module declares its operations for the process: from then on they are of its classes, and what MLIR
has among their properties is among them.
"""
