//! The structural hash: equal values ([`structural_equal`](super::structural_equal)) hash alike.
//!
//! An object that leads into no cycle is hashed from the leaves up, each object once: all of it
//! counts. One that does lead into a cycle has no leaves to begin with; there the hash is made of
//! the parts within a few steps. That depends on equality only, as it must: a ring of two alike
//! objects is equal to a ring of one, so the number of objects may not count.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::graph::Token;
use super::sidecar::{Side, plain_float};
use pairbond_core::error::Error;
use pairbond_core::memory::{Gather, Room, filled_vec};
use pairbond_value::value::{Any, AnyRef};

/// How far is looked in cycles.
const STEPS: usize = 4;

/// A hash of all that a value consists of. It is the same in each process, as long as nothing of
/// other languages is in it.
///
/// # Errors
/// A type that cannot be taken apart, by name; a foreign object that is not hashable.
pub fn structural_hash(value: &Any) -> Result<u64, Error> {
    let side = Side::from_value(value)?;
    let count = side.graph.len();
    let mut work = Work {
        hashes: filled_vec(0, count),
        side: &side,
    };
    // From the leaves up: whose references are all done is next.
    let mut open = filled_vec(0_u32, count);
    let mut owners = filled_vec(Vec::<u32>::new(), count);
    for node in 0..count as u32 {
        for token in &side.graph.tokens[side.graph.token_range(node)] {
            if let Token::Node(to) | Token::Weak(to) = token {
                open[node as usize] += 1;
                owners[*to as usize].room().push(node);
            }
        }
    }
    let mut ready: Vec<u32> = (0..count as u32)
        .filter(|node| open[*node as usize] == 0)
        .gather();
    while let Some(node) = ready.pop() {
        work.hashes[node as usize] = work.hash_node(node)?;
        for owner in &owners[node as usize] {
            open[*owner as usize] -= 1;
            if open[*owner as usize] == 0 {
                ready.room().push(*owner);
            }
        }
    }
    let endless: Vec<u32> = (0..count as u32).filter(|node| open[*node as usize] > 0).gather();
    for _ in 0..STEPS {
        let next = endless.iter().map(|node| work.hash_node(*node)).gather_ok()?;
        for (node, hash) in endless.iter().zip(next) {
            work.hashes[*node as usize] = hash;
        }
    }
    let mut hasher = DefaultHasher::new();
    work.hash_token(&side.graph.root, &mut hasher)?;
    Ok(hasher.finish())
}

struct Work<'g> {
    side: &'g Side,
    /// Of each object, as far as it is known.
    hashes: Vec<u64>,
}

impl Work<'_> {
    fn hash_node(&self, node: u32) -> Result<u64, Error> {
        let mut hasher = DefaultHasher::new();
        self.side.graph.schema(node).key.hash(&mut hasher);
        let values = self.side.value_starts(node);
        values.len().hash(&mut hasher);
        for at in values {
            self.hash_value(at, &mut hasher)?;
        }
        Ok(hasher.finish())
    }

    /// The value at a place.
    fn hash_value(&self, at: usize, hasher: &mut DefaultHasher) -> Result<(), Error> {
        let graph = &self.side.graph;
        let inside = match &graph.tokens[at] {
            Token::Sequence(n) => {
                let mut next = at + 1;
                (0..*n)
                    .map(|_| {
                        let behind = graph
                            .end_of_value(next, graph.tokens.len())
                            .unwrap_or(graph.tokens.len());
                        std::mem::replace(&mut next, behind)
                    })
                    .gather()
            }
            Token::Bag(n) => self.side.in_order(at + 1, *n as usize, 1),
            Token::Pairs(n) => self.side.in_order(at + 1, *n as usize, 2),
            token => return self.hash_token(token, hasher),
        };
        (8_u8, inside.len()).hash(hasher);
        inside.into_iter().try_for_each(|at| self.hash_value(at, hasher))
    }

    fn hash_token(&self, token: &Token, hasher: &mut DefaultHasher) -> Result<(), Error> {
        match token {
            Token::None => 0_u8.hash(hasher),
            Token::Bool(value) => (1_u8, value).hash(hasher),
            Token::Int(value) => (2_u8, value).hash(hasher),
            Token::BigInt(value) => (3_u8, value).hash(hasher),
            Token::Float(value) => (4_u8, plain_float(*value).to_bits()).hash(hasher),
            Token::Str(value) => (5_u8, &**value).hash(hasher),
            Token::Bytes(value) => (6_u8, &**value).hash(hasher),
            Token::Named(value) => (7_u8, &**value).hash(hasher),
            Token::DType(value) => (9_u8, value).hash(hasher),
            Token::Device(value) => (10_u8, value).hash(hasher),
            Token::Node(node) | Token::Weak(node) => (11_u8, self.hashes[*node as usize]).hash(hasher),
            Token::External(n) | Token::Callable(n) => {
                let value = &self.side.beside[*n as usize].value;
                (12_u8, AnyRef::from(value).hash()?).hash(hasher);
            }
            Token::Buffer(n) => (13_u8, &*self.side.graph.buffers[*n as usize].to_bytes()).hash(hasher),
            Token::Sequence(_) | Token::Bag(_) | Token::Pairs(_) => {}
        }
        Ok(())
    }
}
