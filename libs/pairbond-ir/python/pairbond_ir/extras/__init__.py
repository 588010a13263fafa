"""Short ways to say things, where MLIR's bindings have them."""
