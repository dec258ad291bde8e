//! Checks the dependencies between crates: compares `cargo tree` with a table of rules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::components::cargo;

/// The rules, lowest layer first: a crate may depend only on crates that precede it in this table. Each row has a
/// crate, the crates of the workspace on which it depends, and the crates on which it must not depend, directly or
/// indirectly, with all features enabled. A crate may have several rows.
const RULES: &str = "
methodical-model         |                                                      | http hyper log reqwest rustls tokio tracing ureq url
gateway-model            | methodical-model                                     | http hyper log reqwest rustls tokio tracing ureq url
gateway-transport        |                                                      | axum rusqlite
methodical-client        | methodical-model gateway-transport                   | axum rusqlite
methodical-postgres      |                                                      | axum hyper reqwest rusqlite ureq
methodical-serve         |                                                      | axum clap reqwest rusqlite ureq
methodical-mirror        | methodical-model methodical-client                   | axum
methodical-mirror        | methodical-postgres                                  |
methodical-dashboard     | methodical-mirror methodical-serve                   | clap
gateway-client           | gateway-model methodical-client                      | axum rusqlite
methodical-testkit       | methodical-model gateway-transport                   | rusqlite
gateway-testkit          | gateway-model gateway-transport methodical-testkit   | rusqlite
methodical-cli           | methodical-client methodical-mirror                  |
methodical-cli           | methodical-dashboard methodical-testkit              |
gateway-server           | gateway-model methodical-postgres methodical-serve   | ureq
gateway-cli              | gateway-client gateway-testkit                       |
gateway-cli              | methodical-cli gateway-server                        |
methodical-codegen       |                                                      | tokio
xtask                    | methodical-codegen                                   | tokio
gateway-tests            |                                                      |
gateway-tests-simulation |                                                      |
gateway-tests-wasm       | methodical-testkit gateway-transport                 |
";

/// The dependencies that a crate of the workspace has, and those that it must not have.
#[derive(Default)]
struct Rule {
    uses: Vec<&'static str>,
    never: Vec<&'static str>,
}

/// Returns the rules by the names of the crates.
fn rules() -> BTreeMap<&'static str, Rule> {
    let mut rules: BTreeMap<&str, Rule> = BTreeMap::new();
    for row in RULES.lines() {
        let mut cells = row.split('|').map(str::split_whitespace);
        let Some(name) = cells.next().and_then(|mut cell| cell.next()) else { continue };
        let rule = rules.entry(name).or_default();
        rule.uses.extend(cells.next().into_iter().flatten());
        rule.never.extend(cells.next().into_iter().flatten());
    }
    rules
}

/// The crates of the clients.
const CLIENTS: &[&str] = &["methodical-client", "gateway-client"];

/// Crates on which the clients must not depend directly. Only transports use them.
const CLIENT_NEVER_DIRECT: &[&str] = &["hyper", "reqwest", "ureq", "url"];

/// Returns the violations of the rules, one line each.
///
/// # Errors
/// Fails if `cargo tree` cannot be run or fails.
pub fn violations(root: &Path) -> Result<Vec<String>, String> {
    let edges = ["--edges", "normal,build", "--prefix", "depth"];
    let tree = cargo(root, &[&["tree", "--workspace", "--all-features"][..], &edges].concat())?;
    Ok(judge(&String::from_utf8_lossy(&tree)))
}

/// Returns the violations in the output of `cargo tree`, whose lines begin with their depth.
fn judge(tree: &str) -> Vec<String> {
    let graph = Graph::of(tree, |package| package.split(' ').next().unwrap_or_default());
    let rules = rules();
    let unknown = graph.members.iter().filter(|name| !rules.contains_key(*name));
    let mut violations: Vec<_> = unknown
        .map(|member| format!("`{member}` has no rule; add one to xtask/src/layers.rs"))
        .collect();
    for (name, Rule { uses, never }) in
        rules.iter().filter(|(name, _)| graph.members.contains(*name))
    {
        for used in graph.direct(name) {
            if graph.members.contains(used) && !uses.contains(&used) {
                violations.push(format!("`{name}` must not depend on `{used}`"));
            }
            if CLIENTS.contains(name) && CLIENT_NEVER_DIRECT.contains(&used) {
                violations.push(format!(
                    "`{name}` must not depend on `{used}` directly; use it in a transport"
                ));
            }
        }
        for unused in uses.iter().filter(|used| !graph.direct(name).any(|direct| direct == **used))
        {
            violations.push(format!(
                "`{name}` does not depend on `{unused}`; remove the rule from xtask/src/layers.rs"
            ));
        }
        for path in graph.below(name) {
            let Some(below) = path.last().filter(|below| never.contains(*below)) else { continue };
            let path = path.join(" → ");
            violations
                .push(format!("`{name}` must not depend on `{below}`, even indirectly: {path}"));
        }
    }
    violations
}

/// The dependencies of all crates, by name.
#[derive(Default)]
pub(crate) struct Graph<'a> {
    /// The crates of the workspace.
    members: BTreeSet<&'a str>,
    edges: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Graph<'a> {
    /// Reads the output of `cargo tree` whose lines begin with their depth. `named` returns the name in the rest of a
    /// line.
    pub(crate) fn of(tree: &'a str, named: fn(&str) -> &str) -> Self {
        let mut graph = Self::default();
        let mut above: Vec<&str> = Vec::new();
        for line in tree.lines() {
            let digits = line.chars().take_while(char::is_ascii_digit).count();
            let (depth, package) = line.split_at_checked(digits).unwrap_or_default();
            let (Ok(depth), name) = (depth.parse(), named(package)) else { continue };
            above.truncate(depth);
            match above.last() {
                Some(user) => _ = graph.edges.entry(user).or_default().insert(name),
                None => _ = graph.members.insert(name),
            }
            above.push(name);
        }
        graph
    }

    /// Returns the names of all crates.
    pub(crate) fn names(&self) -> BTreeSet<&'a str> {
        self.members.iter().chain(self.edges.values().flatten()).copied().collect()
    }

    pub(crate) fn direct(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.edges.get(name).into_iter().flatten().copied()
    }

    /// Returns a path to each direct and indirect dependency of a crate.
    fn below(&self, name: &'a str) -> Vec<Vec<&'a str>> {
        let mut seen = BTreeSet::from([name]);
        let mut paths = vec![vec![name]];
        let mut next = 0;
        while let Some(path) = paths.get(next).cloned() {
            let user = path.last().copied().unwrap_or(name);
            for used in self.direct(user).filter(|used| seen.insert(used)) {
                paths.push([path.as_slice(), &[used]].concat());
            }
            next += 1;
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn each_violation_is_reported() {
        let tree = "\
0gateway-client v1.0.0 (/gateway/client)
1reqwest v1.0.0
0gateway-model v1.0.0 (/gateway/model)
1gateway-client v1.0.0 (/gateway/client) (*)
1helper v1.0.0
2tokio v1.0.0

0stranger v1.0.0 (/gateway/stranger)
1helper v1.0.0 (*)
";
        assert_eq!(
            judge(tree),
            [
                "`stranger` has no rule; add one to xtask/src/layers.rs",
                "`gateway-client` must not depend on `reqwest` directly; use it in a transport",
                "`gateway-client` does not depend on `gateway-model`; remove the rule from xtask/src/layers.rs",
                "`gateway-client` does not depend on `methodical-client`; remove the rule from xtask/src/layers.rs",
                "`gateway-model` must not depend on `gateway-client`",
                "`gateway-model` does not depend on `methodical-model`; remove the rule from xtask/src/layers.rs",
                "`gateway-model` must not depend on `reqwest`, even indirectly: gateway-model → gateway-client → reqwest",
                "`gateway-model` must not depend on `tokio`, even indirectly: gateway-model → helper → tokio",
            ]
        );
    }

    #[test]
    fn allowed_dependencies_are_not_reported() {
        let tree = "\
0gateway-client v1.0.0
1gateway-model v1.0.0
2methodical-model v1.0.0
3serde v1.0.0
1methodical-client v1.0.0
0methodical-model v1.0.0 (*)
0gateway-model v1.0.0 (*)
";
        assert_eq!(judge(tree), [""; 0]);
    }
}
