//! How operands and lists of uses lie in memory: each knows its place in the other, so that both change in constant time.

use pairbond::prelude::*;

use super::{Operation, Value};

/// No place in a list of uses.
pub(super) const NOWHERE: u32 = u32::MAX;

/// An operand: the value, and where in that value's list the use stands.
#[derive(Clone)]
pub(crate) struct Operand {
    pub(super) value: Option<Weak<Value>>,
    pub(super) at: u32,
}

/// The operands of an operation. Most have one or two.
#[derive(Default)]
pub(crate) enum Operands {
    #[default]
    None,
    One(Operand),
    Several(Box<[Operand]>),
}

impl Operands {
    pub(super) fn of(mut all: impl ExactSizeIterator<Item = Operand>) -> Self {
        match all.len() {
            0 | 1 => all.next().map_or(Operands::None, Operands::One),
            _ => Operands::Several(all.collect()),
        }
    }

    pub(super) fn as_slice(&self) -> &[Operand] {
        match self {
            Operands::None => &[],
            Operands::One(one) => std::slice::from_ref(one),
            Operands::Several(all) => all,
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [Operand] {
        match self {
            Operands::None => &mut [],
            Operands::One(one) => std::slice::from_mut(one),
            Operands::Several(all) => all,
        }
    }
}

/// An operation, and as which of its operands.
pub(super) type Use = (Weak<Operation>, u32);

#[derive(Clone)]
enum Slot {
    Used(Use),
    /// The next free one, or [`NOWHERE`].
    Free(u32),
}

/// Who uses a value. Uses stay at their places while others come and go.
#[derive(Default)]
pub(super) enum Uses {
    #[default]
    None,
    One(Weak<Operation>, u32),
    Several(Box<List>),
}

pub(super) struct List {
    slots: Vec<Slot>,
    free: u32,
    /// Where a use was found last, to look there first.
    found: u32,
    count: usize,
}

impl Uses {
    /// Adds a use; its place.
    pub(super) fn add(&mut self, user: Weak<Operation>, operand: u32) -> u32 {
        match std::mem::take(self) {
            Uses::None => {
                *self = Uses::One(user, operand);
                0
            }
            Uses::One(first, its) => {
                let mut slots = Vec::with_capacity(4);
                slots.extend([Slot::Used((first, its)), Slot::Used((user, operand))]);
                *self = Uses::Several(Box::new(List {
                    slots,
                    free: NOWHERE,
                    found: 0,
                    count: 2,
                }));
                1
            }
            Uses::Several(mut list) => {
                let place = list.add(Slot::Used((user, operand)));
                *self = Uses::Several(list);
                place
            }
        }
    }

    /// Takes a use out, if it stands at that place. What was there is to be dropped elsewhere.
    pub(super) fn remove(&mut self, place: u32, user: &Weak<Operation>, operand: u32) -> Option<Use> {
        let (known, its) = self.get(place)?;
        if !known.is(user) || *its != operand {
            return None;
        }
        match std::mem::take(self) {
            Uses::None => None,
            Uses::One(user, operand) => Some((user, operand)),
            Uses::Several(mut list) => {
                let free = std::mem::replace(&mut list.free, place);
                let gone = std::mem::replace(&mut list.slots[place as usize], Slot::Free(free));
                list.count -= 1;
                if list.count > 0 {
                    *self = Uses::Several(list);
                }
                match gone {
                    Slot::Used(gone) => Some(gone),
                    Slot::Free(_) => None,
                }
            }
        }
    }

    /// How many places there are, some of which may be free.
    pub(super) fn places(&self) -> u32 {
        match self {
            Uses::None => 0,
            Uses::One(..) => 1,
            Uses::Several(list) => list.slots.len() as u32,
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Uses::None => 0,
            Uses::One(..) => 1,
            Uses::Several(list) => list.count,
        }
    }

    /// The use at a place.
    pub(super) fn get(&self, place: u32) -> Option<(&Weak<Operation>, &u32)> {
        match self {
            Uses::One(user, operand) if place == 0 => Some((user, operand)),
            Uses::Several(list) => match list.slots.get(place as usize)? {
                Slot::Used((user, operand)) => Some((user, operand)),
                Slot::Free(_) => None,
            },
            _ => None,
        }
    }

    /// Any of them. To ask again and again while uses go is no search each time.
    pub(super) fn any(&mut self) -> Option<&Weak<Operation>> {
        match self {
            Uses::None => None,
            Uses::One(user, _) => Some(user),
            Uses::Several(list) => {
                let all = list.slots.len() as u32;
                let places = (list.found..all).chain(0..list.found);
                let used = |place: &u32| matches!(list.slots[*place as usize], Slot::Used(_));
                list.found = places.into_iter().find(used)?;
                match &list.slots[list.found as usize] {
                    Slot::Used((user, _)) => Some(user),
                    Slot::Free(_) => None,
                }
            }
        }
    }

    /// All, with their places.
    pub(super) fn all(&self) -> Vec<(u32, Use)> {
        let at = |place| {
            let (user, operand) = self.get(place)?;
            Some((place, (user.clone(), *operand)))
        };
        (0..self.places()).filter_map(at).collect()
    }
}

impl List {
    fn add(&mut self, used: Slot) -> u32 {
        self.count += 1;
        match self.free {
            NOWHERE => {
                self.slots.push(used);
                self.slots.len() as u32 - 1
            }
            place => {
                let slot = std::mem::replace(&mut self.slots[place as usize], used);
                if let Slot::Free(next) = slot {
                    self.free = next;
                }
                place
            }
        }
    }
}
