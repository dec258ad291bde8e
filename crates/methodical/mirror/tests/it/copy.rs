//! Copies of a mirror in a real PostgreSQL.

use std::path::Path;
use std::time::Duration;

use methodical_mirror::connector::Connector;
use methodical_mirror::{Copied, ErrorKind, Existing, Mirror, Purge, Rules};
use postgres::{Client, NoTls, SimpleQueryMessage};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::cluster::{Database, database};
use crate::gallery::{Server, rechecking};
use crate::kill::{CHILD, RUNS, generation, run_and_kill};
use crate::place::Place;
use crate::support::{Clock, PHOTO, PHOTO_WITH_STARS, open, photos, sync};

/// Every statement has to quote this name.
const SCHEMA: &str = "Mirror \"1\"";

const TARGET: &str = "postgres://db/team";

fn copy(mirror: &mut Mirror, url: &str) -> Copied {
    try_copy(mirror, url).unwrap()
}

/// Copies a mirror, and compares it with the copy.
fn copy_equal(place: &Place, mirror: &mut Mirror, url: &str) -> Copied {
    let copied = copy(mirror, url);
    assert_equal(&place.file(), url);
    copied
}

fn try_copy(mirror: &mut Mirror, url: &str) -> Result<Copied, methodical_mirror::Error> {
    let connector = Connector::new(url, "the tests").unwrap();
    mirror.copy_to_postgres(&connector, SCHEMA, TARGET)
}

fn client(url: &str) -> Client {
    let mut client = Client::connect(url, NoTls).unwrap();
    client
        .batch_execute(&format!("SET search_path TO {SCHEMA:?}").replace("\\\"", "\"\""))
        .unwrap();
    client
}

/// Returns the rows of the copy as text, without using the library.
fn rows(client: &mut Client, select: &str) -> Vec<Vec<Option<String>>> {
    let messages = client.simple_query(select).unwrap();
    let rows = messages.into_iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    rows.map(|row| (0..row.len()).map(|index| row.get(index).map(str::to_owned)).collect())
        .collect()
}

/// Compares each table, and each view, of the file and the copy.
fn assert_equal(path: &Path, url: &str) {
    let (source, mut client) = (Connection::open(path).unwrap(), client(url));
    let select = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'";
    let mut statement = source.prepare(select).unwrap();
    let names = statement.query_map((), |row| row.get(0)).unwrap();
    let names: Vec<String> = names.collect::<Result<_, _>>().unwrap();
    let own = ["consumer", "meta", "note", "rejected", "shape", "suppressed"];
    let mut count = 0;
    for name in names.iter().filter(|name| !own.iter().any(|own| **name == format!("mirror_{own}")))
    {
        count += 1;
        let columns = format!(
            "SELECT column_name, data_type FROM information_schema.columns \
             WHERE table_name = '{name}' AND table_schema = current_schema()"
        );
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for column in rows(&mut client, &columns) {
            let mut cells = column.into_iter().flatten();
            let (column, kind) = (cells.next().unwrap(), cells.next().unwrap());
            ours.push(format!("\"{column}\""));
            theirs.push(match &*kind {
                "timestamp with time zone" => format!(
                    "to_char(\"{column}\" AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                ),
                "boolean" => format!("\"{column}\"::int"),
                _ => format!("\"{column}\""),
            });
        }
        assert!(ours.len() > 2, "{name}: {ours:?}");
        let select = |columns: &[String]| format!("SELECT {} FROM \"{name}\"", columns.join(", "));
        let mut statement = source.prepare(&select(&ours)).unwrap();
        let value = |row: &rusqlite::Row<'_>, index| match row.get(index).unwrap() {
            Value::Null => None,
            Value::Text(text) => Some(text),
            Value::Integer(number) => Some(number.to_string()),
            other => Some(format!("{other:?}")),
        };
        let expected = statement
            .query_map((), |row| Ok((0..ours.len()).map(|index| value(row, index)).collect()))
            .unwrap();
        let mut expected: Vec<Vec<_>> = expected.collect::<Result<_, _>>().unwrap();
        let mut found = rows(&mut client, &select(&theirs));
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{name}");
    }
    assert!(count >= 6, "{names:?}");
    let position = rows(&mut client, "SELECT position, id FROM mirror_meta");
    let last = "SELECT max(pruned, coalesce((SELECT max(number) FROM mirror_change), 0)), '\\x' || lower(hex(id)) \
                FROM mirror_meta";
    let last: (i64, String) =
        source.query_row(last, (), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(position, [[Some(last.0.to_string()), Some(last.1)]]);
}

/// Returns a new place and database; `None` without PostgreSQL.
fn places() -> Option<(Place, Database)> {
    Some((Place::new(), database()?))
}

#[test]
fn a_copy_equals_the_mirror_after_each_step() {
    let Some((place, database)) = places() else { return };
    let (server, clock, url) = (Server::start(), Clock::default(), &*database.url);
    let mut mirror = clock.of(place.open());
    let options = rechecking();
    for (time, album, photo, mark) in [
        (100, "1", "a", "New"),
        (200, "1", "b", "Print"),
        (300, "2", "b", "New"),
        (400, "2", "b", "Print"),
        (500, "2", "c", "New"),
    ] {
        clock.set(time);
        server.state().put(album, photo, mark);
        server.sync(&mut mirror, &options).unwrap();
        assert!(!copy_equal(&place, &mut mirror, url).is_replaced);
    }
    server.state().albums.remove("1");
    for _ in 0..2 {
        server.sync(&mut mirror, &options).unwrap();
    }
    copy_equal(&place, &mut mirror, url);
    // Nothing has changed except the history of syncs.
    let copied = copy(&mut mirror, url);
    assert!(copied.tables.iter().all(|one| (one.written, one.removed) == (0, 0)), "{copied:?}");
    mirror.forget("photo", "b").unwrap();
    copy_equal(&place, &mut mirror, url);
    let print = "SELECT count(*) FROM mirror_change WHERE 'Print' IN (previous, value)";
    assert_eq!(rows(&mut client(url), print), [[Some("0".to_owned())]]);
    clock.set(1_000_000);
    mirror.purge(&Purge { gone_for: Some(Duration::from_secs(1)), ..Purge::default() }).unwrap();
    mirror.omit_personal().unwrap();
    copy_equal(&place, &mut mirror, url);
}

#[test]
fn a_copy_of_an_earlier_release_keeps_its_past_values() {
    let Some((place, database)) = places() else { return };
    let (server, url) = (Server::with(&[("1", "a", "New")]), &*database.url);
    let mut mirror = place.open();
    server.sync(&mut mirror, &rechecking()).unwrap();
    copy(&mut mirror, url);
    let mut client = client(url);
    client
        .batch_execute(
            "DROP VIEW mirror_spell; ALTER TABLE mirror_past_value RENAME TO mirror_spell; \
             ALTER INDEX mirror_past_value_member RENAME TO mirror_spell_member; \
             CREATE VIEW of_the_team AS SELECT value FROM mirror_spell",
        )
        .unwrap();
    let copied = copy_equal(&place, &mut mirror, url);
    assert!(copied.tables.iter().all(|one| (one.written, one.removed) == (0, 0)), "{copied:?}");
    // The former name is a view, which the next copy keeps.
    copy_equal(&place, &mut mirror, url);
    let past_values = "SELECT (SELECT count(*) FROM mirror_past_value), (SELECT count(*) FROM of_the_team), \
                       (SELECT count(*) FROM mirror_spell), to_regclass('mirror_spell_member')";
    let one = Some("1".to_owned());
    assert_eq!(rows(&mut client, past_values), [[one.clone(), one.clone(), one, None]]);
}

#[test]
fn special_values_and_new_columns_are_copied() {
    let Some((place, database)) = places() else { return };
    let mut mirror = place.open();
    let list = [
        r#"{"id":"1","title":"tab\t line\n back\\slash \"quoted\" é \\N","size":-7,"other":[1,{"a":null}]}"#,
        r#"{"id":"2","title":null,"size":9223372036854775807,"place":{"id":"x","name":"\\."}}"#,
        r#"{"id":"\\x","title":""}"#,
    ];
    photos(&mut mirror, &list);
    copy_equal(&place, &mut mirror, &database.url);
    let starred = [list[1], list[2], r#"{"id":"1","stars":5}"#];
    sync(&mut mirror, &PHOTO_WITH_STARS, Rules::default(), &starred).unwrap();
    copy_equal(&place, &mut mirror, &database.url);
    // PostgreSQL text cannot contain U+0000.
    photos(&mut mirror, &[list[0], list[1], r#"{"id":"3","title":"a\u0000b"}"#]);
    copy(&mut mirror, &database.url);
}

#[test]
fn a_forgotten_person_leaves_the_copies_that_are_named() {
    let Some((place, database)) = places() else { return };
    let clock = Clock::default();
    let mut mirror = clock.of(place.open());
    clock.set(100);
    photos(&mut mirror, &[r#"{"id":"1","title":"Zanzibar"}"#, r#"{"id":"2"}"#]);
    assert!(mirror.forget("photo", "9").unwrap().copies.is_empty());
    copy(&mut mirror, &database.url);
    let holds = |url: &str| {
        let found = "SELECT count(*) FROM photo p WHERE p::text LIKE '%anzibar%'";
        rows(&mut client(url), found) == [[Some("1".to_owned())]]
    };
    assert!(holds(&database.url));
    clock.set(200);
    assert_eq!(mirror.forget("photo", "1").unwrap().copies, [TARGET]);
    clock.set(300);
    assert_eq!(mirror.forget("photo", "1").unwrap().copies, [TARGET]);
    copy(&mut mirror, &database.url);
    assert!(!holds(&database.url));
    assert!(mirror.forget("photo", "1").unwrap().copies.is_empty());
    let mut client = client(&database.url);
    client.batch_execute("ANALYZE").unwrap();
    let statistics = "SELECT count(*) FROM pg_stats s WHERE s::text LIKE '%anzibar%'";
    assert_eq!(rows(&mut client, statistics), [[Some("0".to_owned())]]);
}

#[test]
fn a_restored_mirror_and_another_one_are_copied_again() {
    let Some((place, database)) = places() else { return };
    let (url, folder) = (&*database.url, tempfile::tempdir().unwrap());
    let backup = folder.path().join("backup.db");
    let mut mirror = place.open();
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    mirror.backup(&backup, Existing::Refuse).unwrap();
    photos(&mut mirror, &[r#"{"id":"1","size":1}"#, r#"{"id":"2"}"#]);
    assert!(!copy(&mut mirror, url).is_replaced);
    drop(mirror);
    Mirror::restore(&backup, place.file(), Existing::Replace).unwrap();
    let mut mirror = place.open();
    photos(&mut mirror, &[r#"{"id":"3"}"#, r#"{"id":"1"}"#]);
    assert!(copy_equal(&place, &mut mirror, url).is_replaced);

    let other = Place::new();
    let mut mirror = other.open();
    photos(&mut mirror, &[r#"{"id":"4"}"#]);
    assert!(copy_equal(&other, &mut mirror, url).is_replaced);
}

#[test]
fn a_schema_with_other_tables_and_a_mirror_in_memory_are_refused() {
    let Some((place, database)) = places() else { return };
    let schema = format!("{SCHEMA:?}").replace("\\\"", "\"\"");
    let mut client = Client::connect(&database.url, NoTls).unwrap();
    client
        .batch_execute(&format!(
            "CREATE SCHEMA {schema}; CREATE TABLE {schema}.mirror_meta (secret bytea)"
        ))
        .unwrap();
    let mut mirror = place.open();
    photos(&mut mirror, &[""; 0]);
    let error = try_copy(&mut mirror, &database.url).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Foreign);
    assert!(error.to_string().contains("it has tables that no copy created"), "{error}");
    let error = try_copy(&mut Mirror::in_memory().unwrap(), &database.url).unwrap_err();
    assert_eq!(error.to_string(), "cannot copy the mirror: it is in memory; use a file");
    // A role that may not create a schema can write into one that exists.
    client.batch_execute(&format!("DROP TABLE {schema}.mirror_meta")).unwrap();
    copy(&mut mirror, &database.url);
}

#[test]
fn killed_copies_lose_nothing_and_repeat_nothing() {
    if let Some(path) = std::env::var_os(CHILD) {
        let path = Path::new(&path);
        let url = std::fs::read_to_string(path.with_extension("url")).unwrap();
        let mut mirror = open(path);
        for next in generation(&mirror) + 1..=u64::MAX {
            crate::kill::sync(&mut mirror, next);
            copy(&mut mirror, &url);
            println!("committed {next}");
        }
    }
    let Some((place, database)) = places() else { return };
    let path = place.file();
    std::fs::write(path.with_extension("url"), &database.url).unwrap();
    sync(&mut place.open(), &PHOTO, Rules::default(), &[r#"{"id":"generation","size":0}"#])
        .unwrap();
    let runs = std::env::var(RUNS).map_or(20, |runs| runs.parse::<u64>().unwrap());
    for run in 0..runs {
        let test = "copy::killed_copies_lose_nothing_and_repeat_nothing";
        run_and_kill(test, path.as_os_str(), run % 2 == 0, 60_000, 3);
        copy(&mut place.open(), &database.url);
        assert_equal(&path, &database.url);
    }
}
