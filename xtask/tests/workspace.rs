//! Runs the checks of `cargo xtask` on this workspace.

#![expect(clippy::expect_used, reason = "a test that cannot start has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::{cli, layers};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

#[test]
fn generated_files_match_the_spec() {
    let outcome = cli::run(&["--check".to_owned()], root());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

#[test]
fn all_dependencies_between_crates_are_allowed() {
    assert_eq!(layers::violations(root()).expect("cargo tree runs"), [""; 0]);
}

/// A word of this gateway in a runtime crate would be a rule that another gateway does not have.
#[test]
fn runtime_crates_name_no_service() {
    let mut found = Vec::new();
    for name in RUNTIME {
        let mut sources = BTreeMap::new();
        collect(&root().join("crates").join(name), &mut sources);
        // The program with the exports is that of this gateway.
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

/// The folders whose crates know no service.
const RUNTIME: [&str; 2] = ["gateway-transport", "methodical"];

/// Every invariant of ARCHITECTURE.md names the tests and checks that enforce it.
#[test]
fn the_tests_of_the_invariants_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the file");
    let section = text.split("## Invariants").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = section.expect("the invariants").lines().filter(|line| line.starts_with("| "));
    let mut files = BTreeMap::new();
    for folder in ["crates", "tests", "xtask/tests"] {
        collect(&root().join(folder), &mut files);
    }
    let sources: String = files.into_values().collect();
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

/// Every threat of SECURITY.md names its tests as `path::name`, or says why it does not apply.
#[test]
fn the_tests_of_the_threats_exist() {
    let text = fs::read_to_string(root().join("SECURITY.md")).expect("the file");
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
    let mut documents = Vec::new();
    documents_below(root(), &mut documents);
    let mut missing = Vec::new();
    for document in &documents {
        let text = fs::read_to_string(document).expect("a document");
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

/// Collects the documents below a folder, but not the templates of `init`, whose links hold where they are written.
fn documents_below(folder: &Path, documents: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_left_out =
            ["target", "init", ".git", "node_modules"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_left_out {
            documents_below(&path, documents);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            documents.push(path);
        }
    }
}

/// Whether a path of a file and a name, as `xtask/tests/workspace.rs::is_function`, lead to a function.
fn is_function(path: &str) -> bool {
    let Some((file, name)) = path.rsplit_once("::") else { return false };
    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
    ["fn", "def"].iter().any(|word| text.contains(&format!("{word} {name}(")))
}

/// Collects the Rust sources below a folder.
fn collect(folder: &Path, sources: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            sources.insert(path, text);
        }
    }
}
