//! [`OpOperand`]: a use of a value, as Python sees it.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Operation, Value, uses};

/// One operand of an operation: a use of a value.
#[pairbond::object("pairbond_ir.OpOperand", opaque)]
pub struct OpOperand {
    /// The operation that uses the value.
    owner: Ref<Operation>,
    /// As which of its operands.
    operand_number: u32,
}

impl OpOperand {
    pub(super) fn new_operand(owner: Ref<Operation>, operand_number: u32) -> Self {
        OpOperand {
            owner,
            operand_number,
        }
    }
}

#[pairbond::methods]
impl OpOperand {
    /// The operation that uses the value.
    #[getter]
    fn owner(&self) -> Result<Ref<Operation>> {
        self.owner.check()?;
        Ok(self.owner.clone())
    }

    /// As which of its operands the operation uses the value.
    #[getter]
    fn operand_number(&self) -> Result<u32> {
        self.owner.check()?;
        Ok(self.operand_number)
    }

    /// The value that is used.
    #[getter]
    fn value(&self) -> Result<Ref<Value>> {
        self.owner.check()?;
        uses::operand_at(&self.owner, self.operand_number as usize)
    }

    fn __eq__(&self, other: &OpOperand) -> bool {
        self.owner.is(&other.owner) && self.operand_number == other.operand_number
    }

    fn __hash__(&self) -> u64 {
        (std::ptr::from_ref::<Operation>(&self.owner).addr() as u64) ^ u64::from(self.operand_number)
    }
}
