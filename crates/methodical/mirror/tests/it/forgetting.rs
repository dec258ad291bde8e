//! Erasures that are killed at random moments: no file contains a byte of a record that counts as forgotten.

use std::collections::BTreeMap;
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};

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
    let mut left: BTreeMap<Vec<u8>, PathBuf> = BTreeMap::new();
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        // One pass over the file for all records.
        for window in std::fs::read(&file).unwrap().windows(PREFIX.len() + 3) {
            if let Some(id) = window.strip_prefix(PREFIX.as_bytes()) {
                left.insert(id.to_owned(), file.clone());
            }
        }
    }
    let mut count = 0;
    for (id, state, json) in records(mirror) {
        let is_forgotten = state == State::Forgotten;
        count += usize::from(is_forgotten);
        assert_eq!(json.contains(&canary(&id)), !is_forgotten, "{id}");
        let file = left.get(id.as_bytes());
        assert_eq!(file.is_some(), !is_forgotten, "{id} in {file:?}");
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

/// SQLite copies memory that it did not clear into the index of a log without a complete frame, which a killed process
/// can leave.
#[test]
fn no_memory_of_the_process_gets_into_the_index_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let of_mirror = |suffix| folder.path().join(format!("mirror.db{suffix}"));
    let mut mirror = open(&path);
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    let mut log = std::fs::read(of_mirror("-wal")).unwrap();
    drop(mirror);
    // The header of 32 bytes stays valid.
    log.truncate(8192);
    log.iter_mut().skip(32).for_each(|byte| *byte = 0);
    std::fs::write(of_mirror("-wal"), log).unwrap();

    // SQLite allocates a frame and 32 KiB for the index. Every second buffer stays, so that the allocator does not return
    // the others to the system.
    let mut buffers: Vec<Option<String>> =
        (0..64).map(|_| Some(PREFIX.repeat(42_000 / PREFIX.len()))).collect();
    buffers.iter_mut().step_by(2).for_each(|buffer| *buffer = None);
    let mirror = open(&path);
    let index = std::fs::read(of_mirror("-shm")).unwrap();
    assert!(!index.windows(PREFIX.len()).any(|window| window == PREFIX.as_bytes()));
    assert_eq!(mirror.check().unwrap().findings, []);
}
