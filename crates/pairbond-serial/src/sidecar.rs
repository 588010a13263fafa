//! [`Side`]: a graph that is compared or hashed, and the order of plain values.

use std::cmp::Ordering;

use super::graph::{Graph, OutOfBand, Token};
use super::plan;
use super::save::Save;
use pairbond_core::error::Error;
use pairbond_core::memory::{Gather, Room, or_unwind};
use pairbond_core::object::Object;
use pairbond_core::runtime;
use pairbond_core::types::FieldFlags;
use pairbond_value::value::{Any, ListBody, MapBody, SetBody, TupleBody};

/// A graph that is compared or hashed.
pub(super) struct Side {
    pub(super) graph: Graph,
    pub(super) beside: Vec<OutOfBand>,
    schemas: Vec<Traits>,
}

/// The properties of a type that comparing and hashing depend on.
#[derive(Default)]
struct Traits {
    /// Fields that do not count.
    left_out: Vec<bool>,
    /// 1: a set; 2: a mapping.
    unordered: usize,
    has_order: bool,
}

impl Side {
    pub(super) fn from_value(value: &Any) -> Result<Self, Error> {
        let mut save = Save::new();
        save.plain_nans();
        save.add_root(value)?;
        save.save_all()?;
        let (graph, beside) = save.finish();
        let schemas = graph.schemas.iter().map(|schema| {
            let Some(info) = runtime::find_type(&schema.key) else {
                return Traits::default();
            };
            let is = |other| std::ptr::eq(info, other);
            let fields = plan::all_fields(info)
                .into_iter()
                .filter(|field| plan::is_carried(info, field));
            Traits {
                left_out: fields
                    .map(|field| field.flags.contains(FieldFlags::NOT_COMPARED))
                    .collect(),
                unordered: usize::from(is(SetBody::info()))
                    + 2 * usize::from(is(MapBody::info()) || schema.key == "pairbond.FrozenMap"),
                has_order: info.carrying().is_ordered() || is(ListBody::info()) || is(TupleBody::info()),
            }
        });
        Ok(Side {
            schemas: schemas.collect(),
            graph,
            beside,
        })
    }

    /// Returns these properties of a node's type.
    fn traits(&self, node: u32) -> &Traits {
        &self.schemas[self.graph.nodes[node as usize].schema as usize]
    }

    /// Where the next value begins.
    pub(super) fn end_of_value(&self, at: usize) -> usize {
        self.graph
            .end_of_value(at, self.graph.tokens.len())
            .unwrap_or(self.graph.tokens.len())
    }

    /// Whether objects of a node's type have an order.
    pub(super) fn has_order(&self, node: u32) -> bool {
        self.traits(node).has_order
    }

    /// Where the values of a node begin, in the order in which they are compared.
    pub(super) fn value_starts(&self, node: u32) -> Vec<usize> {
        let (range, traits) = (self.graph.token_range(node), self.traits(node));
        if let Some(groups) = range.len().checked_div(traits.unordered) {
            return self.in_order(range.start, groups, traits.unordered);
        }
        let (mut starts, mut at, mut field) = (Vec::new(), range.start, 0);
        while at < range.end {
            if !traits.left_out.get(field).is_some_and(|out| *out) {
                starts.room().push(at);
            }
            at = self.end_of_value(at);
            field += 1;
        }
        starts
    }

    /// The values of something unordered, by their keys if these are plain.
    pub(super) fn in_order(&self, start: usize, count: usize, step: usize) -> Vec<usize> {
        let mut groups = Vec::new();
        or_unwind(groups.try_reserve_exact(count));
        let mut at = start;
        for _ in 0..count {
            groups.push(at);
            (0..step).for_each(|_| at = self.end_of_value(at));
        }
        if groups
            .iter()
            .all(|at| kind_rank(&self.graph.tokens[*at]).is_some())
        {
            groups.sort_by(|a, b| {
                plain_order(&self.graph.tokens[*a], &self.graph.tokens[*b]).unwrap_or(Ordering::Equal)
            });
        }
        if step == 1 {
            return groups;
        }
        groups
            .into_iter()
            .flat_map(|at| [at, self.end_of_value(at)])
            .gather()
    }
}

/// The kind of a plain value.
pub(super) fn kind_rank(token: &Token) -> Option<u8> {
    Some(match token {
        Token::None => 0,
        Token::Bool(_) => 1,
        Token::Int(_) => 2,
        Token::BigInt(_) => 3,
        Token::Float(_) => 4,
        Token::Str(_) => 5,
        Token::Bytes(_) => 6,
        Token::Named(_) => 7,
        _ => return None,
    })
}

/// Without the sign of a zero, and one value that is no number.
pub(super) fn plain_float(value: f64) -> f64 {
    if value.is_nan() { f64::NAN } else { value + 0.0 }
}

/// The order of two plain values; those of different kinds by kind.
pub(super) fn plain_order(a: &Token, b: &Token) -> Option<Ordering> {
    Some(match (a, b) {
        (Token::Bool(a), Token::Bool(b)) => a.cmp(b),
        (Token::Int(a), Token::Int(b)) => a.cmp(b),
        (Token::BigInt(a), Token::BigInt(b)) => a.cmp(b),
        (Token::Int(_), Token::BigInt(b)) => {
            if b.is_negative() {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (Token::BigInt(a), Token::Int(_)) => {
            if a.is_negative() {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (Token::Float(a), Token::Float(b)) => plain_float(*a).total_cmp(&plain_float(*b)),
        (Token::Str(a), Token::Str(b)) | (Token::Named(a), Token::Named(b)) => a.cmp(b),
        (Token::Bytes(a), Token::Bytes(b)) => a.cmp(b),
        (a, b) => kind_rank(a)?.cmp(&kind_rank(b)?),
    })
}
