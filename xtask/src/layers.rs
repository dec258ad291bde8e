//! Checks the dependencies between crates: compares `cargo tree` with a table of rules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::components::cargo;

/// The dependencies that a crate of the workspace may have.
struct Rule {
    name: &'static str,
    /// The crates of the workspace on which it may depend.
    may_use: &'static [&'static str],
    /// Crates on which it must not depend, directly or indirectly, with all features enabled.
    never: &'static [&'static str],
}

/// The rules, lowest layer first: a crate may depend only on crates that precede it in this table.
const RULES: &[Rule] = &[
    Rule {
        name: "methodical-model",
        may_use: &[],
        never: &["http", "hyper", "log", "reqwest", "rustls", "tokio", "tracing", "ureq", "url"],
    },
    Rule {
        name: "gateway-model",
        may_use: &["methodical-model"],
        never: &["http", "hyper", "log", "reqwest", "rustls", "tokio", "tracing", "ureq", "url"],
    },
    Rule { name: "gateway-transport", may_use: &[], never: &["axum", "rusqlite"] },
    Rule {
        name: "methodical-client",
        may_use: &["methodical-model", "gateway-transport"],
        never: &["axum", "rusqlite"],
    },
    Rule {
        name: "methodical-postgres",
        may_use: &[],
        never: &["axum", "hyper", "reqwest", "rusqlite", "ureq"],
    },
    Rule {
        name: "methodical-serve",
        may_use: &[],
        never: &["axum", "clap", "reqwest", "rusqlite", "ureq"],
    },
    Rule {
        name: "methodical-mirror",
        may_use: &["methodical-model", "methodical-client", "methodical-postgres"],
        never: &["axum"],
    },
    Rule { name: "methodical-dashboard", may_use: &["methodical-mirror"], never: &["clap"] },
    Rule {
        name: "gateway-client",
        may_use: &["gateway-model", "methodical-client"],
        never: &["axum", "rusqlite"],
    },
    Rule {
        name: "methodical-testkit",
        may_use: &["methodical-model", "gateway-transport"],
        never: &["rusqlite"],
    },
    Rule {
        name: "gateway-testkit",
        may_use: &["gateway-model", "gateway-transport", "methodical-testkit"],
        never: &["rusqlite"],
    },
    Rule {
        name: "methodical-cli",
        may_use: &["methodical-client", "methodical-mirror", "methodical-dashboard"],
        never: &["wiremock"],
    },
    Rule {
        name: "gateway-server",
        may_use: &["gateway-model", "methodical-postgres", "methodical-serve"],
        never: &["reqwest", "ureq"],
    },
    Rule {
        name: "gateway-cli",
        may_use: &[
            "gateway-model",
            "gateway-transport",
            "gateway-client",
            "gateway-testkit",
            "methodical-cli",
            "gateway-server",
        ],
        never: &[],
    },
    Rule { name: "methodical-codegen", may_use: &[], never: &["tokio"] },
    Rule { name: "xtask", may_use: &["methodical-codegen"], never: &["tokio"] },
    Rule {
        name: "gateway-tests",
        may_use: &[
            "methodical-model",
            "gateway-model",
            "gateway-transport",
            "methodical-client",
            "gateway-client",
            "gateway-testkit",
            "gateway-server",
            "gateway-cli",
            "methodical-codegen",
        ],
        never: &[],
    },
    Rule {
        name: "gateway-tests-simulation",
        may_use: &[
            "gateway-model",
            "gateway-transport",
            "methodical-client",
            "gateway-client",
            "methodical-mirror",
            "gateway-server",
        ],
        never: &[],
    },
    Rule {
        name: "gateway-tests-wasm",
        may_use: &["gateway-client", "methodical-testkit", "gateway-transport"],
        never: &[],
    },
];

/// The crates of the clients.
const CLIENTS: &[&str] = &["methodical-client", "gateway-client"];

/// Crates on which the clients must not depend directly. Only transports use them.
const CLIENT_NEVER_DIRECT: &[&str] = &["hyper", "reqwest", "ureq", "url"];

/// Returns the violations of the rules, one line each.
///
/// # Errors
/// If `cargo tree` cannot be run or fails.
pub fn violations(root: &Path) -> Result<Vec<String>, String> {
    let edges = ["--edges", "normal,build", "--prefix", "depth"];
    let tree = cargo(root, &[&["tree", "--workspace", "--all-features"][..], &edges].concat())?;
    Ok(judge(&String::from_utf8_lossy(&tree)))
}

/// Returns the violations in the output of `cargo tree`, whose lines begin with their depth.
fn judge(tree: &str) -> Vec<String> {
    let graph = Graph::of(tree);
    let unknown = graph.members.iter().filter(|name| RULES.iter().all(|rule| rule.name != **name));
    let mut violations: Vec<_> = unknown
        .map(|member| format!("`{member}` has no rule; add one to xtask/src/layers.rs"))
        .collect();
    for Rule { name, may_use, never } in
        RULES.iter().filter(|rule| graph.members.contains(rule.name))
    {
        for used in graph.direct(name) {
            if graph.members.contains(used) && !may_use.contains(&used) {
                violations.push(format!("`{name}` must not depend on `{used}`"));
            }
            if CLIENTS.contains(name) && CLIENT_NEVER_DIRECT.contains(&used) {
                violations.push(format!(
                    "`{name}` must not depend on `{used}` directly; use it in a transport"
                ));
            }
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
struct Graph<'a> {
    /// The crates of the workspace.
    members: BTreeSet<&'a str>,
    edges: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Graph<'a> {
    fn of(tree: &'a str) -> Self {
        let mut graph = Self::default();
        let mut above: Vec<&str> = Vec::new();
        for line in tree.lines() {
            let digits = line.chars().take_while(char::is_ascii_digit).count();
            let (depth, package) = line.split_at_checked(digits).unwrap_or_default();
            let (Ok(depth), Some(name)) = (depth.parse(), package.split(' ').next()) else {
                continue;
            };
            above.truncate(depth);
            match above.last() {
                Some(user) => _ = graph.edges.entry(user).or_default().insert(name),
                None => _ = graph.members.insert(name),
            }
            above.push(name);
        }
        graph
    }

    fn direct(&self, name: &str) -> impl Iterator<Item = &'a str> {
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
                "`gateway-model` must not depend on `gateway-client`",
                "`gateway-model` must not depend on `reqwest`, even indirectly: gateway-model → gateway-client → reqwest",
                "`gateway-model` must not depend on `tokio`, even indirectly: gateway-model → helper → tokio",
                "`gateway-client` must not depend on `reqwest` directly; use it in a transport",
            ]
        );
    }

    #[test]
    fn allowed_dependencies_are_not_reported() {
        let tree = "0gateway-client v1.0.0\n1gateway-model v1.0.0\n2serde v1.0.0\n0gateway-model v1.0.0 (*)\n";
        assert_eq!(judge(tree), [""; 0]);
    }
}
