//! What Python sees of nodes, and of the history of tensors.

use pairbond::prelude::*;

use super::{Node, history, roots};
use crate::tensor::{T, Tensor, TensorBase};

impl Node {
    pub(crate) fn name(&self) -> String {
        match &self.rule {
            Some(rule) => rule.name().to_owned(),
            None => "AccumulateGrad".to_owned(),
        }
    }
}

#[pairbond::methods]
impl Node {
    /// What it is called.
    #[name("name")]
    fn get_name(&self) -> String {
        self.name()
    }

    /// Where the gradients that it gives go on: pairs of a node and the number of its input.
    #[getter]
    fn next_functions(&self) -> Edges {
        Edges(self.next.get())
    }

    fn __repr__(this: Borrow<'_, Self>) -> String {
        format!("<{} object at {:p}>", this.name(), this.to_ref().header())
    }
}

/// A tuple of pairs.
struct Edges(Vec<super::node::Edge>);

impl pairbond::IntoValue for Edges {
    fn into_value<S: pairbond::Sink>(mut self, out: S) -> Result<S::Out> {
        out.tuple(self.0.len(), &mut |index, slot| {
            let (node, input) = std::mem::take(&mut self.0[index]);
            (node, input).into_value(slot).map(drop)
        })
    }
}

/// The tensor that has this.
fn whole(this: Borrow<'_, TensorBase>) -> Result<T> {
    let tensor = this.to_ref().downcast::<Tensor>();
    tensor.map_err(|_| Error::type_error("a TensorBase is made as a Tensor"))
}

#[pairbond::methods]
impl TensorBase {
    /// Whether derivatives are computed for it.
    #[getter(requires_grad)]
    fn get_requires_grad(&self) -> bool {
        self.requires_grad()
    }

    #[setter(requires_grad)]
    fn put_requires_grad(this: Borrow<'_, Self>, wanted: bool) -> Result<()> {
        history::require_grad(&*whole(this)?, wanted)
    }

    /// The gradient that was accumulated.
    #[getter(grad)]
    fn get_grad(&self) -> Option<T> {
        self.grad.get()
    }

    #[setter(grad)]
    fn put_grad(&self, grad: Option<T>) -> Result<()> {
        if let Some(grad) = &grad
            && (grad.shape(), grad.dtype()) != (self.shape(), self.dtype())
        {
            return Err(Error::runtime_error(format!(
                "assigned grad has data of a different size or dtype: {:?} {}, not {:?} {}",
                grad.shape(),
                grad.dtype().name(),
                self.shape(),
                self.dtype().name()
            )));
        }
        self.grad.set(grad);
        Ok(())
    }

    /// What made it; None for a leaf.
    #[getter(grad_fn)]
    fn get_grad_fn(this: Borrow<'_, Self>) -> Result<Option<Ref<Node>>> {
        Ok(history::grad_fn(&*whole(this)?))
    }

    /// Which of the results of `grad_fn` it is.
    #[getter]
    fn output_nr(&self) -> u32 {
        self.output_number()
    }

    /// Whether nothing made it.
    #[getter]
    fn is_leaf(&self) -> bool {
        self.grad_fn.with(Option::is_none)
    }

    /// How often its memory was written to.
    #[getter]
    #[name("_version")]
    fn version(&self) -> u64 {
        self.storage.version()
    }

    /// Computes the gradients of the leaves that led here, and adds them to their `grad`.
    #[detach]
    fn backward(
        this: Borrow<'_, Self>,
        gradient: Option<T>,
        retain_graph: Option<bool>,
        #[default(false)] create_graph: bool,
    ) -> Result<()> {
        roots::backward(
            vec![whole(this)?],
            Some(vec![gradient]),
            retain_graph,
            create_graph,
        )
    }
}
