//! Fields that data lacks: what their class says that they have by default.

use pairbond_core::error::Error;
use pairbond_core::object::ErasedRef;

use super::plan::{self, Default, Plan, Target};
use super::record_construct::of_default;
use crate::interp::Interp;

/// Gives a field of an object that has not been shared its default, by the number of the field in
/// the type's table. A field that no constructor sets stays empty.
///
/// # Errors
/// `ValueError`: the field has no default, or the class was not defined in this interpreter. What a
/// factory raises.
pub(crate) fn complete_field(object: &ErasedRef, number: usize) -> Result<(), Error> {
    let info = object.header().info();
    let interp = Interp::current()?;
    // SAFETY: attached; the interpreter keeps its classes.
    let plan = unsafe { plan::deciding_plan(interp.class_of(info)) };
    let name = || {
        let field = info.table().and_then(|table| table.fields().get(number));
        field.map_or("", |field| field.name())
    };
    let Some(plan) = plan.filter(|plan| std::ptr::eq(plan.info, info)) else {
        return Err(Error::value_error(format!(
            "the data lacks the field `{}` of {}; import the module that defines the class, which knows the default",
            name(),
            info.key()
        )));
    };
    let value = match default(plan, number) {
        None => return Ok(()),
        Some(Default::Required | Default::Theirs) => {
            return Err(Error::value_error(format!(
                "the data lacks the field `{}` of {}, which has no default",
                name(),
                info.key()
            )));
        }
        Some(default) => of_default(plan, number, default)?,
    };
    // SAFETY: the table's own field; the value is in its form.
    unsafe { plan.table.fields()[number].write(object.header(), Some(value)) };
    Ok(())
}

fn default(plan: &Plan, number: usize) -> Option<&Default> {
    let mut params = plan.params.iter();
    let param = params.find(|param| matches!(param.to, Target::Field(field) if field == number));
    match param {
        Some(param) => Some(&param.default),
        None => {
            let mut fixed = plan.fixed.iter();
            fixed
                .find(|(field, _)| *field == number)
                .map(|(_, default)| default)
        }
    }
}
