//! From roots to objects: breadth first, so that paths are short; objects of one type on the same
//! path are one line of the report.

use std::collections::{HashMap, VecDeque};

use super::alive::{Alive, Node};
use super::{Leak, Root, Step};
use crate::memory::{Gather, Grow, Room, filled_vec, or_unwind};
use crate::object::Holder;
use crate::types::{TypeFlags, TypeInfo};

/// A path as the last step of one that is shorter. Steps that repeat are one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Path {
    shorter: Option<u32>,
    step: Step,
}

#[derive(Default)]
struct Paths {
    all: Vec<Path>,
    known: HashMap<Path, u32>,
}

impl Paths {
    fn intern_path(&mut self, path: Path) -> u32 {
        *self.known.room().entry(path).or_insert_with(|| {
            self.all.room().push(path);
            self.all.len() as u32 - 1
        })
    }

    fn extend_path(&mut self, path: Option<u32>, key: &'static str, field: Option<&'static str>) -> u32 {
        if let Some(at) = path {
            let last = self.all[at as usize];
            if last.step.key == key && last.step.field == field {
                let step = Step {
                    repeated: true,
                    ..last.step
                };
                return self.intern_path(Path { step, ..last });
            }
        }
        self.intern_path(Path {
            shorter: path,
            step: Step {
                key,
                field,
                repeated: false,
            },
        })
    }

    fn steps_of(&self, path: Option<u32>) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = path;
        while let Some(path) = at.map(|at| self.all[at as usize]) {
            steps.room().push(path.step);
            at = path.shorter;
        }
        steps.reverse();
        steps
    }
}

/// What holds a node from outside of all objects.
fn root_of(node: &Node) -> Option<Root> {
    let python = node.state.holder() == Holder::Python;
    let references = node.state.strong().saturating_sub(node.shown + u64::from(python));
    if references > 0 {
        return Some(Root::Native { references });
    }
    match node.wrapper {
        Some(0) => None,
        Some(references) => Some(Root::Wrapper {
            references: Some(references),
        }),
        None if python => Some(Root::Wrapper { references: None }),
        None => None,
    }
    .or_else(|| node.global.clone().map(Root::Function))
}

/// Without memory it unwinds.
pub(super) fn report_leaks(alive: &Alive) -> Vec<Leak> {
    let mut first = filled_vec(0_usize, alive.nodes.len() + 1);
    for edge in &alive.edges {
        first[edge.from as usize + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut paths = Paths::default();
    let mut roots: Vec<Root> = Vec::new();
    // Root and path of each node.
    let mut found: Vec<Option<(u32, Option<u32>)>> = filled_vec(None, alive.nodes.len());
    // Each node is queued once.
    let mut queue = VecDeque::new();
    or_unwind(queue.try_reserve(alive.nodes.len()));
    // A function that only the process's table holds is no leak.
    let is_hidden = |at: usize, root: u32, roots: &[Root]| {
        alive.nodes[at].global.is_some() && matches!(roots[root as usize], Root::Function(_))
    };
    let mut kinds: HashMap<Root, u32> = HashMap::new();
    let mut number = |root: Root, roots: &mut Vec<Root>| {
        *kinds.room().entry(root).or_insert_with_key(|root| {
            roots.room().push(root.clone());
            roots.len() as u32 - 1
        })
    };
    for (at, node) in alive.nodes.iter().enumerate() {
        if let Some(root) = root_of(node) {
            found[at] = Some((number(root, &mut roots), None));
            queue.push_back(at);
        }
    }
    for start in 0..=alive.nodes.len() {
        while let Some(at) = queue.pop_front() {
            let (root, path) = found[at].expect("queued when found");
            for edge in &alive.edges[first[at]..first[at + 1]] {
                let to = edge.to as usize;
                if found[to].is_none() {
                    let longer = if is_hidden(at, root, &roots) {
                        None
                    } else {
                        Some(paths.extend_path(path, alive.nodes[at].info.key(), edge.field))
                    };
                    found[to] = Some((root, longer));
                    queue.push_back(to);
                }
            }
        }
        // The rest is reachable from itself only.
        if start < alive.nodes.len() && found[start].is_none() {
            found[start] = Some((number(Root::Cycle, &mut roots), None));
            queue.push_back(start);
        }
    }
    let mut groups: HashMap<(usize, u32, Option<u32>), (&'static TypeInfo, usize)> = HashMap::new();
    for (at, node) in alive.nodes.iter().enumerate() {
        let (root, path) = found[at].expect("all are");
        if is_hidden(at, root, &roots) || node.info.flags().contains(TypeFlags::CONSTANT) {
            continue;
        }
        groups
            .room()
            .entry((node.info.index(), root, path))
            .or_insert((node.info, 0))
            .1 += 1;
    }
    let mut leaks: Vec<Leak> = groups
        .into_iter()
        .map(|((_, root, path), (info, count))| Leak {
            key: info.key(),
            count,
            root: roots[root as usize].clone(),
            path: paths.steps_of(path),
        })
        .gather();
    leaks.grow(alive.unseen.iter().map(|(info, count)| Leak {
        key: info.key(),
        count: *count,
        root: Root::Unseen,
        path: Vec::new(),
    }));
    leaks.sort_by(|a, b| {
        let by = |it: &Leak| (std::cmp::Reverse(it.count), it.path.len(), it.key);
        by(a)
            .cmp(&by(b))
            .then_with(|| (&a.path, &a.root).cmp(&(&b.path, &b.root)))
    });
    leaks
}
