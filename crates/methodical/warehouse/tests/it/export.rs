//! The tables that exports write.

use std::{fs, thread};

use methodical_warehouse::{ErrorKind, Place};

use crate::photos::{PHOTO, PHOTO_WITH_STARS, export, of, open, photo_table, photos, sync};
use crate::table::Table;

#[test]
fn a_record_is_exported_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    let records = [
        r#"{"id":"007","title":"=1+1","taken":"2026-11-02 06:00:00","size":7,"place":{"name":"+48 600"}}"#,
        r#"{"id":"008","title":"a\nb 😀","taken":"0000-00-00","size":null,"open":true}"#,
    ];
    sync(&mut mirror, &PHOTO, &records.map(str::to_owned));
    export(&mirror, folder.path());
    let rows = photo_table(folder.path()).rows();
    let [one, two] = &*rows else { panic!("{rows:?}") };
    assert_eq!(
        [&one["id"], &one["title"], &one["place_name"], &one["mirror_state"]],
        ["007", "=1+1", "+48 600", "present"]
    );
    assert_eq!(
        (&one["taken"], &one["taken_at"]),
        (&"2026-11-02 06:00:00".into(), &"2026-11-02T06:00:00".into())
    );
    assert_eq!((one["size"].as_i64(), one["mirror_number"].as_i64()), (Some(7), Some(1)));
    assert_eq!((&two["title"], &two["taken"]), (&"a\nb 😀".into(), &"0000-00-00".into()));
    assert!(two["taken_at"].is_null() && two["place_name"].is_null());
    assert_eq!(
        (&two["mirror_nulls"], &two["mirror_extra"]),
        (&r#"["size"]"#.into(), &r#"{"open":true}"#.into())
    );
}

#[test]
fn only_files_whose_rows_differ_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    let mut list = photos(35);
    sync(&mut mirror, &PHOTO, &list);
    let first = export(&mirror, folder.path());
    assert_eq!((first.version, first.rows, first.files), (0, 35, 4));
    let again = export(&mirror, folder.path());
    assert_eq!((again.version, again.files), (0, 0));
    assert_eq!(photo_table(folder.path()).versions(), [0]);

    list[11] = r#"{"id":"12","title":"Harbour"}"#.to_owned();
    list.push(r#"{"id":"36"}"#.to_owned());
    sync(&mut mirror, &PHOTO, &list);
    let third = export(&mirror, folder.path());
    assert_eq!((third.version, third.files, third.replaced, third.rows), (1, 2, 2, 16));
    let table = photo_table(folder.path());
    assert_eq!(table.rows().len(), 36);
    assert_eq!(table.existing().len(), 6, "former files stay for readers of the former version");
    let changes = Table(folder.path().join("out/mirror_change"));
    let kinds: Vec<_> = changes.rows().iter().map(|row| row["kind"].to_string()).collect();
    assert_eq!(kinds, [r#""changed""#, r#""added""#]);
}

#[test]
fn an_erased_person_is_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    let mut list = photos(25);
    sync(&mut mirror, &PHOTO, &list);
    export(&mirror, folder.path());
    // A former file of the same rows, and a file that a killed exporter left.
    list[2] = r#"{"id":"3","title":"Harbour"}"#.to_owned();
    sync(&mut mirror, &PHOTO, &list);
    export(&mirror, folder.path());
    let table = photo_table(folder.path());
    fs::write(table.0.join("data/left.parquet"), "Photo 4").unwrap();
    assert_eq!(table.existing().len(), 5);

    mirror.forget("photo", "4").unwrap();
    let erased = export(&mirror, folder.path());
    assert_eq!((erased.files, erased.replaced, erased.deleted), (1, 1, 3));
    assert_eq!(table.existing(), table.files());
    let row = table.rows().into_iter().find(|row| row["id"] == "4").unwrap();
    assert_eq!(row["mirror_state"], "forgotten");
    assert!(row["title"].is_null());
    let log: String = table.actions().iter().map(ToString::to_string).collect();
    assert!(!log.contains("Photo"), "the log outlives the files");
}

#[test]
fn the_feed_keeps_what_the_mirror_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    for count in 1..=26 {
        sync(&mut mirror, &PHOTO, &photos(count));
        if count % 3 == 0 {
            export(&mirror, folder.path());
        }
        if count == 12 {
            let cursor = mirror.cursor().unwrap();
            mirror.prune(&cursor).unwrap();
        }
    }
    export(&mirror, folder.path());
    let changes = Table(folder.path().join("out/mirror_change"));
    let mut ids: Vec<u64> = changes
        .rows()
        .iter()
        .map(|row| row["record_id"].as_str().unwrap().parse().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (2..=26).collect::<Vec<_>>(), "the first sync emits no changes");
    assert!(changes.files().len() <= 4, "{:?}", changes.files());
}

#[test]
fn a_table_with_many_commits_has_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    for count in 1..=24 {
        sync(&mut mirror, &PHOTO, &photos(count));
        export(&mirror, folder.path());
    }
    let table = photo_table(folder.path());
    let hint = fs::read_to_string(table.0.join("_delta_log/_last_checkpoint")).unwrap();
    assert!(hint.contains(r#""version":20"#), "{hint}");
    // The commits before the checkpoint are no longer needed.
    for version in 0..20 {
        fs::remove_file(table.0.join(format!("_delta_log/{version:020}.json"))).unwrap();
    }
    assert_eq!(export(&mirror, folder.path()).files, 0);
    sync(&mut mirror, &PHOTO, &photos(25));
    let next = export(&mirror, folder.path());
    assert_eq!((next.version, next.files, next.replaced), (24, 1, 1));
}

#[test]
fn the_table_of_another_mirror_is_refused_unless_it_is_replaced() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut mirror, mut stranger) = (open(one.path()), open(other.path()));
    sync(&mut mirror, &PHOTO, &photos(12));
    sync(&mut stranger, &PHOTO, &photos(3));
    export(&mirror, one.path());
    let place = Place::open(one.path().join("out").to_str().unwrap()).unwrap();
    let error = of(&PHOTO).run(&stranger, &place).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Foreign);
    of(&PHOTO).replace().run(&stranger, &place).unwrap();
    let table = photo_table(one.path());
    assert_eq!(table.rows().len(), 3);
    assert_eq!(table.existing(), table.files());
}

#[test]
fn a_table_of_another_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    sync(&mut mirror, &PHOTO, &photos(1));
    let log = folder.path().join("out/photo/_delta_log");
    fs::create_dir_all(&log).unwrap();
    let commit = r#"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#;
    fs::write(log.join("00000000000000000000.json"), commit).unwrap();
    let place = Place::open(folder.path().join("out").to_str().unwrap()).unwrap();
    for export in [of(&PHOTO), of(&PHOTO).replace()] {
        assert_eq!(export.run(&mirror, &place).unwrap_err().kind(), ErrorKind::Foreign);
    }
}

#[test]
fn a_new_field_is_a_new_column() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(folder.path());
    let list = [r#"{"id":"1","stars":5}"#.to_owned()];
    sync(&mut mirror, &PHOTO, &list);
    export(&mirror, folder.path());
    let table = photo_table(folder.path());
    assert_eq!(table.rows()[0]["mirror_extra"], r#"{"stars":5}"#);
    sync(&mut mirror, &PHOTO_WITH_STARS, &list);
    let place = Place::open(folder.path().join("out").to_str().unwrap()).unwrap();
    of(&PHOTO_WITH_STARS).run(&mirror, &place).unwrap();
    let rows = table.rows();
    assert_eq!((rows.len(), rows[0]["stars"].as_i64()), (1, Some(5)));
    assert!(rows[0]["mirror_extra"].is_null());
}

#[test]
fn concurrent_exporters_lose_and_repeat_nothing() {
    let folder = tempfile::tempdir().unwrap();
    sync(&mut open(folder.path()), &PHOTO, &photos(40));
    let exporter = || {
        let mirror = open(folder.path());
        for _ in 0..20 {
            export(&mirror, folder.path());
        }
    };
    thread::scope(|scope| {
        let exporters = [scope.spawn(exporter), scope.spawn(exporter)];
        let mut mirror = open(folder.path());
        for count in 41..=60 {
            sync(&mut mirror, &PHOTO, &photos(count));
        }
        for exporter in exporters {
            exporter.join().unwrap();
        }
    });
    export(&open(folder.path()), folder.path());
    let table = photo_table(folder.path());
    let mut ids: Vec<u64> =
        table.rows().iter().map(|row| row["id"].as_str().unwrap().parse().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=60).collect::<Vec<_>>());
    let changes = Table(folder.path().join("out/mirror_change"));
    let mut ids: Vec<u64> = changes
        .rows()
        .iter()
        .map(|row| row["record_id"].as_str().unwrap().parse().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (41..=60).collect::<Vec<_>>());
}
