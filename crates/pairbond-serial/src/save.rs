//! [`Save`]: objects → [`Graph`]. Objects wait in a list, in the order in which they were met; each
//! is taken apart once (`apart`), into values (`values`).
//!
//! References met under a field's lock are only recorded. Whether an object belongs to the graph or
//! goes beside it is decided when its turn comes, because that may be foreign code's business;
//! references to it are corrected in the end.

use std::collections::HashMap;

use super::graph::{Buffer, Graph, Node, OutOfBand, Schema, Token};
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::{Room, check_room, filled_vec, or_unwind, try_push};
use pairbond_core::object::{ByAddress, ErasedRef, Header, Object, Root, Weak};
use pairbond_core::types::FieldInfo;
use pairbond_value::value::{Any, Bytes, FrozenMapBody, Function, TupleBody};

mod disassemble;
mod values;

/// Whether an object belongs to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// It does, with everything that it leads to.
    Inside,
    /// It goes beside it. `late`: it may come when the graph's objects are made, where the
    /// reference to it allows that.
    External {
        /// See above.
        late: bool,
    },
}

/// An object that was met.
struct Met {
    object: ErasedRef,
    /// The node that referred to it first.
    by: u32,
    /// Whether a reference to it cannot be filled in later.
    hard: bool,
    /// Whether it is a child of a node that belongs to the graph.
    owned: bool,
    edge: Edge,
}

type Border<'b> = Box<dyn FnMut(&ErasedRef) -> Result<Edge, Error> + 'b>;

/// See the head of this file.
pub struct Save<'b> {
    schemas: Vec<Schema>,
    known: HashMap<(usize, [Option<usize>; 2]), u32>,
    fields: Vec<Vec<&'static FieldInfo>>,
    nodes: Vec<Node>,
    tokens: Vec<Token>,
    buffers: Vec<Buffer>,
    met: Vec<Met>,
    index: ByAddress<u32>,
    weaks: Vec<(usize, Weak<Root>)>,
    beside: Vec<OutOfBand>,
    foreign: ByAddress<u32>,
    border: Option<Border<'b>>,
    /// Whether the border is not asked about children of nodes of trees.
    with_children: bool,
    /// Whether floats that are no numbers are values, and not objects that go beside the graph.
    plain_nans: bool,
    functions: Option<Vec<(String, Function)>>,
    root: Token,
    /// The object under work; for the first ones themselves.
    at: u32,
}

const NOBODY: u32 = u32::MAX;

impl<'b> Save<'b> {
    /// Nothing yet.
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Save {
            schemas: Vec::new(),
            known: HashMap::new(),
            fields: Vec::new(),
            nodes: Vec::new(),
            tokens: Vec::new(),
            buffers: Vec::new(),
            met: Vec::new(),
            index: ByAddress::default(),
            weaks: Vec::new(),
            beside: Vec::new(),
            foreign: ByAddress::default(),
            border: None,
            with_children: false,
            plain_nans: false,
            functions: None,
            root: Token::None,
            at: NOBODY,
        }
    }

    /// Asks about each object whether it belongs to the graph.
    pub fn set_border(&mut self, border: Border<'b>) {
        self.border = Some(border);
    }

    /// Lets what stands below a node of a tree belong to the graph whatever the border says.
    pub fn with_children(&mut self) {
        self.with_children = true;
    }

    /// Writes keys that are floats, but no numbers, as values: for text, and to compare. Otherwise
    /// they go beside the graph, as the objects that they are.
    pub fn plain_nans(&mut self) {
        self.plain_nans = true;
    }

    /// Begins with a value.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add_root(&mut self, value: &Any) -> Result<(), Error> {
        self.put_any(value, true)?;
        self.root = self.tokens.pop().unwrap_or(Token::None);
        Ok(())
    }

    /// Begins with an object that belongs to the graph whatever the border says.
    pub fn root_inside(&mut self, object: ErasedRef) {
        let number = self.number_of(object, true);
        self.root = Token::Node(number.unwrap_or_else(|error| error.unwind()));
        if let Some(met) = self.met.first_mut() {
            met.by = NOBODY;
        }
    }

    /// Takes everything apart.
    ///
    /// # Errors
    /// An object or value that cannot be, by its type.
    pub fn save_all(&mut self) -> Result<(), Error> {
        let mut border = self.border.take();
        let only_root = matches!(self.root, Token::Node(0)) && self.met.len() == 1;
        let mut next = 0;
        while next < self.met.len() {
            super::look_for_signals(next)?;
            let object = self.met[next].object.clone();
            let is_inside = only_root && next == 0 || self.with_children && self.met[next].owned;
            if !is_inside && let Some(border) = &mut border {
                self.met[next].edge = border(&object)?;
            }
            self.at = next as u32;
            let schema = match self.met[next].edge {
                Edge::Inside => self
                    .take_apart(object.as_borrow())
                    .map_err(|error| self.explain_error(error))?,
                Edge::External { .. } => 0,
            };
            let end = self.tokens.len();
            try_push(&mut self.nodes, Node { schema, end })?;
            next += 1;
        }
        // What `finish` makes.
        check_room(
            self.met.len(),
            size_of::<Node>() + size_of::<ErasedRef>() + size_of::<u32>(),
        )
    }

    /// The object of a number, while the graph is not finished.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = &ErasedRef> {
        self.met.iter().map(|met| &met.object)
    }

    /// The graph, and what goes beside it.
    #[must_use]
    pub fn finish(self) -> (Graph, Vec<OutOfBand>) {
        let (graph, beside, _) = self.finish_with_objects();
        (graph, beside)
    }

    /// The same, and the objects of the nodes.
    #[must_use]
    pub fn finish_with_objects(mut self) -> (Graph, Vec<OutOfBand>, Vec<ErasedRef>) {
        self.settle_weaks();
        let mut numbers = filled_vec(NOBODY, self.met.len());
        let (mut nodes, mut objects) = (Vec::new(), Vec::new());
        or_unwind(nodes.try_reserve_exact(self.nodes.len()));
        or_unwind(objects.try_reserve_exact(self.nodes.len()));
        let mut outside = false;
        for (at, met) in self.met.iter().enumerate() {
            match met.edge {
                Edge::Inside => {
                    numbers[at] = nodes.len() as u32;
                    nodes.push(self.nodes[at]);
                    objects.push(met.object.clone());
                }
                Edge::External { late } => {
                    outside = true;
                    numbers[at] = self.beside.len() as u32;
                    self.beside.room().push(OutOfBand {
                        value: Any::Object(met.object.clone()),
                        early: met.hard || !late,
                    });
                }
            }
        }
        if outside {
            for token in self.tokens.iter_mut().chain([&mut self.root]) {
                if let Token::Node(n) = token {
                    let (at, number) = (*n as usize, numbers[*n as usize]);
                    *token = match self.met[at].edge {
                        Edge::Inside => Token::Node(number),
                        Edge::External { .. } => Token::External(number),
                    };
                } else if let Token::Weak(n) = token {
                    let (at, number) = (*n as usize, numbers[*n as usize]);
                    *token = match self.met[at].edge {
                        Edge::Inside => Token::Weak(number),
                        Edge::External { .. } => Token::External(number),
                    };
                }
            }
        }
        let graph = Graph {
            schemas: self.schemas,
            nodes,
            tokens: self.tokens,
            buffers: self.buffers,
            externals: self.beside.len() as u32,
            root: self.root,
        };
        let mut beside = self.beside;
        if !beside.is_empty() {
            early_keys(&graph, &mut beside);
        }
        (graph, beside, objects)
    }

    /// A weak reference is one to an object that the graph has for other reasons, or to nothing.
    fn settle_weaks(&mut self) {
        for (place, weak) in std::mem::take(&mut self.weaks) {
            let number = weak
                .upgrade()
                .and_then(|object| self.index.get(&address_of::<Header>(object.header())).copied());
            self.tokens[place] = number.map_or(Token::None, Token::Weak);
        }
    }

    fn explain_error(&self, error: Error) -> Error {
        let by = self.met[self.at as usize].by;
        let kind = error.kind().clone();
        if by == NOBODY || by == self.at || kind != ErrorKind::Type {
            return error;
        }
        let from = self.met[by as usize].object.header().info().key();
        error.with_note(format!("it is reached from {from}"))
    }

    /// The number of an object.
    fn number_of(&mut self, object: ErasedRef, hard: bool) -> Result<u32, Error> {
        let next = self.met.len() as u32;
        self.index.try_reserve(1)?;
        self.met.try_reserve(1)?;
        let number = *self
            .index
            .entry(address_of::<Header>(object.header()))
            .or_insert(next);
        if number == next {
            self.met.push(Met {
                object,
                by: self.at,
                hard,
                owned: false,
                edge: Edge::Inside,
            });
        } else {
            self.met[number as usize].hard |= hard;
        }
        Ok(number)
    }
}

/// Parts of a key of a map that never changes must be there when that is made.
fn early_keys(graph: &Graph, beside: &mut [OutOfBand]) {
    let mut seen = filled_vec(false, graph.len());
    let mut keys: Vec<u32> = Vec::new();
    let visit = |token: &Token, keys: &mut Vec<u32>, beside: &mut [OutOfBand]| match token {
        Token::External(n) | Token::Callable(n) => beside[*n as usize].early = true,
        Token::Node(n) => keys.room().push(*n),
        _ => {}
    };
    for node in 0..graph.len() as u32 {
        if graph.schema(node).key == FrozenMapBody::KEY {
            for token in graph.tokens[graph.token_range(node)].iter().step_by(2) {
                visit(token, &mut keys, beside);
            }
        }
    }
    while let Some(node) = keys.pop() {
        let hashed = [TupleBody::KEY, FrozenMapBody::KEY].contains(&&*graph.schema(node).key);
        if hashed && !std::mem::replace(&mut seen[node as usize], true) {
            for token in &graph.tokens[graph.token_range(node)] {
                visit(token, &mut keys, beside);
            }
        }
    }
}

pub(super) fn address_of<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}

/// For formats that read memory of arrays as bytes.
impl Buffer {
    /// The bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        match self {
            Buffer::Bytes(bytes) => bytes.clone(),
            Buffer::Array(array) | Buffer::Lent(array) => array.to_bytes(),
        }
    }
}
