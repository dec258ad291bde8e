//! Compares `docs/limits.md` with the constants of the crates: every constant whose documentation says that it is a limit
//! has a row with its value, and every row has such a constant.

#![expect(clippy::expect_used, reason = "a test that cannot read the sources fails")]

mod constants;
mod value;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// The rows of the table: default, setting and what happens beyond, by crate and path of the constant.
fn rows(text: &str) -> BTreeMap<(String, String), [String; 3]> {
    let (mut package, mut rows) = (String::new(), BTreeMap::new());
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut package);
        }
        let cells = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |"));
        let Some(cells) = cells.filter(|cells| cells.starts_with('`')) else { continue };
        // An escaped bar, as in `a\|b`, does not end a cell.
        let cells: Vec<_> = cells.split(" | ").map(str::to_owned).collect();
        let [path, limit, default, setting, beyond] = cells.try_into().expect("five cells");
        assert!(!limit.is_empty(), "{path}: the first column is empty");
        let key = (package.clone(), path.trim_matches('`').to_owned());
        assert!(rows.insert(key, [default, setting, beyond]).is_none(), "{path} has two rows");
    }
    rows
}

#[test]
fn every_limit_is_in_the_table() {
    let all = constants::all(&workspace().join("crates"));
    assert!(all.len() > 500, "only {} constants were found", all.len());
    let text = fs::read_to_string(workspace().join("docs/limits.md")).expect("the table");
    let mut rows = rows(&text);
    let server = fs::read_to_string(workspace().join("docs/server/limits.md")).expect("the guide");
    let mut wrong = Vec::new();
    for constant in all.iter().filter(|constant| constant.is_limit()) {
        let Some(value) = value::shown(constant, &all) else { continue };
        let (package, path) = (constant.package.clone(), constant.path());
        match rows.remove(&(package.clone(), path.clone())) {
            None => {
                wrong.push(format!("{package}: add | `{path}` | {} | {value} | ", constant.docs));
            }
            Some([default, ..]) if default != value => {
                wrong.push(format!("{package}: `{path}` is {value}, not {default}"));
            }
            Some([.., beyond]) if beyond.is_empty() => {
                wrong.push(format!("{package}: `{path}`: say what happens beyond"));
            }
            Some([.., beyond]) if beyond.contains("server/limits.md") && !has(&server, &value) => {
                wrong.push(format!("{package}: `{path}`: docs/server/limits.md has no {value}"));
            }
            Some(_) => {}
        }
    }
    let left = rows.into_keys();
    wrong.extend(left.map(|(package, path)| format!("{package}: no limit is named `{path}`")));
    assert!(wrong.is_empty(), "docs/limits.md:\n{}", wrong.join("\n"));
}

/// A setting is a method of a public type, or a flag or key of a program.
#[test]
fn every_setting_exists() {
    let mut sources = String::new();
    for file in constants::sources(&workspace().join("crates")) {
        sources += &fs::read_to_string(file).expect("a source");
    }
    let text = fs::read_to_string(workspace().join("docs/limits.md")).expect("the table");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for ((package, path), [_, setting, _]) in rows(&text) {
        for name in setting.split('`').skip(1).step_by(2) {
            count += 1;
            let is_there = if let Some((kind, method)) = name.split_once("::") {
                let is_of_type = |what: &str| sources.contains(&format!("pub {what} {kind}"));
                let has_method = ["pub fn", "pub const fn"]
                    .iter()
                    .any(|function| sources.contains(&format!("{function} {method}(")));
                ["struct", "enum"].into_iter().any(is_of_type) && has_method
            } else if let Some(flag) = name.strip_prefix("--") {
                let field = flag.replace('-', "_");
                sources.contains(&format!(" {field}: ")) || sources.contains(&format!("\"{flag}\""))
            } else {
                OTHERS.contains(&name) || sources.contains(&format!("\"{name}\""))
            };
            if !is_there {
                wrong.push(format!("{package}: `{path}`: no setting is named `{name}`"));
            }
        }
    }
    assert!(count >= 30, "only {count} settings were found");
    assert!(wrong.is_empty(), "docs/limits.md:\n{}", wrong.join("\n"));
}

/// Settings of the system and of other programs.
const OTHERS: [&str; 4] =
    ["keepalives_retries", "net.core.somaxconn", "tcp_user_timeout", "WatchdogSec"];

/// The flags of the server state their defaults in their help. The guide for operators must have the same ones.
#[test]
fn the_guide_has_the_defaults_of_the_server() {
    let settings = workspace().join("crates/gateway-server/src/cli/settings.rs");
    let settings = fs::read_to_string(settings).expect("the settings");
    let guide = fs::read_to_string(workspace().join("docs/server/limits.md")).expect("the guide");
    // A row of a table, or a sentence.
    let parts: Vec<_> = guide
        .lines()
        .flat_map(|line| line.split(if line.starts_with('|') { "\n" } else { ". " }))
        .collect();
    let (mut help, mut wrong, mut count) = (String::new(), Vec::new(), 0);
    for line in settings.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("/// ") {
            help.push_str(text);
        } else if let Some((name, _)) = line.split_once(": Option<") {
            let flag = format!("`--{}`", name.trim_start_matches("pub(super) ").replace('_', "-"));
            let default =
                help.rsplit_once("[default: ").and_then(|(_, rest)| rest.strip_suffix(']'));
            // Other defaults are addresses, or computed from other flags.
            if let Some(number) = default.and_then(|default| default.parse::<i128>().ok()) {
                count += 1;
                let number = value::grouped(number);
                let has_number = |part: &str| {
                    let mut words = part.split([' ', ')']);
                    words.any(|word| word.trim_end_matches([',', '.']) == number)
                };
                if !parts.iter().any(|part| part.contains(&flag) && has_number(part)) {
                    wrong.push(format!("{flag} with its default {number}"));
                }
            }
            help.clear();
        }
    }
    assert!(count > 12, "only {count} defaults were found");
    assert!(wrong.is_empty(), "docs/server/limits.md lacks {}", wrong.join(", "));
}

/// Whether a cell of a page begins or ends with a value.
fn has(page: &str, value: &str) -> bool {
    let cells = page.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('|'));
    // The guide has times in seconds.
    let value = value.trim_end_matches(" s");
    cells.map(str::trim).any(|cell| {
        let after = cell.strip_prefix(value).map(|rest| rest.starts_with([',', ':']));
        cell == value || after == Some(true) || cell.ends_with(&format!(" {value}"))
    })
}
