//! Runs the checks of `cargo xtask` on this workspace.

#![expect(clippy::expect_used, reason = "a test that cannot start has failed")]

use std::fs;
use std::path::Path;

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
    assert_eq!(layers::violations(root()).expect("cargo metadata runs"), [""; 0]);
}

/// Every invariant of ARCHITECTURE.md names the tests and checks that enforce it.
#[test]
fn the_tests_of_the_invariants_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the file");
    let section = text.split("## Invariants").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows = section.expect("the invariants").lines().filter(|line| line.starts_with("| "));
    let mut sources = String::new();
    for folder in ["crates", "tests", "xtask/tests"] {
        read_all(&root().join(folder), &mut sources);
    }
    let mut names = 0;
    for row in rows.skip(1) {
        let held_by = row.trim_end_matches(" |").rsplit(" | ").next().expect("a last column");
        for name in held_by.split('`').skip(1).step_by(2) {
            names += 1;
            // A check of a kit is named `group.name`.
            let name = name.rsplit('.').next().expect("a name");
            let is_defined = ["fn ", "mod ", "_"].iter().any(|before| {
                let found = format!("{before}{name}");
                sources.contains(&format!("{found}(")) || sources.contains(&format!("{found};"))
            });
            assert!(is_defined || name == "ListCandidates", "nothing is named `{name}`: {row}");
        }
    }
    assert!(names > 10, "only {names} names in the invariants");
}

fn read_all(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("target") {
            read_all(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(&path).expect("a source"));
        }
    }
}
