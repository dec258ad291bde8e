//! The strongly connected components of a graph, in a single pass.

/// Returns a number for each node. Two nodes have the same number if each can be reached from the
/// other. `edges` lists the targets of each node.
///
/// This is the path-based algorithm of Gabow, without recursion: the time grows with the number of
/// nodes and edges, and a long chain does not exhaust the stack.
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut search = Search {
        visited: vec![None; edges.len()],
        found: vec![None; edges.len()],
        count: 0,
        open: Vec::new(),
        heads: Vec::new(),
    };
    for root in 0..edges.len() {
        if search.visited(root).is_none() {
            search.run(edges, root);
        }
    }
    search.found.into_iter().map(Option::unwrap_or_default).collect()
}

struct Search {
    /// When each node was visited.
    visited: Vec<Option<usize>>,
    /// The component of each node, once it is complete: the first node that was visited in it.
    found: Vec<Option<usize>>,
    /// Number of visited nodes.
    count: usize,
    /// The nodes whose component is not complete, in the order of their visits.
    open: Vec<usize>,
    /// The first node of each component on the path to the current node, as far as it is known.
    heads: Vec<usize>,
}

impl Search {
    fn visited(&self, node: usize) -> Option<usize> {
        self.visited.get(node).copied().flatten()
    }

    /// Visits all nodes that can be reached from a node.
    fn run(&mut self, edges: &[Vec<usize>], root: usize) {
        let targets = |node: usize| edges.get(node).map(Vec::as_slice).unwrap_or_default().iter();
        self.enter(root);
        let mut path = vec![(root, targets(root))];
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            match rest.next() {
                Some(&next) if self.visited(next).is_none() => {
                    self.enter(next);
                    path.push((next, targets(next)));
                }
                Some(&next) => self.join(next),
                None => {
                    self.leave(node);
                    path.pop();
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        if let Some(visited) = self.visited.get_mut(node) {
            *visited = Some(self.count);
        }
        self.count += 1;
        self.open.push(node);
        self.heads.push(node);
    }

    /// Joins the components on the path back to a visited node, unless its component is complete.
    fn join(&mut self, next: usize) {
        if self.found.get(next).is_none_or(Option::is_some) {
            return;
        }
        while self.heads.last().is_some_and(|&head| self.visited(head) > self.visited(next)) {
            self.heads.pop();
        }
    }

    /// Completes the component of a node if the node is its first one.
    fn leave(&mut self, node: usize) {
        if self.heads.pop_if(|head| *head == node).is_none() {
            return;
        }
        while let Some(member) = self.open.pop() {
            if let Some(found) = self.found.get_mut(member) {
                *found = Some(node);
            }
            if member == node {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn nodes_that_reach_each_other_are_together() {
        assert_eq!(components(&[]), [0; 0]);
        // A chain, a node with an edge to itself, and a ring with a tail.
        assert_eq!(components(&[vec![1], vec![2], vec![]]), [0, 1, 2]);
        assert_eq!(components(&[vec![0, 0]]), [0]);
        assert_eq!(
            components(&[vec![1], vec![2], vec![1, 3], vec![0, 4], vec![]]),
            [0, 0, 0, 0, 4]
        );
        // Two rings that share a node, and an edge into a complete component.
        let rings = [vec![1], vec![0, 2], vec![1], vec![2]];
        assert_eq!(components(&rings), [0, 0, 0, 3]);
    }

    /// Compares with the definition, on every graph of three nodes.
    #[test]
    fn every_small_graph_is_correct() {
        for bits in 0_u32..512 {
            let has = |from: usize, to: usize| bits & (1 << (from * 3 + to)) > 0;
            let edges: Vec<Vec<usize>> =
                (0..3).map(|from| (0..3).filter(|&to| has(from, to)).collect()).collect();
            let third = |from, to| 3 - from - to;
            let reaches = |from: usize, to: usize| {
                from == to
                    || has(from, to)
                    || (has(from, third(from, to)) && has(third(from, to), to))
            };
            let found = components(&edges);
            for (from, to) in [(0, 1), (0, 2), (1, 2)] {
                let together = reaches(from, to) && reaches(to, from);
                assert_eq!(found.get(from) == found.get(to), together, "{edges:?}: {from}, {to}");
            }
        }
    }
}
