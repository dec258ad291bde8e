//! Checks the dependencies between crates: compares `cargo metadata` with a table of rules.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The dependencies that a crate of the workspace may have.
struct Rule {
    /// The name of the crate in this workspace: that of its folder, after `methodical-` in
    /// the runtime. The name of its package may differ.
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
        name: "tests",
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
        name: "simulation",
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
        name: "wasm",
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
/// If `cargo metadata` cannot be run or its output is invalid.
pub fn violations(root: &Path) -> Result<Vec<String>, String> {
    // Without the filter, cargo would download the packages of all other platforms.
    let version = output_of("RUSTC", "rustc", &["-vV"], root)?;
    let version = String::from_utf8_lossy(&version);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let arguments =
        ["metadata", "--format-version", "1", "--all-features", "--filter-platform", host];
    let output = output_of("CARGO", "cargo", &arguments, root)?;
    let metadata = serde_json::from_slice(&output)
        .map_err(|error| format!("cannot read the output of cargo metadata: {error}"))?;
    Ok(judge(&metadata))
}

/// Runs a program, which an environment variable may override, and returns its output.
fn output_of(
    variable: &str,
    name: &str,
    arguments: &[&str],
    root: &Path,
) -> Result<Vec<u8>, String> {
    let program = std::env::var_os(variable).unwrap_or_else(|| name.into());
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run {name}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{name} {}` failed:\n{}", arguments.join(" "), stderr.trim_end()))
}

/// Returns whether a folder has a crate of the runtime.
fn is_runtime(folder: &Path) -> bool {
    folder.parent().is_some_and(|parent| parent.ends_with("methodical"))
}

fn judge(metadata: &Value) -> Vec<String> {
    let graph = Graph { metadata };
    let mut violations = Vec::new();
    let members: BTreeSet<&str> = graph.members().collect();
    for member in &members {
        if !RULES.iter().any(|rule| rule.name == *member) {
            violations.push(format!("`{member}` has no rule; add one to xtask/src/layers.rs"));
        }
    }
    for Rule { name, may_use, never } in RULES.iter().filter(|rule| members.contains(rule.name)) {
        for used in graph.direct(name) {
            if members.contains(used) && !may_use.contains(&used) {
                violations.push(format!("`{name}` must not depend on `{used}`"));
            }
            if CLIENTS.contains(name) && CLIENT_NEVER_DIRECT.contains(&used) {
                violations.push(format!(
                    "`{name}` must not depend on `{used}` directly; use it in a transport"
                ));
            }
        }
        for (below, path) in graph.below(name) {
            if never.contains(&below) {
                let path = path.join(" → ");
                violations.push(format!(
                    "`{name}` must not depend on `{below}`, even indirectly: {path}"
                ));
            }
        }
    }
    violations
}

/// The dependency graph of `cargo metadata`, without development dependencies.
struct Graph<'a> {
    metadata: &'a Value,
}

impl<'a> Graph<'a> {
    fn packages(&self) -> &'a [Value] {
        list(self.metadata, "packages")
    }

    fn package(&self, id: &str) -> Option<&'a Value> {
        self.packages().iter().find(|package| text(package, "id") == Some(id))
    }

    fn named(&self, name: &str) -> Option<&'a Value> {
        self.packages().iter().find(|package| self.name_of(package) == Some(name))
    }

    fn name(&self, id: &str) -> Option<&'a str> {
        self.name_of(self.package(id)?)
    }

    /// Returns the name of a package; for a member of the workspace, that of its folder.
    fn name_of(&self, package: &'a Value) -> Option<&'a str> {
        let id = text(package, "id")?;
        let is_member = list(self.metadata, "workspace_members").iter().any(|member| member == id);
        let folder = text(package, "manifest_path").map(Path::new).and_then(Path::parent);
        match folder.and_then(Path::file_name).and_then(OsStr::to_str) {
            Some(name) if is_member && folder.is_some_and(is_runtime) => {
                let mut names = RULES.iter().map(|rule| rule.name);
                names.find(|rule| rule.strip_prefix("methodical-") == Some(name)).or(Some(name))
            }
            Some(name) if is_member => Some(name),
            _ => text(package, "name"),
        }
    }

    fn members(&self) -> impl Iterator<Item = &'a str> {
        let ids = list(self.metadata, "workspace_members").iter();
        ids.filter_map(|id| self.name(id.as_str()?))
    }

    /// Returns the direct dependencies of a crate, without development dependencies.
    fn direct(&self, name: &str) -> BTreeSet<&'a str> {
        let dependencies = self.named(name).map(|package| list(package, "dependencies"));
        let dependencies = dependencies.unwrap_or_default().iter();
        dependencies
            .filter(|dependency| text(dependency, "kind") != Some("dev"))
            .filter_map(|dependency| match dependency.get("path") {
                Some(_) => key(dependency),
                None => text(dependency, "name"),
            })
            .collect()
    }

    /// Returns whether no active feature enables this dependency: `log?/std` alone puts `log` into the
    /// graph of `cargo metadata`, but not into a build.
    fn is_only_mentioned(&self, node: &'a Value, dependency: &str) -> bool {
        let Some(package) = text(node, "id").and_then(|id| self.package(id)) else { return false };
        let name = self.name(dependency);
        let of_name = |one: &&Value| text(one, "name") == name || key(one) == name;
        let is_built = |one: &&Value| text(one, "kind") != Some("dev");
        let mut declared =
            list(package, "dependencies").iter().filter(is_built).filter(of_name).peekable();
        if declared.peek().is_none() {
            return false;
        }
        let active: BTreeSet<&str> =
            list(node, "features").iter().filter_map(Value::as_str).collect();
        let enabled: Vec<&str> = active
            .iter()
            .filter_map(|feature| Some(list(package.get("features")?, feature)))
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        declared.all(|one| {
            let optional = one.get("optional").and_then(Value::as_bool).unwrap_or_default();
            let Some(name) = key(one) else { return false };
            let turns_on = |item: &&str| {
                let item = item.strip_prefix("dep:").unwrap_or(item);
                item == name || item.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
            };
            optional && !active.contains(name) && !enabled.iter().any(turns_on)
        })
    }

    /// Returns all dependencies of a crate, direct and indirect, each with one path to it.
    fn below(&self, name: &'a str) -> Vec<(&'a str, Vec<&'a str>)> {
        let nodes =
            self.metadata.get("resolve").map(|resolve| list(resolve, "nodes")).unwrap_or_default();
        let Some(start) = self.named(name).and_then(|package| text(package, "id")) else {
            return Vec::new();
        };
        let mut seen = BTreeSet::from([start]);
        let mut pending = vec![(start, vec![name])];
        let mut below = Vec::new();
        while let Some((id, path)) = pending.pop() {
            let Some(node) = nodes.iter().find(|node| text(node, "id") == Some(id)) else {
                continue;
            };
            for dep in list(node, "deps") {
                // `cfg(any())` is never true: such an entry only ties versions together.
                let is_built = list(dep, "dep_kinds").iter().any(|kind| {
                    text(kind, "kind") != Some("dev") && text(kind, "target") != Some("cfg(any())")
                });
                let Some(next) = text(dep, "pkg") else { continue };
                if !is_built || seen.contains(next) || self.is_only_mentioned(node, next) {
                    continue;
                }
                seen.insert(next);
                if let Some(name) = self.name(next) {
                    let path: Vec<_> = path.iter().copied().chain([name]).collect();
                    below.push((name, path.clone()));
                    pending.push((next, path));
                }
            }
        }
        below
    }
}

/// Returns the key of a dependency in the manifest. For a crate of this workspace, it is the name of its folder.
fn key(dependency: &Value) -> Option<&str> {
    text(dependency, "rename").or_else(|| text(dependency, "name"))
}

/// Returns the array under a key; empty if it is missing.
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns the string under a key.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::judge;

    #[test]
    fn a_disabled_dependency_is_ignored() {
        let metadata = |features: &[&str]| {
            json!({
                "packages": [
                    { "id": "gateway-model", "name": "gateway-model", "dependencies": [] },
                    {
                        "id": "helper",
                        "name": "helper",
                        "dependencies": [{ "name": "log", "kind": null, "optional": true }],
                        "features": { "std": ["log?/std"], "logging": ["dep:log"] },
                    },
                    { "id": "log", "name": "log", "dependencies": [] },
                ],
                "workspace_members": ["gateway-model"],
                "resolve": { "nodes": [
                    { "id": "gateway-model", "deps": [{ "pkg": "helper", "dep_kinds": [{ "kind": null }] }] },
                    {
                        "id": "helper",
                        "features": features,
                        "deps": [{ "pkg": "log", "dep_kinds": [{ "kind": null }] }],
                    },
                ] },
            })
        };
        assert_eq!(judge(&metadata(&["std"])), [""; 0]);
        assert_eq!(
            judge(&metadata(&["std", "logging"])),
            [
                "`gateway-model` must not depend on `log`, even indirectly: gateway-model → helper → log"
            ]
        );
    }

    #[test]
    fn each_violation_is_reported() {
        let package = |name: &str, uses: &[&str]| {
            let dependencies: Vec<_> =
                uses.iter().map(|name| json!({ "name": name, "kind": null })).collect();
            json!({ "id": name, "name": name, "dependencies": dependencies })
        };
        let node = |id: &str, uses: &[&str]| {
            let deps: Vec<_> = uses
                .iter()
                .map(|id| json!({ "pkg": id, "dep_kinds": [{ "kind": null }] }))
                .collect();
            json!({ "id": id, "deps": deps })
        };
        let metadata = json!({
            "packages": [
                package("gateway-model", &["gateway-client", "helper"]),
                package("gateway-client", &["reqwest"]),
                package("helper", &["tokio"]),
                package("tokio", &[]),
                package("reqwest", &[]),
                package("stranger", &[]),
            ],
            "workspace_members": ["gateway-model", "gateway-client", "stranger"],
            "resolve": { "nodes": [
                node("gateway-model", &["helper"]),
                node("helper", &["tokio"]),
            ] },
        });
        assert_eq!(
            judge(&metadata),
            [
                "`stranger` has no rule; add one to xtask/src/layers.rs",
                "`gateway-model` must not depend on `gateway-client`",
                "`gateway-model` must not depend on `tokio`, even indirectly: gateway-model → helper → tokio",
                "`gateway-client` must not depend on `reqwest` directly; use it in a transport",
            ]
        );
    }
}
