//! What names stand for while a text is read. Values may be used before they are defined: what is used so waits.

use pairbond::prelude::*;
use pairbond::tree::drop_all;

use super::Parser;
use crate::fast::FastMap;
use crate::ir::{self, Operation, Value};
use crate::types::Type;

/// What the names of a region stand for.
#[derive(Default)]
pub(super) struct Scope<'a> {
    values: FastMap<&'a str, Values>,
    /// Names from outside mean nothing in here.
    isolated: bool,
    waiting: FastMap<&'a str, Vec<Waiting<'a>>>,
}

/// What a name stands for: mostly one value.
pub(super) enum Values {
    One(Ref<Value>),
    Several(Vec<Ref<Value>>),
}

impl Values {
    fn get(&self, number: usize) -> Option<&Ref<Value>> {
        match self {
            Values::One(only) => (number == 0).then_some(only),
            Values::Several(all) => all.get(number),
        }
    }
}

/// An operand that is not defined yet.
pub(super) struct Waiting<'a> {
    pub(super) op: Ref<Operation>,
    pub(super) place: usize,
    pub(super) usage: Usage<'a>,
    pub(super) r#type: Ref<Type>,
}

/// `%name#number`
#[derive(Clone, Copy)]
pub(super) struct Usage<'a> {
    pub(super) name: &'a str,
    pub(super) number: usize,
    pub(super) start: usize,
}

/// A location that is an alias, which is defined behind what it is the location of: of an operation, or of an argument.
pub(super) struct Late<'a> {
    pub(super) op: Option<Ref<Operation>>,
    pub(super) argument: Option<Ref<Value>>,
    pub(super) alias: &'a str,
    pub(super) start: usize,
}

/// The names that are known where reading has come to.
#[derive(Default)]
pub(super) struct Body<'a> {
    pub(super) scopes: Vec<Scope<'a>>,
    pub(super) late: Vec<Late<'a>>,
}

impl<'a> Body<'a> {
    pub(super) fn enter(&mut self, isolated: bool) {
        self.scopes.push(Scope {
            isolated,
            ..Scope::default()
        });
    }

    /// What still waits may be defined further out.
    pub(super) fn leave(&mut self, parser: &Parser<'a>) -> Result<()> {
        let Some(scope) = self.scopes.pop() else {
            return Ok(());
        };
        let mut done = Vec::with_capacity(scope.values.len());
        for values in scope.values.into_values() {
            match values {
                Values::One(only) => done.push(only),
                Values::Several(all) => done.extend(all),
            }
        }
        drop_all(done);
        match self.scopes.last_mut() {
            Some(outer) if !scope.isolated => {
                for (name, waiting) in scope.waiting {
                    outer.waiting.entry(name).or_default().extend(waiting);
                }
            }
            _ => {
                let first = scope.waiting.values().flatten().map(|it| it.usage.start).min();
                if let Some(first) = first {
                    return Err(parser.error(first, "use of undeclared SSA value name"));
                }
            }
        }
        Ok(())
    }

    /// An operand of a name that is not defined yet.
    pub(super) fn wait(&mut self, waiting: Waiting<'a>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.waiting.entry(waiting.usage.name).or_default().push(waiting);
        }
    }

    fn find(&self, name: &str) -> Option<&Values> {
        for scope in self.scopes.iter().rev() {
            if let Some(found) = scope.values.get(name) {
                return Some(found);
            }
            if scope.isolated {
                return None;
            }
        }
        None
    }

    pub(super) fn define(
        &mut self,
        parser: &Parser<'a>,
        name: &'a str,
        start: usize,
        values: Values,
    ) -> Result<()> {
        if self.find(name).is_some() {
            return Err(parser.error(start, &format!("redefinition of SSA value '{name}'")));
        }
        let Some(scope) = self.scopes.last_mut() else {
            return Ok(());
        };
        scope.values.insert(name, values);
        if scope.waiting.is_empty() {
            return Ok(());
        }
        let found = scope.waiting.remove(name).unwrap_or_default();
        for it in found {
            let value = self.value(parser, it.usage, &it.r#type)?;
            if let Some(value) = value {
                ir::set_operand(&it.op, it.place, &value)?;
            }
        }
        Ok(())
    }

    /// The value of a name, if it is defined; it must be of the type.
    pub(super) fn value(
        &self,
        parser: &Parser<'a>,
        usage: Usage<'a>,
        r#type: &Ref<Type>,
    ) -> Result<Option<Ref<Value>>> {
        let Some(values) = self.find(usage.name) else {
            return Ok(None);
        };
        let Some(value) = values.get(usage.number) else {
            return Err(parser.error(usage.start, "reference to invalid result number"));
        };
        if !value.r#type().is(r#type) {
            let what = format!(
                "use of value '{}' expects different type than prior uses: '{}' vs '{}'",
                usage.name,
                crate::print::type_text(r#type),
                crate::print::type_text(&value.r#type())
            );
            return Err(parser.error(usage.start, &what));
        }
        Ok(Some(value.clone()))
    }

    /// Aliases of locations that were defined behind their uses.
    pub(super) fn locations(&mut self, parser: &Parser<'a>) -> Result<()> {
        for late in std::mem::take(&mut self.late) {
            let found = parser
                .attributes
                .get(late.alias)
                .filter(|it| it.head().is_location());
            let what = || parser.error(late.start, "operation location alias was never defined");
            let found = found.ok_or_else(what)?.clone();
            match (&late.op, &late.argument) {
                (Some(op), _) => op.put_location(found),
                (_, Some(argument)) => ir::set_argument_location(argument, found),
                _ => {}
            }
        }
        Ok(())
    }
}
