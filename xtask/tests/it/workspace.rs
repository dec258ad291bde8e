//! Runs the checks of `cargo xtask` on this workspace.

use std::fs;
use std::path::Path;

use xtask::{cli, layers};

use crate::{read, root, sources};

#[test]
fn generated_files_match_the_spec() {
    let outcome = cli::run(&["--check".to_owned()], root());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

#[test]
fn all_dependencies_between_crates_are_allowed() {
    assert_eq!(layers::violations(root()).expect("cargo tree runs"), [""; 0]);
}

/// A word of this gateway in a runtime crate would be a rule that does not apply to other gateways.
#[test]
fn runtime_crates_name_no_service() {
    let mut found = Vec::new();
    for name in RUNTIME {
        let mut sources = sources(&root().join("crates").join(name), "rs");
        // The program with the exports belongs to this gateway.
        sources
            .retain(|path, _| !path.starts_with(root().join("crates/methodical/export/program")));
        for (path, text) in sources {
            let text = text.to_lowercase();
            let words =
                ["candidate", "vacanc", "recruit", "sms credit", "getcredits", "get_credits"];
            found.extend(words.iter().filter(|word| text.contains(**word)).map(|word| {
                format!("{}: {word}", path.strip_prefix(root()).unwrap_or(&path).display())
            }));
        }
    }
    assert_eq!(found, [""; 0]);
}

/// The folders with the crates that are not tied to a service.
const RUNTIME: [&str; 2] = ["gateway-transport", "methodical"];

/// Every invariant of ARCHITECTURE.md names the tests and checks that enforce it.
#[test]
fn the_tests_of_the_invariants_exist() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let section = text.split("## Invariants").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = section.expect("the invariants").lines().filter(|line| line.starts_with("| "));
    let folders = ["crates", "tests", "xtask/tests"].iter();
    let sources = folders.flat_map(|folder| sources(&root().join(folder), "rs").into_values());
    let sources: String = sources.collect();
    let mut names = 0;
    for row in rows.skip(1) {
        let held_by = row.trim_end_matches(" |").rsplit(" | ").next().expect("a last column");
        for name in held_by.split('`').skip(1).step_by(2) {
            names += 1;
            // A check of a kit is named `group.name`, and is a row of its table or a function.
            let (is_check, name) =
                name.rsplit_once('.').map_or((false, name), |(_, name)| (true, name));
            let is_row = is_check && sources.contains(&format!("\n        {name}: "));
            let is_defined = ["fn ", "mod ", "_"].iter().any(|before| {
                let found = format!("{before}{name}");
                sources.contains(&format!("{found}(")) || sources.contains(&format!("{found};"))
            });
            assert!(
                is_defined || is_row || name == "ListCandidates",
                "nothing is named `{name}`: {row}"
            );
        }
    }
    assert!(names > 10, "only {names} names in the invariants");
}

/// Every Rust file that ARCHITECTURE.md names exists somewhere in the workspace.
#[test]
fn the_files_of_the_architecture_exist() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let folders = ["crates", "tests", "xtask"].iter();
    let files = folders.flat_map(|folder| sources(&root().join(folder), "rs").into_keys());
    let files: Vec<_> = files.collect();
    let names = text.split('`').skip(1).step_by(2);
    let is_rust = |name: &str| Path::new(name).extension().is_some_and(|end| end == "rs");
    let names = names.filter(|name| is_rust(name) && !name.contains('{'));
    let (found, missing): (Vec<_>, Vec<_>) =
        names.partition(|name| files.iter().any(|file| file.ends_with(name)));
    assert!(found.len() > 50, "only {} files in ARCHITECTURE.md", found.len());
    assert_eq!(missing, [""; 0]);
}

/// Every threat of SECURITY.md names its tests as `path::name`, or says why it does not apply.
#[test]
fn the_tests_of_the_threats_exist() {
    let text = read(&root().join("SECURITY.md"));
    let section = text.split("## Threats and their tests").nth(1).expect("the threats");
    let section = section.split("\n## ").next().expect("a section");
    let (mut threats, mut missing) = (0, Vec::new());
    for row in section.lines().filter(|line| line.starts_with("| ")) {
        let tests = row.trim_end_matches(" |").rsplit(" | ").next().expect("a last column");
        if tests == "tests" {
            continue;
        }
        threats += 1;
        let mut names = tests.split('`').skip(1).step_by(2).filter(|name| name.contains("::"));
        assert!(
            tests.starts_with("does not apply") || names.clone().next().is_some(),
            "no test: {row}"
        );
        missing.extend(names.by_ref().filter(|name| !is_function(name)));
    }
    assert!(threats > 40, "only {threats} threats");
    assert_eq!(missing, [""; 0], "these tests do not exist");
}

/// Every relative link of a document leads to a file of the workspace. Anchors are not checked.
#[test]
fn the_links_of_the_documents_lead_to_files() {
    let mut documents = sources(root(), "md");
    // The links in the templates of `init` are valid where the files are written.
    documents.retain(|path, _| !path.iter().any(|part| part == "init"));
    let mut missing = Vec::new();
    for (document, text) in &documents {
        // The text between fences is code.
        let prose = text.split("\n```").step_by(2);
        let links = prose.flat_map(|part| part.split("](").skip(1));
        for link in links.filter_map(|rest| rest.split([')', ' ']).next()) {
            let path = link.split('#').next().expect("a first part");
            let place = document.parent().expect("a folder").join(path);
            if !link.contains(':') && !place.exists() {
                missing.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(documents.len() > 60, "only {} documents", documents.len());
    assert_eq!(missing, [""; 0], "these files do not exist");
}

/// Whether a path of a file and a name, as `xtask/tests/it/workspace.rs::is_function`, lead to a function.
fn is_function(path: &str) -> bool {
    let Some((file, name)) = path.rsplit_once("::") else { return false };
    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
    ["fn", "def"].iter().any(|word| text.contains(&format!("{word} {name}(")))
}
