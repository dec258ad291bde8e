//! Damaged files and a full disk: each is refused with the next step, and nothing is changed.

use std::path::Path;

use methodical_mirror::{ErrorKind, Mirror, Rules};

use crate::support::{PHOTO, feed, open, photos, records, source, sync};

fn create(path: &Path, count: usize) -> Mirror {
    let mut mirror = open(path);
    let list: Vec<String> =
        (0..count).map(|id| format!(r#"{{"id":"{id}","title":"Number {id}"}}"#)).collect();
    photos(&mut mirror, &list);
    mirror
}

#[test]
fn a_damaged_file_is_refused_and_stays_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("mirror.db");
    drop(create(&path, 500));
    let bytes = std::fs::read(&path).unwrap();
    let flipped = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0xff;
        bytes
    };
    let half = bytes[..bytes.len() / 2].to_vec();
    for (damaged, expected) in [
        (half, "cannot read the mirror: the file is damaged or not a database"),
        (
            flipped(18),
            "cannot open FILE: it is read-only, or its header is damaged; check its permissions, or restore a backup",
        ),
        (flipped(0), "cannot read the mirror: the file is damaged or not a database"),
        (flipped(100), "cannot read the mirror: the file is damaged or not a database"),
        (flipped(71), "cannot open FILE: it is not a mirror; use another file"),
    ] {
        std::fs::write(&path, &damaged).unwrap();
        let error = Mirror::open(&path, &source()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Foreign);
        assert!(std::fs::read(&path).unwrap() == damaged);
        assert_eq!(error.to_string().replace(&*path.to_string_lossy(), "FILE"), expected);
    }
}

/// The structure of the file is intact, so SQLite does not notice the damage.
#[test]
fn a_flipped_bit_in_a_value_is_replaced_by_the_sync_after_a_rebuild() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let list = [r#"{"id":"1","title":"Number 1"}"#, r#"{"id":"2","title":"Number 2"}"#];
    photos(&mut open(&path), &list);
    let healthy = records(&open(&path));
    let flip = |from: &[u8], to: &[u8]| {
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
        bytes[at..at + to.len()].copy_from_slice(to);
        std::fs::write(&path, bytes).unwrap();
    };
    flip(b"Number 2", b"Lumber 2");
    let mut mirror = open(&path);
    // A sync trusts the hash of an unchanged row.
    assert_eq!(photos(&mut mirror, &list).unchanged, 2);
    assert!(records(&mirror) != healthy && mirror.check().unwrap().findings.len() == 1);
    assert_eq!(mirror.rebuild().unwrap().findings.len(), 1);
    let report = photos(&mut mirror, &list);
    assert_eq!((report.changed, report.unchanged), (1, 1));
    assert_eq!(records(&mirror), healthy);
    assert_eq!(feed(&mirror), ["changed 2 title"]);
    drop(mirror);
    // Every sync replaces a damaged state.
    flip(b"presentNumber 2", b"prfsent");
    let mut mirror = open(&path);
    photos(&mut mirror, &list);
    assert_eq!((records(&mirror), mirror.check().unwrap().findings), (healthy, vec![]));
    // Not text, so it can be neither read nor compared.
    drop(mirror);
    flip(b"Number 2", b"\xff");
    let error = open(&path).check().unwrap_err().to_string();
    let next = "restore a backup, or sync into a new file";
    assert_eq!(error, format!("cannot read the mirror: a value is damaged; {next}"));
}

/// SQLite cannot create its files next to the mirror, as on a read-only medium.
#[test]
fn a_mirror_on_a_read_only_medium_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    drop(create(&path, 5));
    std::fs::create_dir(folder.path().join("mirror.db-shm")).unwrap();
    let error = Mirror::open_existing(&path).unwrap_err();
    assert!(error.to_string().ends_with("copy it to a folder that you can write to"), "{error}");
}

/// A limit on file sizes simulates a full disk. It can only be set for a child process.
#[cfg(unix)]
#[test]
fn a_full_disk_commits_nothing() {
    use std::process::{Command, Stdio};

    let list: Vec<String> =
        (0..20_000).map(|id| format!(r#"{{"id":"{id}","title":"Number {id}"}}"#)).collect();
    if let Some(path) = std::env::var_os(CHILD) {
        let mut mirror = open(Path::new(&path));
        let before = (records(&mirror), feed(&mirror));
        let error = sync(&mut mirror, &PHOTO, Rules::default(), &list).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        assert!(error.to_string().ends_with(", and try again"), "{error}");
        assert!((records(&mirror), feed(&mirror)) == before);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    drop(create(&path, 500));
    // The signal would end the process before it sees the error.
    let script = "trap '' XFSZ; ulimit -f 1024; exec \"$@\"";
    let mut child = Command::new("sh");
    child.args(["-c", script, "sh"]).arg(std::env::current_exe().unwrap());
    child.args(["--exact", "damage::a_full_disk_commits_nothing", "--nocapture"]);
    let output = child.env(CHILD, &path).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut mirror = open(&path);
    assert_eq!((records(&mirror).len(), mirror.check().unwrap().findings), (500, vec![]));
    assert_eq!(sync(&mut mirror, &PHOTO, Rules::default(), &list).unwrap().added, 19_500);
}

/// The environment variable with the file of the child.
#[cfg(unix)]
const CHILD: &str = "GATEWAY_MIRROR_FULL_DISK";
