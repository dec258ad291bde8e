//! The server imports the program's CSV: no byte of any field changes.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::office::Office;
use crate::run::{code, stderr, stdout};

/// Returns all candidates of a server in a format.
fn list(office: &Office, format: &[&str]) -> String {
    let list = ["candidates", "list", "--token-stdin"];
    let output = office.person.run_with(&office.token, &[&list, format].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output).to_owned()
}

/// Candidates whose fields contain text that spreadsheets, CSV and terminals treat specially.
fn candidates() -> impl Strategy<Value = Vec<Value>> {
    let piece = prop::sample::select(vec![
        "=", "+", "-", "@", "'", "\"", ",", ";", "|", "\t", "\r\n", "\n", "=1+1", "+40 21", "(0)",
        " ", "x", "é", "\u{202e}", "\u{feff}", "\u{1}", "007", "null", "", "\\", "1e5",
    ]);
    let text = prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat());
    let candidate = (text.clone(), text.clone(), text.clone(), text).prop_map(
        |(name, email, phone, portal)| {
            json!({
                "name": name, "email": email, "phone": phone, "date": "2026-02-03 04:05:06",
                "portal": { "id": "7", "name": portal }, "type": "person",
            })
        },
    );
    prop::collection::vec(candidate, 300)
}

#[test]
fn csv_is_imported_without_a_change() {
    let mut candidates = candidates().new_tree(&mut TestRunner::default()).unwrap().current();
    for (id, candidate) in (1_u32..).zip(&mut candidates) {
        candidate["id"] = json!(id.to_string());
    }
    let original = Office::new(&candidates);
    let expected = list(&original, &["-o", "ndjson"]);
    assert_eq!(expected.lines().count(), 300);
    for flags in [&[][..], &["--separator", ";"], &["--separator", "tab"]] {
        let csv = list(&original, &[&["-o", "csv"], flags].concat());
        let copy = Office::new(&[]);
        copy.import("candidates.csv", &csv);
        assert_eq!(list(&copy, &["-o", "ndjson"]), expected, "{flags:?}");
    }
}
