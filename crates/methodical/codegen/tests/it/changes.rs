//! Changes of a spec are classified, and require a version.

mod version;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use methodical_codegen::diff;

use crate::bad_specs::edited;
use crate::{HERE, good, read};

/// Returns the changes from one spec to another, one line each.
fn compared(name: &str, old: &str, new: &str) -> String {
    let read = |spec: &str| read(spec).unwrap_or_else(|report| panic!("{name}: {report}"));
    let changes = diff::changes((old, &read(old)), (new, &read(new)));
    let changes =
        changes.iter().map(|one| format!("> {} {}: {}\n", one.class.word(), one.place, one.what));
    let changes: String = changes.collect();
    if changes.is_empty() { "> nothing\n".to_owned() } else { changes }
}

/// Each section of `changes.txt` has the changes that it lists.
#[test]
fn each_change_of_a_spec_has_its_class() {
    let path = Path::new(HERE).join("changes.txt");
    let table = fs::read_to_string(&path).expect("it is there");
    let mut actual = String::new();
    let (mut name, mut spec, mut edits) = ("", good(), Vec::new());
    for line in table.lines() {
        match line.chars().next() {
            Some('#') => {
                if let Some(section) = line.strip_prefix("## ") {
                    (name, spec) = (section, good());
                }
            }
            Some('=') => spec = edited(name, spec, &std::mem::take(&mut edits)),
            // The first line of several changes.
            Some('>') if !edits.is_empty() => {
                let new = edited(name, spec.clone(), &std::mem::take(&mut edits));
                actual.push_str(&compared(name, &spec, &new));
                spec = new;
            }
            Some('>') => {}
            _ => edits.push(line),
        }
        if !line.starts_with('>') {
            _ = writeln!(actual, "{line}");
        }
        if line.is_empty() && edits == [""] {
            edits.clear();
        }
    }
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(&path, &actual).expect("written");
        return;
    }
    for (line, (actual, expected)) in actual.lines().zip(table.lines()).enumerate() {
        assert_eq!(actual, expected, "line {} of changes.txt", line + 1);
    }
    assert_eq!(actual.len(), table.len());
}

#[test]
fn equal_specs_have_no_changes() {
    assert_eq!(compared("the good spec", &good(), &good()), "> nothing\n");
}
