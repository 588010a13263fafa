//! Verifying a declared operation: against its declaration, and then by its own verifier.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;
use pairbond::types::TypeInfo;

use super::complaint::operation_error;
use crate::context::attributes::AttributeHead;
use crate::context::types::Type;
use crate::ir::{Block, Operation, Value, all_operands, edits};
use crate::op_definition::{Arity, Declared, Part, Traits};
use crate::op_parts::Kind;

fn call_verifier(op: &Ref<Operation>, verifier: &Function) -> Result<()> {
    match verifier.call(&[op.clone().into()]) {
        Ok(Any::Bool(false)) => Err(operation_error(op, "failed to verify")),
        Ok(_) => Ok(()),
        Err(cause) => Err(operation_error(op, &format!("failed to verify: {cause}")).with_cause(cause)),
    }
}

type Checked = Result<(), String>;

fn is_one_of(it: &'static TypeInfo, kinds: &[&'static TypeInfo]) -> bool {
    kinds.is_empty() || kinds.iter().any(|kind| it.is_a(kind))
}

fn class_names(kinds: &[&'static TypeInfo]) -> String {
    let last = |it: &&'static TypeInfo| it.key().rsplit('.').next().unwrap_or_default().to_owned();
    kinds.iter().map(last).collect::<Vec<_>>().join(" or ")
}

fn all_same(mut types: impl Iterator<Item = Ref<Type>>) -> bool {
    match types.next() {
        Some(first) => types.all(|it| it.is(&first)),
        None => true,
    }
}

impl Declared {
    /// Checks one operation that is declared so, without the contents of its regions.
    ///
    /// # Errors
    /// `IRError`: the first violation. That of a Python verifier has the exception that it raised
    /// for its cause.
    pub(crate) fn check_operation(&self, op: &Ref<Operation>) -> Result<()> {
        let wrong = |what: String| operation_error(op, &what);
        self.check_values(op).map_err(wrong)?;
        self.check_attributes(op).map_err(wrong)?;
        self.check_place(op).map_err(wrong)?;
        self.check_regions(op).map_err(wrong)?;
        match &self.verifier {
            Some(verifier) => call_verifier(op, verifier),
            None => Ok(()),
        }
    }

    fn check_values(&self, op: &Ref<Operation>) -> Checked {
        let operands: Vec<Ref<Value>> = all_operands(op).into_iter().flatten().collect();
        let results: Vec<Ref<Value>> = op.list(|it| &it.results).iter().collect();
        self.check_types(op, Kind::Operand, &self.operands, &operands, "operand")?;
        self.check_types(op, Kind::Result, &self.results, &results, "result")?;
        self.part_ranges(op, Kind::Successor)?;
        self.part_ranges(op, Kind::Region)?;
        let types = |all: &[Ref<Value>]| all.iter().map(|it| it.r#type()).collect::<Vec<_>>();
        let (given, made) = (types(&operands), types(&results));
        if self.traits.has_trait(Traits::SAME_TYPE_OPERANDS) && !all_same(given.iter().cloned()) {
            return Err("requires all operands to have the same type".to_owned());
        }
        if self.traits.has_trait(Traits::SAME_OPERANDS_AND_RESULT_TYPE)
            && !all_same(given.into_iter().chain(made))
        {
            return Err("requires the same type for all operands and results".to_owned());
        }
        Ok(())
    }

    fn check_types(
        &self,
        op: &Ref<Operation>,
        kind: Kind,
        parts: &[Part],
        values: &[Ref<Value>],
        what: &str,
    ) -> Checked {
        for (part, places) in parts.iter().zip(self.part_ranges(op, kind)?) {
            for place in places {
                let r#type = values[place].r#type();
                if !is_one_of(r#type.header().info(), &part.kinds) {
                    let (wanted, found) = (class_names(&part.kinds), crate::print::type_text(&r#type));
                    return Err(format!(
                        "{what} #{place} ('{}') must be {wanted}, but is {found}",
                        part.name
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_attributes(&self, op: &Ref<Operation>) -> Checked {
        for part in &self.attributes {
            match edits::attribute(op, &part.name) {
                None if part.arity == Arity::One => {
                    return Err(format!("requires attribute '{}'", part.name));
                }
                Some(it) if !is_one_of(it.header().info(), &part.kinds) => {
                    let (wanted, found) = (class_names(&part.kinds), crate::print::attribute_text(&it));
                    return Err(format!(
                        "attribute '{}' must be {wanted}, but is {found}",
                        part.name
                    ));
                }
                _ => {}
            }
        }
        let is_text =
            |name| edits::attribute(op, name).is_some_and(|it| matches!(it.head(), AttributeHead::String(_)));
        if self.traits.has_trait(Traits::SYMBOL) && !is_text("sym_name") {
            return Err("requires string attribute 'sym_name'".to_owned());
        }
        Ok(())
    }

    fn check_place(&self, op: &Ref<Operation>) -> Checked {
        if self.parents.is_empty() {
            return Ok(());
        }
        match Operation::parent_operation(op) {
            Some(around) if self.parents.contains(around.name()) => Ok(()),
            _ => Err(format!(
                "expects parent op to be one of '{}'",
                self.parents.join(", ")
            )),
        }
    }

    fn check_regions(&self, op: &Ref<Operation>) -> Checked {
        let is_single = self.traits.has_trait(Traits::SINGLE_BLOCK | Traits::SYMBOL_TABLE);
        let has_no_arguments = self.traits.has_trait(Traits::NO_REGION_ARGUMENTS);
        if self.traits.has_trait(Traits::SYMBOL_TABLE) && op.list(|it| &it.regions).len() != 1 {
            return Err("requires one region, as a symbol table".to_owned());
        }
        for (number, region) in op.list(|it| &it.regions).iter().enumerate() {
            let blocks: Vec<Ref<Block>> = region.list(|it| &it.blocks).iter().collect();
            if is_single && blocks.len() > 1 {
                return Err(format!("expects region #{number} to have 0 or 1 blocks"));
            }
            let first = blocks.first();
            if has_no_arguments && first.is_some_and(|it| !it.list(|it| &it.arguments).is_empty()) {
                return Err(format!("region #{number} should have no arguments"));
            }
        }
        Ok(())
    }
}
