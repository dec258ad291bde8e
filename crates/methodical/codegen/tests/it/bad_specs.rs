//! Every bad spec is rejected with a diagnostic at the mistake, without a panic.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::{HERE, good, read};

/// Each case of `bad-specs.txt` has the mistakes that it lists.
#[test]
fn each_bad_spec_has_its_diagnostics() {
    let path = Path::new(HERE).join("bad-specs.txt");
    let table = fs::read_to_string(&path).expect("it is there");
    let mut sections = table.trim_end().split("\n\n## ");
    let mut actual = format!("{}\n", sections.next().expect("a head"));
    let mut shared = BTreeMap::new();
    for section in sections {
        let (name, body) = section.split_once('\n').expect("a name");
        if let Some(name) = name.strip_prefix('@') {
            shared.insert(name, body);
            _ = write!(actual, "\n## @{name}\n{body}\n");
            continue;
        }
        let edits: Vec<_> = body.lines().take_while(|line| !line.starts_with('>')).collect();
        let first = edits.first().and_then(|edit| shared.get(edit.strip_prefix('@')?));
        let spec = first
            .map_or_else(good, |edits| edited(name, good(), &edits.lines().collect::<Vec<_>>()));
        let report = read(edited(name, spec, &edits)).expect_err(name);
        assert!(report.text.starts_with("error: "), "{name} is accepted");
        _ = write!(actual, "\n## {name}\n{}\n{}", edits.join("\n"), shortened(&report.text));
    }
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(&path, &actual).expect("written");
        return;
    }
    for (line, (actual, expected)) in actual.lines().zip(table.lines()).enumerate() {
        assert_eq!(actual, expected, "line {} of bad-specs.txt", line + 1);
    }
    assert_eq!(actual.len(), table.len());
}

/// Returns a spec with some changes.
pub(crate) fn edited(name: &str, spec: String, edits: &[&str]) -> String {
    let replaced = |text: String, from: &str, to: &str| {
        assert!(text.contains(from), "{name}: the spec has no `{from}`");
        if from.is_empty() { text + to } else { text.replacen(from, to, 1) }
    };
    let starts =
        |one: &str, next: &str| next.is_empty() || !one.starts_with('-') && !next.starts_with('+');
    edits.chunk_by(|one, next| !starts(one, next)).fold(spec, |text, edit| {
        let with = |mark| -> String {
            let lines = edit.iter().filter_map(|line| line.strip_prefix(mark));
            lines.flat_map(|line| [line, "\n"]).collect()
        };
        match edit.first().and_then(|line| line.strip_prefix("~ ")?.split_once(" ~>")) {
            Some((from, to)) => {
                let to = to
                    .strip_prefix(' ')
                    .unwrap_or(to)
                    .split("\\\\")
                    .map(|part| part.replace("\\n", "\n"));
                replaced(text, from, &to.collect::<Vec<_>>().join("\\"))
            }
            None => replaced(text, &with('-'), &with('+')),
        }
    })
}

/// Returns the diagnostics of a report in a line each, with lines for related places and fixes.
fn shortened(report: &str) -> String {
    let mut short = String::new();
    let mut title = "";
    let mut place = String::new();
    for line in report.lines() {
        let trimmed = line.trim();
        if line.starts_with("error: ") || line.starts_with("warning: ") {
            title = line;
        } else if let Some(at) = trimmed.strip_prefix("--> spec.toml:") {
            _ = writeln!(short, "> {at}{}", title.strip_prefix("error").unwrap_or(title));
        } else if let Some(at) = trimmed.strip_prefix("::: ") {
            at.clone_into(&mut place);
        } else if let Some(help) = trimmed.strip_prefix("= help: ") {
            _ = writeln!(short, ">   = {help}");
        } else if let (false, Some((_, note))) = (place.is_empty(), trimmed.split_once("- ")) {
            _ = writeln!(short, ">   ~ {place} {note}");
            place.clear();
        } else if !place.is_empty() && trimmed.ends_with('-') && trimmed.starts_with('|') {
            _ = writeln!(short, ">   ~ {place}");
            place.clear();
        }
    }
    short
}

/// A file that is not text is rejected as a whole.
#[test]
fn a_file_that_is_not_text_is_rejected() {
    let report = read(b"a = 1\nb\xff").expect_err("it is not text");
    let why = "invalid utf-8 sequence of 1 bytes from index 7";
    assert_eq!(report.text, format!("error: cannot read the spec: {why}\n --> spec.toml\n"));
    assert!(read("").is_err_and(|report| report.text.starts_with("error: ")));
}

/// Only a file that does not exist is reported as such. The text of the cause is that of the system.
#[test]
fn an_example_that_cannot_be_read_has_its_cause() {
    let spec = good().replacen("fixtures/tools.json", "fixtures/tools.json/inside", 1);
    let report = read(spec).expect_err("it cannot be read").text;
    assert!(report.contains("cannot read `fixtures/tools.json/inside`: "), "{report}");
    assert!(report.contains("Not a directory"), "{report}");
}

/// A spec that is truncated at any byte is read or rejected, without a panic.
#[test]
fn a_truncated_spec_does_not_panic() {
    let whole = good().into_bytes();
    for end in 0..whole.len() {
        let rejected = read(&whole[..end]).err();
        assert!(rejected.is_none_or(|report| report.text.starts_with("error: ")), "{end}");
    }
    read(&whole).expect("it is valid");
}

/// The parser rejects deep nesting before any code recurses over it.
#[test]
fn deep_nesting_is_rejected() {
    for deep in [
        format!("a = {}", "[".repeat(100_000)),
        format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(100_000)),
    ] {
        assert!(read(deep).is_err_and(|report| report.text.starts_with("error: ")));
    }
}

/// A byte-order mark and Windows line endings do not change the result, including the hash.
#[test]
fn encodings_of_the_same_text_are_equal() {
    let plain = read(good()).expect("it is valid");
    let windows = format!("\u{feff}{}", good().replace('\n', "\r\n"));
    assert_eq!(read(windows).expect("it is valid"), plain);
}

/// Real services have paths that end with a slash. The segments that select an operation follow one slash.
#[test]
fn a_path_may_end_with_a_slash() {
    let slash = good().replacen("path = \"/api/v2\"", "path = \"/api/v2/\"", 1);
    let service = read(&slash).expect("it is valid");
    assert_eq!(service.path_of(&service.operations[0]), "/api/v2/");
    let path = slash.replacen("selector = \"call\"", "in = \"path\"", 1).replacen(
        "query = \"call=tools/list&",
        "query = \"",
        1,
    );
    let service = read(path).expect("it is valid");
    assert_eq!(service.path_of(&service.operations[0]), "/api/v2/tools/list");
}
