//! Nothing: `tests/ui.rs` has what the macros refuse.
