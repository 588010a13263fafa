//! Anomaly mode: nodes remember where they were made, and an error on the way back says so.
//! Gradients that are no numbers are errors, too.

use pairbond::prelude::*;

use crate::graph::{Grads, Named, Node, dispatch};
use crate::state::{self, Tracing};

/// Begins or ends it for this thread.
#[pairbond::function]
#[name("_set_anomaly")]
pub fn set_anomaly(
    #[required] place: Option<Function>,
    #[required] warn: Option<Function>,
    #[default(true)] check_nan: bool,
) {
    let tracing = place.zip(warn).map(|(place, warn)| Tracing {
        place,
        warn,
        check_nan,
    });
    let before = state::with_state(|state| state.tracing.replace(tracing));
    drop(before);
}

fn anomaly_tracing() -> Option<Tracing> {
    state::with_state(|state| state.tracing.borrow().clone())
}

/// Remembers where a node is made.
pub(crate) fn trace_creation(node: &Node) -> Result<()> {
    if let Some(tracing) = anomaly_tracing() {
        let place = tracing.place.call(&[])?;
        node.metadata().insert("traceback_".into(), place)?;
    }
    Ok(())
}

/// Shows where a node that failed was made.
pub(super) fn explain_failure(node: &Ref<Node>, error: Error) -> Error {
    let Some(tracing) = anomaly_tracing() else {
        return error;
    };
    let place = node.metadata().get(&Any::from("traceback_")).ok().flatten();
    let told = tracing
        .warn
        .call(&[node.name().into(), place.unwrap_or_default()]);
    // A warning that is an error takes its place.
    told.err().unwrap_or(error)
}

/// Looks for NaNs.
pub(super) fn check_nan(node: &Ref<Node>, grads: &Grads) -> Result<()> {
    if !anomaly_tracing().is_some_and(|tracing| tracing.check_nan) {
        return Ok(());
    }
    for (place, grad) in grads.iter().enumerate() {
        if let Some(grad) = grad
            && dispatch::has_nan(grad)?
        {
            return Err(Error::runtime_error(format!(
                "Function '{}' returned nan values in its {place}th output.",
                node.name()
            )));
        }
    }
    Ok(())
}
