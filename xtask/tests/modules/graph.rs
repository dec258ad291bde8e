//! The graph of the files of a crate, and its cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::source::Crate;

/// For each file, the files that it uses, each with one used item as an example.
pub(crate) struct Graph {
    uses: BTreeMap<String, BTreeMap<String, String>>,
}

impl Graph {
    pub(crate) fn of(source: &Crate) -> Self {
        let mut uses: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for module in source.modules() {
            let from = uses.entry(module.file.clone()).or_default();
            for path in &module.uses {
                if let Some((target, item)) = source.definition(module, path)
                    && target.file != module.file
                {
                    from.entry(target.file.clone()).or_insert(item);
                }
            }
        }
        Self { uses }
    }

    pub(crate) fn files(&self) -> usize {
        self.uses.len()
    }

    /// Returns the cycles: groups of files that use each other, each as a list of these uses.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            self.uses.keys().map(|file| (file.as_str(), self.reachable(file))).collect();
        let mut seen = BTreeSet::new();
        let mut cycles = Vec::new();
        for (file, reached) in &reach {
            if !reached.contains(file) || seen.contains(file) {
                continue;
            }
            let group: BTreeSet<&str> =
                reached.iter().copied().filter(|other| reach[other].contains(file)).collect();
            let mut text = String::new();
            for from in &group {
                for (to, item) in &self.uses[*from] {
                    if group.contains(to.as_str()) {
                        writeln!(text, "  {from} uses {item} of {to}").ok();
                    }
                }
            }
            seen.extend(group);
            cycles.push(text);
        }
        cycles
    }

    /// Returns the files that a file uses, directly or through others.
    fn reachable<'a>(&'a self, file: &'a str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut pending = vec![file];
        while let Some(next) = pending.pop() {
            let used = self.uses.get(next).into_iter().flat_map(BTreeMap::keys);
            pending.extend(used.map(String::as_str).filter(|file| reached.insert(*file)));
        }
        reached
    }
}
