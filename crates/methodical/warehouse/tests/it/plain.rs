//! Exports of plain Parquet files.

use std::fs;

use methodical_warehouse::{ErrorKind, Place, TableExport};

use crate::photos::{PHOTO, export, of, open, photos, sync};
use crate::table::{names, read};

#[test]
fn each_file_is_replaced_and_the_others_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    let place = Place::open(folder.path().join("plain").to_str().unwrap()).unwrap();
    let photo = folder.path().join("plain/photo");
    let run =
        |mirror: &_| -> TableExport { of(&PHOTO).run_plain(mirror, &place).unwrap().remove(0) };
    sync(&mut mirror, &PHOTO, &photos(25));
    let first = run(&mirror);
    assert_eq!((first.rows, first.files, first.deleted), (25, 3, 0));
    let expected: Vec<_> = ["01-000000000010", "11-000000000020", "21-000000000030"]
        .map(|range| format!("part-0000000000{range}.parquet"))
        .into();
    assert_eq!(names(&photo).into_iter().collect::<Vec<_>>(), expected);
    // Files of an export of other ranges, and one that a killed exporter left.
    for left in
        ["part-000000000031-000000000040.parquet", "part-000000000001-000000000010.parquet#1"]
    {
        fs::write(photo.join(left), "Photo 4").unwrap();
    }
    fs::write(photo.join("notes.txt"), "of another program").unwrap();
    mirror.forget("photo", "4").unwrap();
    assert_eq!(run(&mirror).deleted, 2);
    assert_eq!(names(&photo).len(), 4, "another program's file stays");
    let rows: Vec<_> = expected.iter().flat_map(|name| read(&photo.join(name))).collect();
    assert_eq!(rows.len(), 25);
    assert!(rows.iter().all(|row| row["title"] != "Photo 4"));
    // A table without rows has a file with its columns.
    let samples = folder.path().join("plain/mirror_sample");
    assert_eq!(names(&samples).into_iter().collect::<Vec<_>>(), ["part-empty.parquet"]);
    assert!(read(&samples.join("part-empty.parquet")).is_empty());
}

#[test]
fn files_of_another_mirror_and_tables_are_refused() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut mirror, mut stranger) = (open(one.path()), open(other.path()));
    sync(&mut mirror, &PHOTO, &photos(12));
    sync(&mut stranger, &PHOTO, &photos(3));
    let place = Place::open(one.path().join("plain").to_str().unwrap()).unwrap();
    of(&PHOTO).run_plain(&mirror, &place).unwrap();
    let error = of(&PHOTO).run_plain(&stranger, &place).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Foreign);
    let replaced = of(&PHOTO).replace().run_plain(&stranger, &place).unwrap().remove(0);
    assert_eq!((replaced.rows, replaced.deleted), (3, 1));
    export(&mirror, one.path());
    let tables = Place::open(one.path().join("out").to_str().unwrap()).unwrap();
    let error = of(&PHOTO).run_plain(&mirror, &tables).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Foreign);
}
