//! One element after the other.

use ndarray::IxDyn;

use super::View;

/// `f` of each element, in order.
pub(crate) fn map<A: Copy, O>(a: &View<'_, A>, f: impl Fn(A) -> O) -> Vec<O> {
    match a.as_slice() {
        Some(a) => a.iter().map(|&a| f(a)).collect(),
        None => a.iter().map(|&a| f(a)).collect(),
    }
}

/// `f` of the elements of both, stretched to `shape`.
///
/// # Panics
/// They cannot be stretched so: whoever calls has computed the shape from theirs.
pub(crate) fn zip<A: Copy, B: Copy, O: Copy>(
    a: &View<'_, A>,
    b: &View<'_, B>,
    shape: &[usize],
    f: impl Fn(A, B) -> O,
) -> Vec<O> {
    if let (Some(a), Some(b)) = (a.as_slice(), b.as_slice()) {
        if a.len() == b.len() {
            return a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
        }
        if let [b] = *b {
            return a.iter().map(|&a| f(a, b)).collect();
        }
        if let [a] = *a {
            return b.iter().map(|&b| f(a, b)).collect();
        }
    }
    let stretched = "stretched to a common shape";
    let a = a.broadcast(IxDyn(shape)).expect(stretched);
    let b = b.broadcast(IxDyn(shape)).expect(stretched);
    // Not with `Zip`, which goes in the order of memory where it may.
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}
