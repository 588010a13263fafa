//! Which visitor calls show the methods of a class, in the order of the source.

use super::protocols::{self, Shown};
use super::{Kind, Method};

/// One call of a visitor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Visit {
    Constructor(usize),
    /// A method by its index.
    Method(usize),
    Getter(usize),
    /// Getter and setter.
    Property(usize, usize),
    /// A protocol with one method for each slot, if the class has it.
    Protocol(&'static str, Vec<Option<usize>>),
}

pub(super) fn visits_of(methods: &[Method]) -> Vec<Visit> {
    let mut visits = Vec::new();
    for (index, method) in methods.iter().enumerate() {
        match method.kind {
            Kind::Constructor => visits.push(Visit::Constructor(index)),
            Kind::Setter(_) => {}
            Kind::Getter(_) => {
                let setter = methods
                    .iter()
                    .position(|m| matches!(m.kind, Kind::Setter(_)) && m.name() == method.name());
                visits.push(setter.map_or(Visit::Getter(index), |setter| Visit::Property(index, setter)));
            }
            _ => match protocols::find_protocol(method.name()).map(|protocol| protocol.shown) {
                Some(Shown::Protocol { visit, slot, slots }) => {
                    add_protocol(&mut visits, visit, slot, slots, index)
                }
                Some(Shown::Method) | None => visits.push(Visit::Method(index)),
            },
        }
    }
    visits
}

fn add_protocol(visits: &mut Vec<Visit>, name: &'static str, slot: usize, slots: usize, index: usize) {
    for visit in visits.iter_mut() {
        // Two with the same slot are alternatives by `#[cfg]`; each is shown by a visit of its own.
        if let Visit::Protocol(visit, filled) = visit
            && *visit == name
            && filled[slot].is_none()
        {
            filled[slot] = Some(index);
            return;
        }
    }
    let mut filled = vec![None; slots];
    filled[slot] = Some(index);
    visits.push(Visit::Protocol(name, filled));
}
