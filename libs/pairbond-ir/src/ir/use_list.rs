//! How operands and lists of uses lie in memory: each knows its place in the other, so that both
//! change in constant time.

use std::num::NonZeroU32;

use pairbond::convert::Few;
use pairbond::memory::ThinVec;
use pairbond::prelude::*;

use super::{Block, Operation, Value};
use crate::room::Gather;

/// A place in a list of uses, or none. One more than its number, which leaves a word free for
/// [`Operands`] to be told apart by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(NonZeroU32);

pub(super) const NOWHERE: Place = Place(NonZeroU32::MAX);

impl Place {
    pub(super) fn new(number: u32) -> Self {
        NonZeroU32::new(number + 1).map_or(NOWHERE, Place)
    }

    fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// An operand: the value, and where in that value's list the use stands.
#[derive(Clone)]
pub(crate) struct Operand {
    pub(super) value: Option<Weak<Value>>,
    pub(super) at: Place,
}

impl Operand {
    /// The value's number, of [`Weak::addr`], or 0 for one that is not there yet.
    pub(super) fn value_number(&self) -> usize {
        self.value.as_ref().map_or(0, Weak::addr)
    }
}

/// The operands of an operation. Most have one or two.
pub(crate) enum Operands {
    One(Operand),
    Several(ThinVec<Operand>),
}

const _: () = assert!(size_of::<Operands>() == 16);

impl Default for Operands {
    fn default() -> Self {
        Operands::Several(ThinVec::default())
    }
}

impl Operands {
    pub(super) fn from_iterator(mut all: impl ExactSizeIterator<Item = Operand>) -> Self {
        match all.len() {
            0 | 1 => all.next().map_or_else(Operands::default, Operands::One),
            _ => Operands::Several(all.collect()),
        }
    }

    pub(super) fn as_slice(&self) -> &[Operand] {
        match self {
            Operands::One(one) => std::slice::from_ref(one),
            Operands::Several(all) => all.as_slice(),
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [Operand] {
        match self {
            Operands::One(one) => std::slice::from_mut(one),
            Operands::Several(all) => all.as_mut_slice(),
        }
    }
}

/// The ends of the edges that go out from an operation: the values that it uses, and the blocks
/// that it may go to.
#[derive(Default)]
pub(crate) struct Ends {
    pub(super) operands: Operands,
    #[allow(clippy::box_collection, reason = "a word in every operation, not three")]
    successors: Option<Box<Vec<Weak<Block>>>>,
}

impl Ends {
    /// Those of an operation that is being made.
    #[inline(always)]
    pub(super) fn to_successors(successors: Vec<Weak<Block>>) -> Self {
        let operands = Operands::default();
        let successors = (!successors.is_empty()).then(|| Box::new(successors));
        Ends { operands, successors }
    }

    /// Gives it its successors, which it did not have before.
    pub(super) fn go_to(&mut self, successors: Vec<Weak<Block>>) {
        self.successors = (!successors.is_empty()).then(|| Box::new(successors));
    }

    pub(super) fn successors(&self) -> &[Weak<Block>] {
        self.successors.as_ref().map_or(&[], |all| all)
    }

    pub(super) fn successors_mut(&mut self) -> &mut [Weak<Block>] {
        self.successors.as_mut().map_or(&mut [], |all| all)
    }
}

/// An operation, and as which of its operands.
pub(super) type Use = (Weak<Operation>, u32);

#[derive(Clone)]
enum Slot {
    Used(Use),
    /// The next free one, or [`NOWHERE`].
    Free(Place),
}

/// The users of a value. Uses stay at their places while others come and go.
#[derive(Default)]
pub(super) enum Uses {
    #[default]
    None,
    One(Weak<Operation>, u32),
    Several(List),
}

/// A list of uses, some of whose places may be free.
pub(super) struct List(ThinVec<Slot, About>);

/// The state of a list.
struct About {
    /// The first free place, or [`NOWHERE`].
    free: Place,
    /// Where a use was found last, to look there first.
    found: u32,
    /// The places that are not free.
    count: u32,
}

impl Default for About {
    fn default() -> Self {
        About {
            free: NOWHERE,
            found: 0,
            count: 0,
        }
    }
}

impl Uses {
    /// Adds a use; its place.
    pub(super) fn add_use(&mut self, user: Weak<Operation>, operand: u32) -> Place {
        match std::mem::take(self) {
            Uses::None => {
                *self = Uses::One(user, operand);
                Place::new(0)
            }
            Uses::One(first, its) => {
                let mut list = List(ThinVec::with_head(About::default(), 4));
                list.add_slot(Slot::Used((first, its)));
                let place = list.add_slot(Slot::Used((user, operand)));
                *self = Uses::Several(list);
                place
            }
            Uses::Several(mut list) => {
                let place = list.add_slot(Slot::Used((user, operand)));
                *self = Uses::Several(list);
                place
            }
        }
    }

    /// Takes a use out, if it stands at that place. The removed use is to be dropped elsewhere.
    pub(super) fn remove_use(&mut self, place: Place, user: &Weak<Operation>, operand: u32) -> Option<Use> {
        let (known, its) = self.get_use(place)?;
        if !known.is(user) || *its != operand {
            return None;
        }
        self.take_use(place)
    }

    /// The same, of a use that stands there for sure.
    pub(super) fn take_use(&mut self, place: Place) -> Option<Use> {
        match std::mem::take(self) {
            Uses::None => None,
            Uses::One(user, operand) => Some((user, operand)),
            Uses::Several(mut list) => {
                let about = list.about_mut();
                let free = std::mem::replace(&mut about.free, place);
                about.count -= 1;
                let left = about.count;
                let gone =
                    std::mem::replace(&mut list.slots_mut()[place.number() as usize], Slot::Free(free));
                if left > 0 {
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
    pub(super) fn place_count(&self) -> u32 {
        match self {
            Uses::None => 0,
            Uses::One(..) => 1,
            Uses::Several(list) => list.slots().len() as u32,
        }
    }

    pub(super) fn use_count(&self) -> usize {
        match self {
            Uses::None => 0,
            Uses::One(..) => 1,
            Uses::Several(list) => list.about().count as usize,
        }
    }

    /// The use at a place.
    pub(super) fn get_use(&self, place: Place) -> Option<(&Weak<Operation>, &u32)> {
        match self {
            Uses::One(user, operand) if place.number() == 0 => Some((user, operand)),
            Uses::Several(list) => match list.slots().get(place.number() as usize)? {
                Slot::Used((user, operand)) => Some((user, operand)),
                Slot::Free(_) => None,
            },
            _ => None,
        }
    }

    /// Any of them. To ask again and again while uses go is no search each time.
    pub(super) fn any_user(&mut self) -> Option<&Weak<Operation>> {
        match self {
            Uses::None => None,
            Uses::One(user, _) => Some(user),
            Uses::Several(list) => {
                let (slots, found) = (list.slots(), list.about().found);
                let mut places = (found..slots.len() as u32).chain(0..found);
                let found = places.find(|place| matches!(slots[*place as usize], Slot::Used(_)))?;
                list.about_mut().found = found;
                match &list.slots()[found as usize] {
                    Slot::Used((user, _)) => Some(user),
                    Slot::Free(_) => None,
                }
            }
        }
    }

    /// All, with their places.
    pub(super) fn all_uses(&self) -> Few<(Place, Use)> {
        let at = |number| {
            let place = Place::new(number);
            let (user, operand) = self.get_use(place)?;
            Some((place, (user.clone(), *operand)))
        };
        // Under the lock: room comes before the handles.
        let mut all = Few::with_room(self.place_count() as usize);
        all.extend((0..self.place_count()).filter_map(at));
        all
    }

    /// Those that a function does not pass over.
    pub(super) fn all_but(
        &self,
        pass: impl Fn(&Weak<Operation>) -> bool,
    ) -> Vec<(Place, Weak<Operation>, u32)> {
        let at = |number| {
            let place = Place::new(number);
            let (user, operand) = self.get_use(place)?;
            (!pass(user)).then(|| (place, user.clone(), *operand))
        };
        (0..self.place_count()).filter_map(at).gather()
    }
}

impl List {
    fn about(&self) -> &About {
        self.0.head().expect("a list has a block")
    }

    fn about_mut(&mut self) -> &mut About {
        self.0.head_mut().expect("a list has a block")
    }

    fn slots(&self) -> &[Slot] {
        self.0.as_slice()
    }

    fn slots_mut(&mut self) -> &mut [Slot] {
        self.0.as_mut_slice()
    }

    fn add_slot(&mut self, used: Slot) -> Place {
        let about = self.about_mut();
        about.count += 1;
        match about.free {
            NOWHERE => {
                self.0.push(used);
                Place::new(self.slots().len() as u32 - 1)
            }
            place => {
                let slot = std::mem::replace(&mut self.slots_mut()[place.number() as usize], used);
                if let Slot::Free(next) = slot {
                    self.about_mut().free = next;
                }
                place
            }
        }
    }
}
