//! Two types of nodes, of which either may stand below the other, that count how many there are.

use std::mem::offset_of;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use pairbond_core::object::{Object, Ref, Root};
use pairbond_core::trace::{Reach, Trace, Tracer};
use pairbond_core::types::TypeCell;
use pairbond_tree::{Children, DetachedNode, Links, List, NameWriter, TreeNode, TreeTable, name_fn};
use pairbond_value::value::Cell;

/// How many are alive: each test has its own, and its turn, because a collection delays the deaths
/// of what others drop meanwhile.
pub(crate) struct Alive {
    count: Arc<AtomicIsize>,
    _turn: MutexGuard<'static, ()>,
}

static TURN: Mutex<()> = Mutex::new(());

impl Default for Alive {
    fn default() -> Self {
        Alive {
            count: Arc::default(),
            _turn: TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner),
        }
    }
}

impl Alive {
    pub(crate) fn live_count(&self) -> isize {
        self.count.load(Ordering::SeqCst)
    }
    fn track_one(&self) -> One {
        self.count.fetch_add(1, Ordering::SeqCst);
        One(self.count.clone())
    }
    pub(crate) fn new_op(&self, number: u32) -> Ref<Op> {
        self.op_maker().new_op(number)
    }
    /// Makes nodes on any thread.
    pub(crate) fn op_maker(&self) -> Maker {
        Maker(self.count.clone())
    }
    pub(crate) fn new_block(&self) -> Ref<Block> {
        Ref::new(Block {
            links: Links::new(),
            _one: self.track_one(),
            arguments: Children::new(),
            ops: Children::new(),
        })
    }
}

pub(crate) struct Maker(Arc<AtomicIsize>);

impl Maker {
    pub(crate) fn new_op(&self, number: u32) -> Ref<Op> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ref::new(Op {
            _one: One(self.0.clone()),
            number,
            links: Links::new(),
            blocks: Children::new(),
            uses: Cell::new(None),
        })
    }
}

struct One(Arc<AtomicIsize>);

impl Drop for One {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(crate) struct Op {
    _one: One,
    pub(crate) number: u32,
    links: Links,
    pub(crate) blocks: Children<Block>,
    pub(crate) uses: Cell<Option<Ref<Op>>>,
}

pub(crate) struct Block {
    links: Links,
    _one: One,
    pub(crate) arguments: Children<Op>,
    pub(crate) ops: Children<Op>,
}

/// A type of nodes: its base, where its links are (a base's are the first of it), its lists, other
/// fields with references, its name.
macro_rules! node {
    ($name:ident: $base:ident, $key:literal, $links:expr, [$($list:ident),*], [$($field:ident),*], $named:expr) => {
        // SAFETY: the cell is its own; a base is what the value begins with; the offsets are the
        // compiler's.
        unsafe impl Object for $name {
            const KEY: &'static str = $key;
            const THREAD_SAFE: bool = true;
            const NODE: Option<pairbond_core::object::NodeType> = {
                const TABLE: &TreeTable = &TreeTable {
                    links: $links,
                    lists: &[$(std::mem::offset_of!($name, $list)),*],
                    name: $named,
                };
                Some(TABLE.node_type())
            };
            type Base = $base;
            fn type_cell() -> &'static TypeCell {
                static CELL: TypeCell = TypeCell::new();
                &CELL
            }
        }
        // SAFETY: each reference is shown once.
        unsafe impl Trace for $name {
            const TRACED: bool = true;
            fn trace(&self, tracer: &mut Tracer<'_>) {
                $(self.$field.trace(tracer);)*
                pairbond_tree::trace_node(self, tracer);
            }
            fn clear(&self) {
                $(self.$field.clear();)*
                pairbond_tree::clear_node(self);
            }
            fn visit_reachable(reach: &mut Reach) {
                reach.any_object();
            }
        }
    };
}
pub(crate) use node;

node!(
    Op: Root,
    "tree.Op",
    offset_of!(Op, links),
    [blocks],
    [uses],
    Some(name_fn::<Op, _>(|op: &Op, asking: NameWriter| asking.write(format!("number {}", op.number))))
);
node!(Block: Root, "tree.Block", offset_of!(Block, links), [arguments, ops], [], None);

/// A node with two lists of its own kind.
pub(crate) struct Twig {
    _one: One,
    pub(crate) number: usize,
    links: Links,
    pub(crate) left: Children<Twig>,
    pub(crate) right: Children<Twig>,
}
node!(Twig: Root, "tree.Twig", offset_of!(Twig, links), [left, right], [], None);

impl Alive {
    pub(crate) fn new_twig(&self, number: usize) -> Ref<Twig> {
        Ref::new(self.twig_value(number))
    }

    pub(crate) fn detached_twig(&self, number: usize) -> DetachedNode<Twig> {
        DetachedNode::new(self.twig_value(number))
    }

    fn twig_value(&self, number: usize) -> Twig {
        Twig {
            _one: self.track_one(),
            number,
            links: Links::new(),
            left: Children::new(),
            right: Children::new(),
        }
    }
}

pub(crate) fn child_list(twig: &Ref<Twig>, list: usize) -> List<'_, Twig> {
    twig.list(|twig| children_at(twig, list))
}

pub(crate) fn children_at(twig: &Twig, list: usize) -> &Children<Twig> {
    if list == 0 { &twig.left } else { &twig.right }
}

pub(crate) fn blocks_of(op: &Ref<Op>) -> List<'_, Block> {
    op.list(|op| &op.blocks)
}

pub(crate) fn ops_of(block: &Ref<Block>) -> List<'_, Op> {
    block.list(|block| &block.ops)
}

pub(crate) fn op_numbers(list: List<'_, Op>) -> Vec<u32> {
    list.iter().map(|op| op.number).collect()
}

/// A root with one block and as many operations in it.
pub(crate) fn small_tree(alive: &Alive, count: u32) -> (Ref<Op>, Ref<Block>, Vec<Ref<Op>>) {
    let (root, block) = (alive.new_op(u32::MAX), alive.new_block());
    blocks_of(&root).push(&block).unwrap();
    let all: Vec<Ref<Op>> = (0..count).map(|number| alive.new_op(number)).collect();
    all.iter().for_each(|op| ops_of(&block).push(op).unwrap());
    (root, block, all)
}
