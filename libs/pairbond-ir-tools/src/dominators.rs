//! The tree of immediate dominators of a graph.
//!
//! It is computed as Lengauer and Tarjan do it ("A Fast Algorithm for Finding Dominators in a
//! Flowgraph"), in the simple way: with path compression, in time that grows with the edges times
//! the logarithm of their number.
//!
//! Not taken: the algorithm of Cooper, Harvey and Kennedy, which is as quick for most functions,
//! and quadratic where many blocks go to a common exit.

use crate::room::{Gather, filled_vec};

/// Paths in the tree of a depth-first search, compressed: each vertex has the one with the least
/// semidominator between it and its ancestor.
struct Forest {
    /// `usize::MAX` for roots.
    ancestors: Vec<usize>,
    best: Vec<usize>,
    semidominators: Vec<usize>,
    path: Vec<usize>,
}

impl Forest {
    fn best_of(&mut self, vertex: usize) -> usize {
        let mut at = vertex;
        while let Some(above) = self.linked_above(at) {
            self.path.push(at);
            at = above;
        }
        // From the top, whose ancestor is a root.
        while let Some(at) = self.path.pop() {
            let above = self.ancestors[at];
            let (own, better) = (self.best[at], self.best[above]);
            if self.semidominators[better] < self.semidominators[own] {
                self.best[at] = better;
            }
            self.ancestors[at] = self.ancestors[above];
        }
        self.best[vertex]
    }

    /// The ancestor of a vertex, if that is no root.
    fn linked_above(&self, vertex: usize) -> Option<usize> {
        let above = self.ancestors[vertex];
        (above != usize::MAX && self.ancestors[above] != usize::MAX).then_some(above)
    }
}

/// Immediate dominators by number of a depth-first search, of which these are the parents. Number 0
/// is the entry.
///
/// # Panics
/// There are fewer parents than lists of predecessors, or a number is none of a vertex.
#[must_use]
pub fn immediate_dominators(predecessors: &[Vec<usize>], parents: &[usize]) -> Vec<usize> {
    let count = predecessors.len();
    let numbers = || (0..count).gather();
    let mut forest = Forest {
        ancestors: filled_vec(usize::MAX, count),
        best: numbers(),
        semidominators: numbers(),
        path: filled_vec(0, count),
    };
    forest.path.clear();
    let mut found = filled_vec(0, count);
    // By number, the first vertex that it is the semidominator of; by vertex, the next.
    let (mut first, mut next) = (filled_vec(usize::MAX, count), filled_vec(usize::MAX, count));
    for vertex in (1..count).rev() {
        for before in &predecessors[vertex] {
            let best = forest.best_of(*before);
            let least = forest.semidominators[best].min(forest.semidominators[vertex]);
            forest.semidominators[vertex] = least;
        }
        let semidominator = forest.semidominators[vertex];
        next[vertex] = std::mem::replace(&mut first[semidominator], vertex);
        let parent = parents[vertex];
        forest.ancestors[vertex] = parent;
        let mut waiting = std::mem::replace(&mut first[parent], usize::MAX);
        while waiting != usize::MAX {
            let best = forest.best_of(waiting);
            let is_less = forest.semidominators[best] < forest.semidominators[waiting];
            found[waiting] = if is_less { best } else { parent };
            waiting = next[waiting];
        }
    }
    for vertex in 1..count {
        if found[vertex] != forest.semidominators[vertex] {
            found[vertex] = found[found[vertex]];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::immediate_dominators;

    /// The numbers of a depth-first search, the parents, and the edges between them.
    fn depth_first_search(edges: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut numbers = vec![usize::MAX; edges.len()];
        let (mut parents, mut waiting) = (Vec::new(), vec![(0, 0)]);
        while let Some((at, parent)) = waiting.pop() {
            if numbers[at] == usize::MAX {
                numbers[at] = parents.len();
                parents.push(parent);
                waiting.extend(edges[at].iter().rev().map(|it| (*it, numbers[at])));
            }
        }
        let mut predecessors = vec![Vec::new(); parents.len()];
        for (from, all) in edges.iter().enumerate().filter(|it| numbers[it.0] != usize::MAX) {
            for to in all {
                predecessors[numbers[*to]].push(numbers[from]);
            }
        }
        (predecessors, parents)
    }

    /// Those without which a vertex cannot be come to.
    fn find_dominated(predecessors: &[Vec<usize>], without: usize) -> Vec<bool> {
        let mut reached = vec![false; predecessors.len()];
        reached[0] = without != 0;
        loop {
            let before = reached.clone();
            for (vertex, all) in predecessors.iter().enumerate().skip(1) {
                reached[vertex] |= vertex != without && all.iter().any(|it| reached[*it]);
            }
            if reached == before {
                return reached;
            }
        }
    }

    #[test]
    fn dominators_are_those_by_definition() {
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for round in 0..2_000 {
            let count = 1 + random(12);
            let edges: Vec<Vec<usize>> = (0..count)
                .map(|_| (0..random(4)).map(|_| random(count)).collect())
                .collect();
            let (predecessors, parents) = depth_first_search(&edges);
            let found = immediate_dominators(&predecessors, &parents);
            for dominator in 0..found.len() {
                let reached = find_dominated(&predecessors, dominator);
                for (vertex, is_reached) in reached.iter().enumerate() {
                    let mut above = std::iter::successors(Some(vertex), |it| (*it != 0).then(|| found[*it]));
                    let dominates = above.any(|it| it == dominator);
                    assert_eq!(
                        dominates, !is_reached,
                        "{dominator} and {vertex} of {edges:?}, {round}"
                    );
                }
            }
        }
    }
}
