//! A mirror from an earlier release, in a file that its program wrote.

use methodical_mirror::queries::{self, Wanted};

use crate::gallery::{Server, rechecking};
use crate::place::Place;
use crate::queries::placements;
use crate::support::Clock;

#[test]
fn a_mirror_of_commit_409364ed_opens_without_a_false_event() {
    let place = Place::from_sql(include_str!("former.sql"));
    place.execute("CREATE VIEW of_another_program AS SELECT value FROM mirror_spell");
    let photos =
        [("1", "a", "Print"), ("1", "b", "New"), ("2", "c", "New"), ("2", "d", "Rejected")];
    let (server, clock) = (Server::with(&photos), Clock::default());
    let mut mirror = clock.of(place.open());
    assert_eq!(place.row("SELECT user_version FROM pragma_user_version"), ["6"]);
    assert_eq!(place.row(SCHEMA), Place::opened().0.row(SCHEMA));
    let past_values =
        "SELECT count(*), sum(number), count(value), count(ended_at) FROM mirror_past_value";
    assert_eq!(place.row(past_values), ["5", "15", "4", "2"]);
    assert_eq!(place.row("SELECT count(value) FROM of_another_program"), ["4"]);
    let schedule = "SELECT count(*) FROM mirror_note WHERE name = 'schedule/photo_album'";
    assert_eq!(place.row(schedule), ["1"]);
    assert_eq!(mirror.check().unwrap().findings, []);
    assert_eq!(mirror.consumers().unwrap()[0].behind, 6);
    assert!(mirror.is_forgotten("photo", "d").unwrap());
    let cursor = mirror.cursor().unwrap();
    for time in [500, 600] {
        clock.set(time);
        let report = server.sync(&mut mirror, &rechecking()).unwrap();
        let counts: Vec<_> = report.tables.iter().map(|one| one.result.as_ref().unwrap()).collect();
        assert_eq!([counts[0].unchanged, counts[1].unchanged, counts[2].unchanged], [3, 2, 3]);
        assert_eq!(mirror.changes(Some(&cursor), 9).unwrap().0, []);
    }
    assert_eq!(mirror.check().unwrap().findings, []);
    let former = mirror.changes(None, 9).unwrap().0;
    assert!(former.iter().all(|one| one.previous.is_none() && one.value.is_none()));
    let moves = queries::moves(&mirror, "photo_album", 0..1000).unwrap();
    let moves: Vec<_> =
        moves.iter().map(|one| (&*one.member, one.to.as_deref(), one.is_learned)).collect();
    assert_eq!(moves, [("a", Some("Print"), false), ("b", Some("New"), true)]);
    server.state().put("1", "a", "Rejected");
    server.sync(&mut mirror, &rechecking()).unwrap();
    let changes = mirror.changes(Some(&cursor), 9).unwrap().0;
    let values = (changes[0].previous.as_deref(), changes[0].value.as_deref());
    assert_eq!((changes.len(), values), (1, (Some("Print"), Some("Rejected"))));
    let of_a = placements(&mirror, &Wanted { member: Some("a"), ..Wanted::default() });
    assert_eq!((of_a.len(), of_a[0].previous.as_deref()), (1, Some("Print")));
}

#[test]
fn a_mirror_of_schema_5_keeps_its_past_values_and_their_view() {
    let (server, (place, mut mirror)) = (Server::with(&[("1", "a", "New")]), Place::opened());
    server.sync(&mut mirror, &rechecking()).unwrap();
    drop(mirror);
    let schema = || [SCHEMA, VIEW].map(|select| place.row(select));
    let before = schema();
    place.execute(
        "DROP VIEW mirror_spell; ALTER TABLE mirror_past_value RENAME TO mirror_spell; \
         DROP INDEX mirror_past_value_member; \
         CREATE INDEX mirror_spell_member ON mirror_spell (member_id)",
    );
    // The second time, a program of schema 5 that had opened the file has written its version again.
    for _ in 0..2 {
        place.execute("PRAGMA user_version = 5");
        let mirror = place.open();
        assert_eq!(mirror.past_values("photo_album", Some("a"), 9).unwrap().len(), 1);
        assert_eq!(place.row("SELECT photo_id, mark FROM placement"), ["a", "New"]);
        assert_eq!(place.row("SELECT value FROM mirror_spell"), ["New"]);
    }
    server.sync(&mut place.open(), &rechecking()).unwrap();
    assert_eq!(schema(), before);
}

/// Selects the columns of the tables of the mirror itself, and the names of their indexes.
const SCHEMA: &str = "SELECT group_concat(one, char(10)) FROM (SELECT concat_ws(' ', of.type, of.name, one.cid, \
    one.name, one.type, one.\"notnull\", one.dflt_value, one.pk) AS one FROM sqlite_schema of \
    LEFT JOIN pragma_table_info(of.name) one WHERE of.tbl_name LIKE 'mirror_%' ORDER BY 1)";

/// Selects the statement that created the view of placements.
const VIEW: &str = "SELECT sql FROM sqlite_schema WHERE name = 'placement'";
