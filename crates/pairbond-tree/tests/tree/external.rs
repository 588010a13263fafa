//! Types of nodes that another language defines.

use pairbond_core::object::{Object, Root};
use pairbond_core::types::{ExternalType, TraceFn, TypeInfo};
use pairbond_tree::{ExternalTree, Links, NodeFunctions, of_align};

unsafe extern "C-unwind" fn trace_nothing(_: *const u8, _: *const pairbond_core::trace::TracerTable) {}

fn register_external_type(trace: Option<TraceFn>) -> Result<&'static TypeInfo, pairbond_core::error::Error> {
    let functions = NodeFunctions {
        drop: None,
        trace,
        clear: None,
        name: None,
    };
    let tree = ExternalTree::new(None, 0, Vec::new(), functions, 8).unwrap();
    let nodes = of_align(8).unwrap();
    let of = ExternalType {
        key: "external.Node",
        base: Root::info(),
        size: size_of::<Links>(),
        align: 8,
        drop: Some(nodes.drop),
        trace: Some(nodes.trace),
        clear: Some(nodes.clear),
        has_trace: trace.is_some(),
        native_fields: true,
        node: Some(tree.node_type()),
        attributes: true,
        fields: &[],
    };
    // SAFETY: a value is its links; the functions are those of nodes.
    unsafe { TypeInfo::register_external(of) }
}

/// Another library must say of the type whether its author's function shows references.
#[test]
fn types_that_show_references_are_others_than_those_that_do_not() {
    let first = register_external_type(None).unwrap();
    assert!(std::ptr::eq(register_external_type(None).unwrap(), first));
    assert!(
        register_external_type(Some(trace_nothing))
            .unwrap_err()
            .to_string()
            .contains("external.Node")
    );
}
