//! A model of trees with handles, as plain as it can be: what the real ones are compared with.

/// A node of the model; its number is its place among all that were ever made.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The parent, and the number of its list.
    pub parent: Option<(usize, usize)>,
    /// Its lists.
    pub lists: [Vec<usize>; 2],
    /// Erased.
    pub erased: bool,
    /// Somebody has a handle.
    pub held: bool,
}

/// All nodes.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    /// By number.
    pub nodes: Vec<Node>,
}

/// Why an edit is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A node was erased.
    Erased,
    /// Two owners, a cycle, another list, a range that is none.
    Invalid,
}

impl Forest {
    /// A new root with a handle.
    pub fn make_root(&mut self) -> usize {
        self.nodes.push(Node {
            held: true,
            ..Node::default()
        });
        self.nodes.len() - 1
    }

    /// The node and those above it.
    pub fn ancestors_of(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |at| self.nodes[*at].parent.map(|(parent, _)| parent))
    }

    /// The place of a node in its list.
    #[must_use]
    pub fn place_of(&self, node: usize) -> Option<usize> {
        let (parent, list) = self.nodes[node].parent?;
        self.nodes[parent].lists[list]
            .iter()
            .position(|other| *other == node)
    }

    /// The node behind one, in its list.
    #[must_use]
    pub fn next_sibling(&self, node: usize) -> Option<usize> {
        let (parent, list) = self.nodes[node].parent?;
        self.nodes[parent].lists[list]
            .get(self.place_of(node)? + 1)
            .copied()
    }

    /// Puts a root into a list at a place, which is within it.
    ///
    /// # Errors
    /// As the real one.
    pub fn attach(&mut self, parent: usize, list: usize, place: usize, child: usize) -> Result<(), Refused> {
        if self.nodes[parent].erased || self.nodes[child].erased {
            return Err(Refused::Erased);
        }
        if self.nodes[child].parent.is_some() || self.ancestors_of(parent).any(|above| above == child) {
            return Err(Refused::Invalid);
        }
        self.nodes[parent].lists[list].insert(place, child);
        self.nodes[child].parent = Some((parent, list));
        Ok(())
    }

    /// Makes a node a root.
    ///
    /// # Errors
    /// It was erased.
    pub fn detach(&mut self, node: usize) -> Result<(), Refused> {
        if self.nodes[node].erased {
            return Err(Refused::Erased);
        }
        if let Some((parent, list)) = self.nodes[node].parent.take() {
            self.nodes[parent].lists[list].retain(|other| *other != node);
        }
        Ok(())
    }

    /// Moves a range before a node of a list, or to its end.
    ///
    /// # Errors
    /// As the real one.
    pub fn splice(
        &mut self,
        (parent, list): (usize, usize),
        before: Option<usize>,
        first: usize,
        last: usize,
    ) -> Result<(), Refused> {
        let all = [Some(parent), Some(first), Some(last), before];
        if all.into_iter().flatten().any(|node| self.nodes[node].erased) {
            return Err(Refused::Erased);
        }
        let from = self.nodes[first].parent.ok_or(Refused::Invalid)?;
        let target = Some((parent, list));
        if before.is_some_and(|before| self.nodes[before].parent != target)
            || self.nodes[last].parent != Some(from)
        {
            return Err(Refused::Invalid);
        }
        let (start, end) = (
            self.place_of(first).unwrap_or(0),
            self.place_of(last).unwrap_or(0),
        );
        if start > end {
            return Err(Refused::Invalid);
        }
        let moved: Vec<usize> = self.nodes[from.0].lists[from.1][start..=end].to_vec();
        if self
            .ancestors_of(parent)
            .chain(before)
            .any(|node| moved.contains(&node))
        {
            return Err(Refused::Invalid);
        }
        self.nodes[from.0].lists[from.1].drain(start..=end);
        let at = before.and_then(|before| self.place_of(before));
        let at = at.unwrap_or(self.nodes[parent].lists[list].len());
        for node in &moved {
            self.nodes[*node].parent = target;
        }
        self.nodes[parent].lists[list].splice(at..at, moved);
        Ok(())
    }

    /// Erases a node with all below it.
    ///
    /// # Errors
    /// It was erased before.
    pub fn erase(&mut self, node: usize) -> Result<(), Refused> {
        self.detach(node)?;
        let mut work = vec![node];
        while let Some(at) = work.pop() {
            let place = &mut self.nodes[at];
            (place.erased, place.parent) = (true, None);
            work.extend(place.lists.iter_mut().flat_map(std::mem::take));
        }
        Ok(())
    }

    /// How many nodes are alive: those with handles, and all in a tree with a handle to any.
    #[must_use]
    pub fn live_count(&self) -> usize {
        let root = |node: usize| self.ancestors_of(node).last().unwrap_or(node);
        let held: std::collections::HashSet<usize> = (0..self.nodes.len())
            .filter(|node| self.nodes[*node].held)
            .map(root)
            .collect();
        (0..self.nodes.len())
            .filter(|node| held.contains(&root(*node)))
            .count()
    }
}
