//! Files that killed exporters left.

use std::fs;

use crate::photos::{PHOTO, export, open, photo_table, photos, sync};

/// An upload of `object_store` to a folder has such a name until it is complete.
const UNFINISHED: &str = "data/5f0c1a52-0000-4000-a000-000000000000.parquet#1";

const LOG: [&str; 3] = [
    "_delta_log/00000000000000000001.json#1",
    "_delta_log/00000000000000000010.checkpoint.parquet#1",
    "_delta_log/_last_checkpoint#2",
];

#[test]
fn a_commit_deletes_unfinished_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    sync(&mut mirror, &PHOTO, &photos(5));
    export(&mirror, folder.path());
    let table = photo_table(folder.path());
    for name in [UNFINISHED, LOG[0], LOG[1], LOG[2]] {
        fs::write(table.0.join(name), "Photo 4").unwrap();
    }
    sync(&mut mirror, &PHOTO, &photos(6));
    export(&mirror, folder.path());
    assert!(!table.0.join(UNFINISHED).exists());
    for name in LOG {
        assert!(!table.0.join(name).exists(), "{name}");
    }
    assert_eq!(table.rows().len(), 6);
}

#[test]
fn an_export_without_changes_deletes_what_killed_exporters_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    sync(&mut mirror, &PHOTO, &photos(5));
    export(&mirror, folder.path());
    let table = photo_table(folder.path());
    for name in [UNFINISHED, "data/5f0c1a52-0000-4000-a000-000000000001.parquet"] {
        fs::write(table.0.join(name), "Photo 4").unwrap();
        let deleted = export(&mirror, folder.path());
        assert_eq!((deleted.deleted, deleted.files), (1, 0), "{name}");
        assert_eq!(table.existing(), table.files());
    }
    // The empty commit makes an exporter fail that would commit such a file.
    assert_eq!(table.versions(), [0, 1, 2]);
    assert_eq!(export(&mirror, folder.path()).version, 2);
}
