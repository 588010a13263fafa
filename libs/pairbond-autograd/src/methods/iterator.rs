//! [`TensorIterator`]: `for row in tensor`.

use pairbond::prelude::*;

use crate::ops;
use crate::tensor::{Key, T, Tensor, into_tensor_result};

/// A view of each place of the first dimension.
#[pairbond::object("pairbond_autograd.TensorIterator", opaque)]
pub struct TensorIterator {
    tensor: Ref<Tensor>,
    next: Cell<usize>,
}

impl TensorIterator {
    pub(super) fn over_tensor(tensor: Ref<Tensor>) -> Ref<TensorIterator> {
        Ref::new(TensorIterator {
            tensor,
            next: Cell::new(0),
        })
    }
}

#[pairbond::methods]
impl TensorIterator {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<Ref<Tensor>>> {
        let place = self.next.update(|next| {
            let now = *next;
            *next += 1;
            now
        });
        let tensor = T::from_tensor(self.tensor.clone());
        if tensor.shape().first().is_some_and(|&len| place >= len) {
            return Ok(None);
        }
        into_tensor_result(ops::get_item(&tensor, Key::from_place(place))).map(Some)
    }
}
