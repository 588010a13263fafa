//! Structural equality and order: two graphs side by side.
//!
//! Two objects are equal when they are of the same type, and their fields are equal, however deep.
//! Nothing else counts: not identity, and not whether two equal parts are one object. In a cycle
//! the comparison would not end; a pair that is being compared already is taken to be equal there,
//! which it is unless a difference shows up elsewhere. Pairs that were taken to be equal are joined
//! into classes, so that as many pairs are compared as there are objects, at most.
//!
//! Sets and mappings have no order when their keys are plain values; otherwise they are compared in
//! theirs.

use std::cmp::Ordering;

use super::graph::{Graph, Token};
use super::sidecar::{Side, kind_rank, plain_order};
use pairbond_core::error::Error;
use pairbond_core::memory::{Gather, Room};
use pairbond_value::value::{Any, keys_equal};

/// Classes of nodes of two graphs that are taken to be equal.
struct Classes {
    parents: Vec<u32>,
    second: u32,
}

impl Classes {
    fn new(a: &Graph, b: &Graph) -> Self {
        Classes {
            parents: (0..(a.len() + b.len()) as u32).gather(),
            second: a.len() as u32,
        }
    }

    fn find_root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let next = self.parents[self.parents[node as usize] as usize];
            self.parents[node as usize] = next;
            node = next;
        }
        node
    }

    /// Whether they were in different classes.
    fn join_classes(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find_root(a), self.find_root(self.second + b));
        self.parents[a as usize] = b;
        a != b
    }
}

struct Equal<'g> {
    a: &'g Side,
    b: &'g Side,
    classes: Classes,
    pairs: Vec<(u32, u32)>,
}

impl Equal<'_> {
    /// One value of each side.
    fn values_equal(&mut self, at: usize, bt: usize) -> Result<bool, Error> {
        let (a, b) = (self.a, self.b);
        Ok(match (&a.graph.tokens[at], &b.graph.tokens[bt]) {
            (Token::Sequence(n), Token::Sequence(m)) => {
                let (mut at, mut bt) = (at + 1, bt + 1);
                if n != m {
                    return Ok(false);
                }
                for _ in 0..*n {
                    if !self.values_equal(at, bt)? {
                        return Ok(false);
                    }
                    (at, bt) = (a.end_of_value(at), b.end_of_value(bt));
                }
                true
            }
            (Token::Bag(n), Token::Bag(m)) => *n == *m && self.unordered_equal(at, bt, *n, 1)?,
            (Token::Pairs(n), Token::Pairs(m)) => *n == *m && self.unordered_equal(at, bt, *n, 2)?,
            (a, b) => self.tokens_equal(a, b)?,
        })
    }

    fn unordered_equal(&mut self, at: usize, bt: usize, count: u32, step: usize) -> Result<bool, Error> {
        let a = self.a.in_order(at + 1, count as usize, step);
        let b = self.b.in_order(bt + 1, count as usize, step);
        self.all_equal(&a, &b)
    }

    fn all_equal(&mut self, a: &[usize], b: &[usize]) -> Result<bool, Error> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (a, b) in a.iter().zip(b) {
            if !self.values_equal(*a, *b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn tokens_equal(&mut self, a: &Token, b: &Token) -> Result<bool, Error> {
        Ok(match (a, b) {
            (Token::Node(a), Token::Node(b)) | (Token::Weak(a), Token::Weak(b)) => {
                if self.classes.join_classes(*a, *b) {
                    self.pairs.room().push((*a, *b));
                }
                true
            }
            (Token::External(n), Token::External(m)) | (Token::Callable(n), Token::Callable(m)) => {
                keys_equal(
                    &self.a.beside[*n as usize].value,
                    &self.b.beside[*m as usize].value,
                )?
            }
            (Token::DType(a), Token::DType(b)) => a == b,
            (Token::Device(a), Token::Device(b)) => a == b,
            (Token::Buffer(n), Token::Buffer(m)) => {
                let (a, b) = (
                    &self.a.graph.buffers[*n as usize],
                    &self.b.graph.buffers[*m as usize],
                );
                a.to_bytes() == b.to_bytes()
            }
            (a, b) => kind_rank(a).is_some() && plain_order(a, b) == Some(Ordering::Equal),
        })
    }
}

/// Whether two values are equal in all that they consist of. See the head of the module's file
/// `compare`.
///
/// # Errors
/// A type that cannot be taken apart, by name; what foreign objects say when they are compared.
pub fn structural_equal(a: &Any, b: &Any) -> Result<bool, Error> {
    if let (Any::Object(a), Any::Object(b)) = (a, b)
        && a.is(b)
    {
        return Ok(true);
    }
    let (a, b) = (Side::from_value(a)?, Side::from_value(b)?);
    let mut work = Equal {
        classes: Classes::new(&a.graph, &b.graph),
        a: &a,
        b: &b,
        pairs: Vec::new(),
    };
    if !work.tokens_equal(&a.graph.root, &b.graph.root)? {
        return Ok(false);
    }
    while let Some((left, right)) = work.pairs.pop() {
        if a.graph.schema(left).key != b.graph.schema(right).key {
            return Ok(false);
        }
        if !work.all_equal(&a.value_starts(left), &b.value_starts(right))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The order of two values, if their types have one: field by field, element by element, the first
/// difference decides.
///
/// # Errors
/// `TypeError`: values of different types, or of one without an order.
pub fn structural_cmp(a: &Any, b: &Any) -> Result<Ordering, Error> {
    let (a, b) = (Side::from_value(a)?, Side::from_value(b)?);
    let mut classes = Classes::new(&a.graph, &b.graph);
    // For each pair on the way its remaining parts.
    let mut way: Vec<(Vec<usize>, Vec<usize>, usize)> = Vec::new();
    let mut next = Some((&a.graph.root, &b.graph.root));
    loop {
        let (left, right) = match next.take() {
            Some(pair) => pair,
            None => match way.last_mut() {
                None => return Ok(Ordering::Equal),
                Some((lefts, rights, at)) => match (lefts.get(*at), rights.get(*at)) {
                    (Some(left), Some(right)) => {
                        *at += 1;
                        (&a.graph.tokens[*left], &b.graph.tokens[*right])
                    }
                    (None, None) => {
                        way.pop();
                        continue;
                    }
                    (None, Some(_)) => return Ok(Ordering::Less),
                    (Some(_), None) => return Ok(Ordering::Greater),
                },
            },
        };
        match (left, right) {
            (Token::Node(left), Token::Node(right)) => {
                let (key, other) = (&a.graph.schema(*left).key, &b.graph.schema(*right).key);
                if key != other || !a.has_order(*left) {
                    return Err(no_order(key, other));
                }
                if classes.join_classes(*left, *right) {
                    way.room()
                        .push((a.value_starts(*left), b.value_starts(*right), 0));
                }
            }
            (Token::Sequence(_), Token::Sequence(_)) => {
                way.room()
                    .push((value_starts(&a, left), value_starts(&b, right), 0));
            }
            (left, right) => match (kind_rank(left), kind_rank(right)) {
                (Some(kind), Some(other))
                    if kind == other
                        || kind == 0
                        || other == 0
                        || (2..=3).contains(&kind) && (2..=3).contains(&other) =>
                {
                    match plain_order(left, right) {
                        Some(Ordering::Equal) | None => {}
                        Some(order) => return Ok(order),
                    }
                }
                _ => return Err(no_order("a value", "another kind of value")),
            },
        }
    }
}

/// Where the values of a sequence begin; the token is one of the graph's.
fn value_starts(side: &Side, token: &Token) -> Vec<usize> {
    let start = (std::ptr::from_ref(token).addr() - side.graph.tokens.as_ptr().addr()) / size_of::<Token>();
    let mut at = start + 1;
    (0..token.child_count())
        .map(|_| {
            let behind = side.end_of_value(at);
            std::mem::replace(&mut at, behind)
        })
        .gather()
}

#[cold]
fn no_order(a: &str, b: &str) -> Error {
    Error::type_error(format!("there is no order between {a} and {b}"))
}
