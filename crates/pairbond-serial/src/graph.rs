//! [`Graph`]: a graph as a flat table. Each object is a *node*: its type's *schema*, and *tokens*
//! one behind the other, for each field one value. It says the same in every process; only large
//! memory, of arrays, may still be that of the objects it came from.

use pairbond_core::error::Error;
use pairbond_value::value::{Any, Array, BigInt, Bytes, DType, Device, Str};

/// A part of a value.
#[derive(Clone, Debug)]
pub enum Token {
    /// Nothing.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A large one.
    BigInt(BigInt),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(Str),
    /// Bytes.
    Bytes(Bytes),
    /// The type of an array's elements.
    DType(DType),
    /// Where an array lies.
    Device(Device),
    /// A reference to the node of that number.
    Node(u32),
    /// A reference that does not keep it.
    Weak(u32),
    /// A value that goes beside the graph.
    External(u32),
    /// A callable that goes beside the graph.
    Callable(u32),
    /// A function that is registered by that name.
    Named(Str),
    /// The memory of an array.
    Buffer(u32),
    /// So many values follow that are one together.
    Sequence(u32),
    /// So many follow, in no order.
    Bag(u32),
    /// So many keys and values follow, in no order.
    Pairs(u32),
}

impl Token {
    /// How many values follow that belong to it.
    #[inline]
    pub(super) fn child_count(&self) -> usize {
        match self {
            Token::Sequence(n) | Token::Bag(n) => *n as usize,
            Token::Pairs(n) => *n as usize * 2,
            _ => 0,
        }
    }
}

/// A type as it was when the graph was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schema {
    /// Its key.
    pub key: String,
    /// Its version.
    pub version: u32,
    /// Its fields, a value of each in every node.
    pub fields: Vec<String>,
    /// The kinds of a container's elements.
    pub kinds: Vec<String>,
}

/// An object.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The number of its schema.
    pub schema: u32,
    /// The end of its tokens, which begin where those of the node before end.
    pub end: usize,
}

/// The memory of an array.
#[derive(Clone, Debug)]
pub enum Buffer {
    /// A copy.
    Bytes(Bytes),
    /// Row after row; it is copied when an array is made of it.
    Array(Array),
    /// The same, to be used as it is.
    Lent(Array),
}

/// See the head of this file.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(super) schemas: Vec<Schema>,
    pub(super) nodes: Vec<Node>,
    pub(super) tokens: Vec<Token>,
    pub(super) buffers: Vec<Buffer>,
    /// How many values go beside it.
    pub(super) externals: u32,
    pub(super) root: Token,
}

impl Graph {
    /// The number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The types.
    #[must_use]
    pub fn schemas(&self) -> &[Schema] {
        &self.schemas
    }

    /// How many values go beside it.
    #[must_use]
    pub fn external_count(&self) -> u32 {
        self.externals
    }

    /// The memory of its arrays.
    #[must_use]
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// The same, to put other memory there.
    pub fn buffers_mut(&mut self) -> &mut Vec<Buffer> {
        &mut self.buffers
    }

    /// The schema of a node.
    #[must_use]
    pub fn schema(&self, node: u32) -> &Schema {
        &self.schemas[self.nodes[node as usize].schema as usize]
    }

    /// Where the tokens of a node lie.
    pub(super) fn token_range(&self, node: u32) -> std::ops::Range<usize> {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.nodes[node - 1].end };
        start..self.nodes[node].end
    }

    /// The place behind the value at `at`; `None` when there is no whole value.
    #[inline]
    pub(super) fn end_of_value(&self, mut at: usize, end: usize) -> Option<usize> {
        let mut wanted = 1_usize;
        while wanted > 0 {
            if at >= end {
                return None;
            }
            wanted = wanted - 1 + self.tokens[at].child_count();
            at += 1;
        }
        Some(at)
    }

    /// Makes what refers to the first node refer to the object that it was made from.
    #[doc(hidden)]
    pub fn refer_outside(&mut self, beside: &mut Vec<OutOfBand>, original: &Any) {
        let number = self.externals;
        let mut refers = false;
        for token in &mut self.tokens {
            if let Token::Node(0) | Token::Weak(0) = token {
                *token = Token::External(number);
                refers = true;
            }
        }
        if refers {
            self.externals += 1;
            beside.push(OutOfBand {
                value: original.clone(),
                early: true,
            });
        }
    }

    /// Whether every number leads somewhere and every value is whole.
    ///
    /// # Errors
    /// `ValueError`
    pub(super) fn check_consistency(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::value_error(format!("the data is damaged: {what}")));
        let mut start = 0;
        for node in &self.nodes {
            if node.schema as usize >= self.schemas.len() {
                return wrong("an object of a type that is not listed");
            }
            if node.end < start || node.end > self.tokens.len() {
                return wrong("objects that overlap");
            }
            let mut at = start;
            while at < node.end {
                match self.end_of_value(at, node.end) {
                    Some(next) => at = next,
                    None => return wrong("a value that is cut off"),
                }
            }
            start = node.end;
        }
        if start != self.tokens.len() {
            return wrong("values that belong to no object");
        }
        for token in self.tokens.iter().chain([&self.root]) {
            let fine = match token {
                Token::Node(n) | Token::Weak(n) => (*n as usize) < self.nodes.len(),
                Token::External(n) | Token::Callable(n) => *n < self.externals,
                Token::Buffer(n) => (*n as usize) < self.buffers.len(),
                _ => true,
            };
            if !fine {
                return wrong("a reference to nothing");
            }
        }
        if self.externals as usize > self.tokens.len() + 1 {
            return wrong("more values beside it than it refers to");
        }
        if self.root.child_count() != 0
            || matches!(
                self.root,
                Token::Sequence(_) | Token::Bag(_) | Token::Pairs(_) | Token::Buffer(_)
            )
        {
            return wrong("a root that is no value");
        }
        Ok(())
    }
}

/// A value that goes beside a graph.
#[derive(Clone, Debug)]
pub struct OutOfBand {
    /// The value: opaque to us, or an object that its language takes apart itself.
    pub value: Any,
    /// Whether it must be there before the graph's objects can be made.
    pub early: bool,
}
