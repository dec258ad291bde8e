//! Erasures that are killed at random moments: no file contains a byte of a record that counts as forgotten.

use std::collections::BTreeSet;
use std::io::{Write as _, stdout};
use std::path::Path;

use methodical_mirror::{Mirror, State};

use crate::kill::{CHILD, run_and_kill};
use crate::support::{open, photos, records};

const COUNT: usize = 300;

const PREFIX: &str = "Zanzibar-";

/// Returns the personal value of a record.
fn canary(id: &str) -> String {
    format!("{PREFIX}{id}.")
}

/// Forgets one record after the other until it is killed.
fn forget_until_killed(path: &Path) {
    let mut mirror = open(path);
    let mut out = stdout().lock();
    for (id, state, _) in records(&mirror) {
        if state == State::Present {
            mirror.forget("photo", &id).unwrap();
            writeln!(out, "committed {id}").unwrap();
        }
    }
}

/// Checks that each record is either forgotten everywhere, or complete. Returns how many are forgotten.
fn forgotten(mirror: &Mirror, folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let bytes: Vec<u8> = files.flat_map(|file| std::fs::read(file).unwrap()).collect();
    // One pass over the files for all records.
    let places = bytes.windows(PREFIX.len() + 3);
    let left: BTreeSet<&[u8]> =
        places.filter_map(|window| window.strip_prefix(PREFIX.as_bytes())).collect();
    let mut count = 0;
    for (id, state, json) in records(mirror) {
        let is_forgotten = state == State::Forgotten;
        count += usize::from(is_forgotten);
        assert_eq!(json.contains(&canary(&id)), !is_forgotten, "{id}");
        assert_eq!(left.contains(id.as_bytes()), !is_forgotten, "{id}");
    }
    count
}

#[test]
fn a_killed_erasure_leaves_no_byte_of_a_forgotten_record() {
    if let Some(path) = std::env::var_os(CHILD) {
        return forget_until_killed(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let record = |id: usize| {
        let canary = canary(&format!("{id:03}"));
        format!(r#"{{"id":"{id:03}","title":"{canary}","x":"{canary}"}}"#)
    };
    let list: Vec<String> = (0..COUNT).map(record).collect();
    photos(&mut open(&path), &list);
    let (mut runs, mut before) = (0, 0);
    while before < COUNT {
        runs += 1;
        assert!(runs < 200, "{before} after {runs} runs");
        let test = "forgetting::a_killed_erasure_leaves_no_byte_of_a_forgotten_record";
        run_and_kill(test, path.as_os_str(), true, 40_000, 10);
        let mirror = open(&path);
        let now = forgotten(&mirror, folder.path());
        assert!(now > before);
        before = now;
    }
    assert!(runs > 5, "only {runs} runs");
    assert_eq!(open(&path).check().unwrap().findings, []);
}
