//! What `examples/dom` and `examples/lockgraph` do, bound with PyO3: nodes that own each other as
//! `Py<Node>`, and nodes in an arena with handles to them.

#[cfg(feature = "dom")]
mod arena;
#[cfg(feature = "dom")]
mod held;
#[cfg(feature = "lockgraph")]
mod lockgraph;

use pyo3::prelude::*;

#[pymodule]
mod pyo3_trees {
    #[cfg(feature = "dom")]
    #[pymodule_export]
    use crate::arena::arena;
    #[cfg(feature = "dom")]
    #[pymodule_export]
    use crate::held::held;
    #[cfg(feature = "lockgraph")]
    #[pymodule_export]
    use crate::lockgraph::lockgraph;
}
