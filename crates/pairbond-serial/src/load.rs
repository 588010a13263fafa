//! [`Loader`]: [`Graph`] → objects, in two steps: making them ([`Loader::make_objects`]), and
//! filling what had to wait ([`Loader::fill_vacant`]).
//!
//! An object is made when everything that it refers to by fields which never change is there.
//! References to it by others do not matter: those wait. So objects are made in the order in which
//! a walk leaves them, and when one cannot wait for another that is still waiting itself, that one
//! is made at once, with some of its places vacant. If that needs the first again, the data is
//! wrong: no program can have made such objects.

use super::graph::{Buffer, Graph, Token};
use super::plan::{Plan, plan_of};
use pairbond_core::error::Error;
use pairbond_core::memory::{Gather, Room, check_room, filled_vec};
use pairbond_core::object::ErasedRef;
use pairbond_value::value::{Any, Function, get_function};

/// How far a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the walk's way.
    Open,
    /// Needed at once, by a reference that cannot be filled in later.
    Wanted,
    /// Waits for another node, and is waited for.
    Waiting,
    Made,
}

/// Makes the objects of a graph. See the head of this file.
pub struct Loader {
    pub(super) graph: Graph,
    pub(super) plans: Vec<Plan>,
    pub(super) made: Vec<Option<ErasedRef>>,
    state: Vec<State>,
    pub(super) externals: Vec<Option<Any>>,
    /// Nodes that have something vacant, in the order in which they were made.
    late: Vec<u32>,
    /// Nodes that take a last look.
    looks: bool,
}

impl Loader {
    /// Checks a graph, and finds its types.
    ///
    /// # Errors
    /// It is damaged; a type, a field or a version that is not known here.
    pub fn new(graph: Graph) -> Result<Self, Error> {
        graph.check_consistency()?;
        let plans = graph.schemas.iter().map(plan_of).collect::<Result<Vec<_>, _>>()?;
        let looks = plans.iter().any(|plan| matches!(plan, Plan::Fields(_)));
        check_room(
            graph.len(),
            size_of::<Option<ErasedRef>>() + size_of::<State>() + size_of::<(u32, usize)>(),
        )?;
        check_room(graph.externals as usize, size_of::<Option<Any>>())?;
        Ok(Loader {
            made: filled_vec(None, graph.len()),
            state: filled_vec(State::New, graph.len()),
            externals: filled_vec(None, graph.externals as usize),
            late: Vec::new(),
            plans,
            graph,
            looks,
        })
    }

    /// The values that go beside the graph, all of them.
    ///
    /// # Errors
    /// Another number.
    pub fn set_externals(&mut self, values: impl ExactSizeIterator<Item = Any>) -> Result<(), Error> {
        if values.len() != self.externals.len() {
            return Err(Error::value_error(format!(
                "{} values go beside the data, not {}",
                self.externals.len(),
                values.len()
            )));
        }
        self.externals = values.map(Some).gather();
        Ok(())
    }

    /// One of the values that go beside the graph.
    ///
    /// # Errors
    /// There is no such.
    pub fn set_external(&mut self, number: usize, value: Any) -> Result<(), Error> {
        match self.externals.get_mut(number) {
            Some(place) => {
                *place = Some(value);
                Ok(())
            }
            None => Err(Error::value_error("no such value goes beside the data")),
        }
    }

    /// Makes and fills all objects.
    ///
    /// # Errors
    /// The data does not fit the types; what the types' functions say.
    pub fn load_all(&mut self) -> Result<(), Error> {
        self.make_objects()?;
        self.fill_vacant()
    }

    /// Makes all objects.
    ///
    /// # Errors
    /// As [`load_all`](Self::load_all).
    pub fn make_objects(&mut self) -> Result<(), Error> {
        for node in 0..self.graph.len() as u32 {
            super::look_for_signals(node as usize)?;
            if self.state[node as usize] == State::New {
                self.make_reachable(node)?;
            }
        }
        Ok(())
    }

    /// Fills the vacant places.
    ///
    /// # Errors
    /// As [`load_all`](Self::load_all).
    pub fn fill_vacant(&mut self) -> Result<(), Error> {
        // What keys are hashed by comes first.
        let late = std::mem::take(&mut self.late);
        let (tables, fields): (Vec<u32>, Vec<u32>) = late.into_iter().partition(|node| self.is_table(*node));
        for (number, node) in fields.into_iter().chain(tables).enumerate() {
            super::look_for_signals(number)?;
            self.fill_node(node)?;
        }
        if self.looks {
            for node in 0..self.graph.len() as u32 {
                self.finish_node(node)?;
            }
        }
        Ok(())
    }

    /// The fields that have nothing, because the data is older than they are and only the frontend
    /// that defined the type knows their default: the node, and the number of the field in the
    /// [table](pairbond_core::types::TypeInfo::table) of its type.
    #[must_use]
    pub fn lacking_fields(&self) -> Vec<(usize, usize)> {
        if self.plans.iter().all(|plan| plan.lacking_fields().is_empty()) {
            return Vec::new();
        }
        (0..self.graph.len())
            .flat_map(|node| {
                self.plan(node as u32)
                    .lacking_fields()
                    .iter()
                    .map(move |field| (node, *field))
            })
            .gather()
    }

    fn is_table(&self, node: u32) -> bool {
        matches!(self.plan(node), Plan::Set(_) | Plan::Map(..))
    }

    pub(super) fn plan(&self, node: u32) -> &Plan {
        &self.plans[self.graph.nodes[node as usize].schema as usize]
    }

    /// The object of a node.
    ///
    /// # Errors
    /// There is none.
    pub fn node(&self, node: usize) -> Result<ErasedRef, Error> {
        match self.made.get(node) {
            Some(Some(object)) => Ok(object.clone()),
            _ => Err(Error::value_error("the data has no such object")),
        }
    }

    /// The graph's first value.
    ///
    /// # Errors
    /// It is not there yet.
    pub fn take_root(&mut self) -> Result<Any, Error> {
        let root = self.graph.root.clone();
        match root {
            Token::Node(node) => self.node(node as usize).map(Any::from),
            Token::Weak(_) => Ok(Any::None),
            token => match self.token_value(&token)? {
                Some(value) => Ok(value),
                None => Err(Error::value_error("the value is not there yet")),
            },
        }
    }

    /// The memory of an array.
    pub(super) fn buffer(&self, number: u32) -> &Buffer {
        &self.graph.buffers[number as usize]
    }

    /// The value of a token; `None` when it is not there yet.
    pub(super) fn token_value(&mut self, token: &Token) -> Result<Option<Any>, Error> {
        Ok(Some(match token {
            Token::None => Any::None,
            Token::Bool(value) => Any::Bool(*value),
            Token::Int(value) => Any::Int(*value),
            Token::BigInt(value) => Any::from(value.clone()),
            Token::Float(value) => Any::Float(*value),
            Token::Str(value) => Any::Str(value.clone()),
            Token::Bytes(value) => Any::Bytes(value.clone()),
            Token::DType(value) => Any::DType(*value),
            Token::Device(value) => Any::Device(*value),
            Token::Node(node) | Token::Weak(node) => match &self.made[*node as usize] {
                Some(object) => Any::Object(object.clone()),
                None => return Ok(None),
            },
            Token::External(number) => match &self.externals[*number as usize] {
                Some(value) => value.clone(),
                None => return Ok(None),
            },
            Token::Callable(number) => match &self.externals[*number as usize] {
                Some(Any::Foreign(object)) => Any::Function(Function::from_foreign(object.clone())),
                Some(value @ Any::Function(_)) => value.clone(),
                Some(other) => {
                    return Err(Error::type_error(format!(
                        "a callable is expected, not {}",
                        other.describe()
                    )));
                }
                None => return Ok(None),
            },
            Token::Named(name) => Any::Function(get_function(name)?),
            Token::Buffer(_) | Token::Sequence(_) | Token::Bag(_) | Token::Pairs(_) => {
                return Err(Error::value_error("a single value is expected"));
            }
        }))
    }

    /// Makes the object of a node and of all that it leads to.
    fn make_reachable(&mut self, first: u32) -> Result<(), Error> {
        let mut way = vec![(first, self.graph.token_range(first).start)];
        self.state[first as usize] = State::Open;
        let mut steps = 0_usize;
        while let Some((node, at)) = way.last_mut() {
            super::look_for_signals(steps)?;
            steps += 1;
            let end = self.graph.nodes[*node as usize].end;
            let mut next = None;
            while *at < end {
                let token = &self.graph.tokens[*at];
                *at += 1;
                if let Token::Node(to) | Token::Weak(to) = token
                    && self.state[*to as usize] == State::New
                {
                    next = Some(*to);
                    break;
                }
            }
            match next {
                Some(to) => {
                    self.state[to as usize] = State::Open;
                    way.room().push((to, self.graph.token_range(to).start));
                }
                None => {
                    let node = *node;
                    way.pop();
                    if self.state[node as usize] != State::Made {
                        self.make_with_needs(node)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes an object, and before it those that it cannot wait for.
    fn make_with_needs(&mut self, node: u32) -> Result<(), Error> {
        let mut wanted = vec![node];
        while let Some(&node) = wanted.last() {
            if self.state[node as usize] == State::Made {
                wanted.pop();
                continue;
            }
            let (made, needs) = self.make_node(node)?;
            if let Some((object, vacant)) = made {
                self.made[node as usize] = Some(object);
                self.state[node as usize] = State::Made;
                if vacant {
                    self.late.room().push(node);
                }
                wanted.pop();
                continue;
            }
            if needs.is_empty() {
                return Err(Error::value_error(format!(
                    "{} needs a value that goes beside the data, and is not there yet",
                    self.graph.schema(node).key
                )));
            }
            self.state[node as usize] = State::Waiting;
            for need in needs {
                match self.state[need as usize] {
                    State::Waiting => return Err(self.impossible_error(node)),
                    _ => self.state[need as usize] = State::Wanted,
                }
                wanted.room().push(need);
            }
        }
        Ok(())
    }

    #[cold]
    fn impossible_error(&self, node: u32) -> Error {
        Error::value_error(format!(
            "the data is damaged: a {} that leads back to itself by what never changes",
            self.graph.schema(node).key
        ))
    }
}
