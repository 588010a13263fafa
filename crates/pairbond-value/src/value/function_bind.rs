//! Arguments onto the parameters of a native function, complaining in the words that Python uses.

use super::function::Given;
use super::function_build::{Described, Fallback, Parameter};
use crate::error::Error;
use crate::types::ParameterKind;
use crate::value::{Any, Map, Str};

/// Parameters that are bound on the stack.
const FEW: usize = 8;

impl Described {
    pub(super) fn bind_arguments<R>(
        &self,
        arguments: &[Any],
        names: &[&str],
        run: impl FnOnce(&Given<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        assert!(names.len() <= arguments.len(), "each name belongs to an argument");
        let Some(parameters) = &self.parameters else {
            return match names.first() {
                Some(_) => Err(Error::type_error(format!(
                    "{}() takes no keyword arguments",
                    self.name
                ))),
                None => run(&Given {
                    parameters: &[],
                    rest: arguments,
                }),
            };
        };
        if parameters.is_empty() && arguments.is_empty() {
            return run(&Given::from_bound(&[]));
        }
        let (mut few, mut many);
        let places: &mut [Option<&Any>] = if parameters.len() <= FEW {
            few = [None; FEW];
            &mut few[..parameters.len()]
        } else {
            many = vec![None; parameters.len()];
            &mut many
        };
        let surplus = surplus_keywords(parameters, &arguments[arguments.len() - names.len()..], names)?;
        let (given, named) = arguments.split_at(arguments.len() - names.len());
        let rest = self.by_position(parameters, given, places)?;
        for (name, value) in names.iter().zip(named) {
            self.by_name(parameters, name, value, places)?;
        }
        if let Some((at, surplus)) = &surplus {
            places[*at] = Some(surplus);
        }
        for (parameter, place) in parameters.iter().zip(places.iter_mut()) {
            if place.is_none() {
                match &parameter.default {
                    Fallback::Value(value) => *place = Some(value),
                    Fallback::Required if !parameter.kind.takes_rest() => {
                        return Err(self.missing_error(parameters, &places[..]));
                    }
                    _ => {}
                }
            }
        }
        run(&Given {
            parameters: places,
            rest,
        })
    }

    fn by_position<'a>(
        &self,
        parameters: &[Parameter],
        given: &'a [Any],
        places: &mut [Option<&'a Any>],
    ) -> Result<&'a [Any], Error> {
        let count = parameters
            .iter()
            .take_while(|p| p.kind == ParameterKind::Standard)
            .count();
        let (first, rest) = given.split_at(given.len().min(count));
        for (place, value) in places.iter_mut().zip(first) {
            *place = Some(value);
        }
        if rest.is_empty() || parameters.iter().any(|p| p.kind == ParameterKind::Rest) {
            return Ok(rest);
        }
        let fewest = parameters[..count].iter().filter(|p| p.is_required()).count();
        let takes = if fewest < count {
            format!("from {fewest} to {count}")
        } else {
            count.to_string()
        };
        Err(Error::type_error(format!(
            "{}() takes {takes} positional argument{} but {} {} given",
            self.name,
            if count == 1 { "" } else { "s" },
            given.len(),
            if given.len() == 1 { "was" } else { "were" },
        )))
    }

    fn by_name<'a>(
        &self,
        parameters: &[Parameter],
        name: &str,
        value: &'a Any,
        places: &mut [Option<&'a Any>],
    ) -> Result<(), Error> {
        match position_of(parameters, name) {
            None if takes_keywords(parameters) => Ok(()),
            None => Err(Error::type_error(format!(
                "{}() got an unexpected keyword argument '{name}'",
                self.name
            ))),
            Some(at) if places[at].is_some() => Err(Error::type_error(format!(
                "{}() got multiple values for argument '{name}'",
                self.name
            ))),
            Some(at) => {
                places[at] = Some(value);
                Ok(())
            }
        }
    }

    #[cold]
    fn missing_error(&self, parameters: &[Parameter], places: &[Option<&Any>]) -> Error {
        let names = |kind: ParameterKind| -> Vec<String> {
            let all = parameters.iter().zip(places);
            all.filter(|(p, place)| place.is_none() && p.is_required() && p.kind == kind)
                .map(|(p, _)| format!("'{}'", p.name))
                .collect()
        };
        let mut kind = "positional";
        let mut missing = names(ParameterKind::Standard);
        if missing.is_empty() {
            kind = "keyword-only";
            missing = names(ParameterKind::KeywordOnly);
        }
        let s = if missing.len() == 1 { "" } else { "s" };
        let count = missing.len();
        let list = match &missing[..] {
            [one] => one.clone(),
            [one, two] => format!("{one} and {two}"),
            [first @ .., last] => format!("{}, and {last}", first.join(", ")),
            [] => String::new(),
        };
        Error::type_error(format!(
            "{}() missing {count} required {kind} argument{s}: {list}",
            self.name
        ))
    }
}

fn position_of(parameters: &[Parameter], name: &str) -> Option<usize> {
    parameters
        .iter()
        .position(|p| p.name == name && !p.kind.takes_rest())
}

fn takes_keywords(parameters: &[Parameter]) -> bool {
    parameters
        .last()
        .is_some_and(|p| p.kind == ParameterKind::RestKeywords)
}

/// The place of the parameter for further keyword arguments, and its value.
///
/// # Errors
/// No memory.
fn surplus_keywords(
    parameters: &[Parameter],
    named: &[Any],
    names: &[&str],
) -> Result<Option<(usize, Any)>, Error> {
    if names.is_empty() || !takes_keywords(parameters) {
        return Ok(None);
    }
    let all = Map::<Str, Any>::new();
    for (name, value) in names.iter().zip(named) {
        if position_of(parameters, name).is_none() {
            all.insert(Str::from(*name), value.clone());
        }
    }
    Ok(Some((parameters.len() - 1, all.into())))
}
