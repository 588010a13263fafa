//! [`Branch`]: a branch of `cf`, taken apart to be written in another way.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use crate::context::attributes::{Attribute, AttributeHead, dictionary_attr};
use crate::context::types::{Type, TypeHead};
use crate::ir::{Block, InsertionPoint, Operation, Parts, Value, all_operands};
use crate::numbers::Sign;
use crate::op_parts::segment_sizes;
use crate::rewrite::PatternRewriter;

pub(super) const BR: &str = "cf.br";
pub(super) const COND_BR: &str = "cf.cond_br";
pub(super) const SWITCH: &str = "cf.switch";

const SIZES: &str = "operandSegmentSizes";
const CASE_SIZES: &str = "case_operand_segments";

/// A block that control may go on with, and the values of its arguments.
#[derive(Clone)]
pub(super) struct Edge {
    pub(super) to: Ref<Block>,
    pub(super) values: Vec<Ref<Value>>,
}

impl Edge {
    pub(super) fn is_same(&self, other: &Edge) -> bool {
        self.to.is(&other.to) && same_values(&self.values, &other.values)
    }
}

fn same_values(these: &[Ref<Value>], those: &[Ref<Value>]) -> bool {
    these.len() == those.len() && these.iter().zip(those).all(|(a, b)| a.is(b))
}

/// A branch: what decides, and where it may go; of a switch the default first.
pub(super) struct Branch {
    pub(super) flag: Option<Ref<Value>>,
    pub(super) edges: Vec<Edge>,
    /// The values of the cases of a switch.
    pub(super) cases: Option<Ref<Attribute>>,
}

/// The arguments of a block.
pub(super) fn block_arguments(block: &Ref<Block>) -> Vec<Ref<Value>> {
    block.list(|it| &it.arguments).to_vec()
}

/// How many operands go to each successor, what decides apart.
fn operands_per_successor(op: &Ref<Operation>, operands: usize) -> Option<Vec<usize>> {
    match &**op.name() {
        BR => Some(vec![operands]),
        COND_BR => match segment_sizes(op, SIZES)?[..] {
            [1, first, second] => Some(vec![first, second]),
            _ => None,
        },
        SWITCH => match segment_sizes(op, SIZES)?[..] {
            [1, first, rest] => {
                let cases = segment_sizes(op, CASE_SIZES)?;
                (cases.iter().sum::<usize>() == rest).then(|| [&[first][..], &cases].concat())
            }
            _ => None,
        },
        _ => None,
    }
}

impl Branch {
    /// `None`: it is no branch that is known, or not as it should be.
    pub(super) fn from_operation(op: &Ref<Operation>) -> Option<Branch> {
        if !matches!(&**op.name(), BR | COND_BR | SWITCH) || !op.list(|it| &it.results).is_empty() {
            return None;
        }
        let mut values = all_operands(op)
            .into_iter()
            .collect::<Option<Vec<_>>>()?
            .into_iter();
        let sizes = operands_per_successor(op, values.len())?;
        let flag = if **op.name() == *BR {
            None
        } else {
            Some(values.next()?)
        };
        let targets = op.weak_successors();
        if targets.len() != sizes.len() || values.len() != sizes.iter().sum::<usize>() {
            return None;
        }
        let edge = |(to, size): (&Weak<Block>, usize)| {
            let to = to.upgrade()?;
            let values: Vec<Ref<Value>> = values.by_ref().take(size).collect();
            let fits = block_arguments(&to);
            let fits =
                fits.len() == size && fits.iter().zip(&values).all(|(a, b)| a.r#type().is(&b.r#type()));
            fits.then_some(Edge { to, values })
        };
        let edges = targets.iter().zip(sizes).map(edge).collect::<Option<_>>()?;
        let cases = op.find_attribute("case_values");
        Some(Branch { flag, edges, cases })
    }

    /// Writes it in place of the operation that it was read from.
    pub(super) fn replace_terminator(self, over: &Ref<Operation>, rewriter: &PatternRewriter) -> Result<()> {
        let context = over.context();
        let count = self.edges.len();
        let own: Vec<(Str, Ref<Attribute>)> = match (&self.flag, &**over.name()) {
            (None, _) => Vec::new(),
            (Some(_), COND_BR) => vec![sizes_attribute(
                over,
                SIZES,
                &[1, self.edges[0].values.len(), self.edges[1].values.len()],
            )],
            (Some(_), _) => {
                let each: Vec<usize> = self.edges[1..].iter().map(|it| it.values.len()).collect();
                let all = [1, self.edges[0].values.len(), each.iter().sum()];
                let mut own = vec![
                    sizes_attribute(over, SIZES, &all),
                    sizes_attribute(over, CASE_SIZES, &each),
                ];
                own.extend(self.cases.map(|it| ("case_values".into(), it)));
                own
            }
        };
        let name = if self.flag.is_none() { BR } else { over.name() };
        let (mut successors, mut operands) = (Vec::with_capacity(count), Vec::new());
        operands.extend(self.flag);
        for edge in self.edges {
            successors.push(edge.to);
            operands.extend(edge.values);
        }
        let parts = Parts {
            name,
            operands: &operands,
            successors: &successors,
            location: Some(over.location()),
            ..Parts::default()
        };
        let properties = if own.is_empty() {
            None
        } else {
            Some(dictionary_attr(context, own)?)
        };
        rewriter.stand_at(InsertionPoint::before_operation(over.clone())?);
        rewriter.make_with(parts, properties)?;
        rewriter.replace(over, &[])
    }
}

fn sizes_attribute(over: &Ref<Operation>, name: &str, sizes: &[usize]) -> (Str, Ref<Attribute>) {
    let bytes: Vec<u8> = sizes.iter().flat_map(|it| (*it as i32).to_le_bytes()).collect();
    let sign = Sign::Signless;
    let of = Type::without_parts(over.context(), TypeHead::Integer { width: 32, sign });
    (
        name.into(),
        Attribute::with_type(AttributeHead::DenseArray(bytes.into()), of),
    )
}

/// A branch that always goes one way.
pub(super) fn unconditional_to(edge: Edge) -> Branch {
    Branch {
        flag: None,
        edges: vec![edge],
        cases: None,
    }
}
