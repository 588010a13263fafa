//! Meanings of names while a text is read. Values may be used before they are defined: such uses
//! wait.

use std::collections::hash_map::Entry;

use pairbond::prelude::*;
use pairbond::tree::drop_all;

use super::Parser;
use super::name::Name;
use super::parse_error::Place;
use crate::context::types::Type;
use crate::fast::FastMap;
use crate::ir::{self, Operation, Value};
use crate::room::{Grow, Room};

/// A region that is being read.
#[derive(Default)]
pub(super) struct Scope {
    /// Names from outside are not visible inside, so it has a map of its own. The outermost region
    /// has one in any case.
    isolated: bool,
    /// The names that end with it, if it has no such map.
    names: Vec<Name>,
    waiting: FastMap<Name, Vec<Waiting>>,
}

/// The values of a name: mostly one.
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
pub(super) struct Waiting {
    pub(super) op: Ref<Operation>,
    pub(super) place: usize,
    pub(super) usage: Usage,
    /// Where the usage stands.
    pub(super) first: Place,
    pub(super) r#type: Ref<Type>,
}

/// `%name#number`
#[derive(Clone)]
pub(super) struct Usage {
    pub(super) name: Name,
    pub(super) number: usize,
    pub(super) start: usize,
    /// Its line and column, if it stands before regions: the text may be gone behind them.
    pub(super) place: Option<Place>,
}

/// A location that is an alias defined later: of an operation, or of an argument.
pub(super) struct Late {
    pub(super) op: Option<Ref<Operation>>,
    pub(super) argument: Option<Ref<Value>>,
    pub(super) alias: Name,
    pub(super) first: Place,
}

/// The names that are known where reading has come to.
#[derive(Default)]
pub(super) struct Body {
    scopes: Vec<Scope>,
    /// The values of names, a map for each isolated region, the innermost last: a name is defined
    /// once at a time, and is found in constant time at any depth.
    known: Vec<FastMap<Name, Values>>,
    pub(super) late: Vec<Late>,
}

impl Body {
    pub(super) fn enter_scope(&mut self, isolated: bool) {
        let isolated = isolated || self.scopes.is_empty();
        if isolated {
            self.known.room().push(FastMap::default());
        }
        self.scopes.room().push(Scope {
            isolated,
            ..Scope::default()
        });
    }

    /// Names that are not defined yet may be defined further out.
    pub(super) fn leave_scope(&mut self, parser: &Parser<'_>) -> Result<()> {
        let Some(scope) = self.scopes.pop() else {
            return Ok(());
        };
        let mut done = Vec::new();
        let mut end = |values| match values {
            Values::One(only) => done.room().push(only),
            Values::Several(all) => done.grow(all),
        };
        if scope.isolated {
            let known = self.known.pop().unwrap_or_default();
            known.into_values().for_each(end);
        } else if let Some(known) = self.known.last_mut() {
            scope
                .names
                .iter()
                .filter_map(|it| known.remove(it))
                .for_each(&mut end);
        }
        drop_all(done);
        match self.scopes.last_mut() {
            Some(outer) if !scope.isolated => {
                for (name, waiting) in scope.waiting {
                    outer.waiting.room().entry(name).or_default().grow(waiting);
                }
            }
            _ => {
                let first = scope.waiting.values().flatten().map(|it| it.first);
                if let Some(first) = first.min_by_key(|it| it.offset) {
                    return Err(parser.window.error_at(first, "use of undeclared SSA value name"));
                }
            }
        }
        Ok(())
    }

    /// An operand of a name that is not defined yet.
    pub(super) fn add_waiting(&mut self, waiting: Waiting) {
        if let Some(scope) = self.scopes.last_mut() {
            let all = (scope.waiting.room())
                .entry(waiting.usage.name.clone())
                .or_default();
            all.room().push(waiting);
        }
    }

    fn find_values(&self, name: &Name) -> Option<&Values> {
        self.known.last()?.get(name)
    }

    pub(super) fn define_values(
        &mut self,
        parser: &Parser<'_>,
        name: Name,
        start: usize,
        values: Values,
    ) -> Result<()> {
        let (Some(scope), Some(known)) = (self.scopes.last_mut(), self.known.last_mut()) else {
            return Ok(());
        };
        let found = match scope.waiting.is_empty() {
            true => None,
            false => scope.waiting.remove(&name),
        };
        match known.room().entry(name) {
            Entry::Vacant(place) => {
                if !scope.isolated {
                    scope.names.room().push(place.key().clone());
                }
                place.insert(values);
            }
            Entry::Occupied(other) => {
                let what = format!("redefinition of SSA value '{}'", other.key());
                return Err(parser.error_at(start, &what));
            }
        }
        for it in found.unwrap_or_default() {
            let value = self.check_value_type(parser, &it.usage, Some(it.first), &it.r#type)?;
            if let Some(value) = value {
                ir::set_operand(&it.op, it.place, &value)?;
            }
        }
        Ok(())
    }

    /// The value of a name, if it is defined; it must be of the type.
    pub(super) fn resolve_value(
        &self,
        parser: &Parser<'_>,
        usage: &Usage,
        r#type: &Ref<Type>,
    ) -> Result<Option<Ref<Value>>> {
        self.check_value_type(parser, usage, None, r#type)
    }

    /// The same of a usage that stands at the current operation, or at some place before it.
    fn check_value_type(
        &self,
        parser: &Parser<'_>,
        usage: &Usage,
        first: Option<Place>,
        r#type: &Ref<Type>,
    ) -> Result<Option<Ref<Value>>> {
        let error = |what: &str| match first.or(usage.place) {
            Some(first) => parser.window.error_at(first, what),
            None => parser.error_at(usage.start, what),
        };
        let Some(values) = self.find_values(&usage.name) else {
            return Ok(None);
        };
        let Some(value) = values.get(usage.number) else {
            return Err(error("reference to invalid result number"));
        };
        if !value.r#type().is(r#type) {
            let what = format!(
                "use of value '{}' expects different type than prior uses: '{}' vs '{}'",
                usage.name,
                crate::print::type_text(r#type),
                crate::print::type_text(&value.r#type())
            );
            return Err(error(&what));
        }
        Ok(Some(value.clone()))
    }

    /// Aliases of locations that were defined behind their uses.
    pub(super) fn resolve_locations(&mut self, parser: &Parser<'_>) -> Result<()> {
        for late in std::mem::take(&mut self.late) {
            let found = parser
                .attributes
                .get(&late.alias)
                .filter(|it| it.head().is_location());
            let what = || {
                parser
                    .window
                    .error_at(late.first, "operation location alias was never defined")
            };
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
