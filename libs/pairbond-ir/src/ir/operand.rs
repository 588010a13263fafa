//! [`OpOperand`]: a use of a value, as Python sees it.

use pairbond::prelude::*;

use super::{Operation, Value, uses};

/// One operand of an operation: a use of a value.
#[pairbond::object("pairbond_ir.OpOperand", opaque)]
pub struct OpOperand {
    /// The operation that uses the value.
    #[field]
    owner: Ref<Operation>,
    /// As which of its operands.
    #[field]
    operand_number: u32,
}

impl OpOperand {
    pub(super) fn of(owner: Ref<Operation>, operand_number: u32) -> Self {
        OpOperand {
            owner,
            operand_number,
        }
    }
}

#[pairbond::methods]
impl OpOperand {
    /// The value that is used.
    #[getter]
    fn value(&self) -> Result<Ref<Value>> {
        uses::operand(&self.owner, self.operand_number as usize)
    }

    fn __eq__(&self, other: &OpOperand) -> bool {
        self.owner.is(&other.owner) && self.operand_number == other.operand_number
    }

    fn __hash__(&self) -> u64 {
        (std::ptr::from_ref::<Operation>(&self.owner).addr() as u64) ^ u64::from(self.operand_number)
    }
}
