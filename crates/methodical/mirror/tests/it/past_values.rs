//! Past values: how long a placement had each value, including in random histories.

use std::collections::{BTreeMap, BTreeSet};

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::queries::board;
use methodical_mirror::{ChangeKind, Cursor, Mirror, Purge, Record, Rules, State, SyncOptions};
use proptest::prelude::*;

use crate::gallery::{Server, marks, rechecking};
use crate::place::Place;
use crate::support::{Clock, random_cases, table};

/// Returns a short form of past values: `1/a New 100-200`, with `<` before a start that may be earlier.
fn shown(mirror: &Mirror, member: Option<&str>) -> Vec<String> {
    let rows = mirror.past_values("photo_album", member, usize::MAX).unwrap().into_iter();
    rows.map(|one| short(&(one.id, one.value, one.began_at, one.ended_at, one.began_before)))
        .collect()
}

fn short((id, value, began_at, ended_at, began_before): &Row) -> String {
    let value = value.as_deref().unwrap_or("?");
    let before = if *began_before { "<" } else { "" };
    let ended_at = ended_at.map(|at| at.to_string()).unwrap_or_default();
    format!("{id} {value} {before}{began_at}-{ended_at}")
}

fn sync(server: &Server, mirror: &mut Mirror) {
    server.sync(mirror, &rechecking()).unwrap();
}

#[test]
fn past_values_of_a_table_or_a_member_are_ordered() {
    let (server, (_place, mut mirror, clock)) = (Server::start(), Place::timed());
    for (at, mark) in [(100, "New"), (300, "Print"), (400, ""), (500, "New")] {
        clock.set(at);
        server.put(&[("1", "a", mark), ("2", "b", "Rejected")]);
        sync(&server, &mut mirror);
    }
    let of_b = "2/b Rejected <100-";
    let all = ["1/a New <100-300", of_b, "1/a Print 300-400", "1/a ? 400-500", "1/a New <500-"];
    assert_eq!(shown(&mirror, None), all);
    assert_eq!(shown(&mirror, Some("b")), [of_b]);
    let first = mirror.past_values("photo_album", None, 1).unwrap();
    assert_eq!((first.len(), &*first[0].id), (1, "1/a"));
    assert!(!format!("{first:?}").contains("New"));
}

#[test]
fn an_erased_member_has_no_past_values_and_a_gone_group_keeps_them() {
    let (server, (place, mut mirror, clock)) = (Server::start(), Place::timed());
    clock.set(100);
    let marked =
        [("1", "a", "Zanzibar"), ("1", "b", "New"), ("2", "b", "New"), ("2", "c", "Zebra")];
    server.put(&marked);
    let options = SyncOptions { recheck_every: 1, ..marks(&["Zanzibar", "Zebra"]) };
    server.sync(&mut mirror, &options).unwrap();
    clock.set(200);
    server.state().albums.remove("1");
    for _ in 0..2 {
        server.sync(&mut mirror, &options).unwrap();
    }
    let all = ["1/a Zanzibar <100-200", "1/b New <100-200", "2/b New <100-", "2/c Zebra <100-"];
    assert_eq!(shown(&mirror, None), all);
    mirror.forget("photo", "a").unwrap();
    clock.set(300);
    server.state().photos.remove("c");
    server.state().put("2", "b", "New");
    server.state().albums.get_mut("2").unwrap().remove("c");
    for _ in 0..2 {
        server.sync(&mut mirror, &options).unwrap();
    }
    assert_eq!(shown(&mirror, None), all[1..3]);
    assert_eq!(mirror.check().unwrap().findings, []);
    mirror.forget("album", "2").unwrap();
    assert_eq!(shown(&mirror, None), all[1..2]);
    for now in [300, 400] {
        clock.set(now);
        let gone_for = Some(std::time::Duration::ZERO);
        mirror.purge(&Purge { gone_for, ..Purge::default() }).unwrap();
    }
    assert_eq!(shown(&mirror, None), [""; 0]);
    assert_eq!(mirror.check().unwrap().findings, []);
    assert_eq!(place.row("SELECT count(*) FROM mirror_past_value"), ["0"]);
}

#[test]
fn past_values_that_a_purge_removes_do_not_stay_in_the_log() {
    let (server, (place, mut mirror, clock)) = (Server::start(), Place::timed());
    server.put(&[("1", "a", "New"), ("1", "b", "New")]);
    sync(&server, &mut mirror);
    server.state().albums.get_mut("1").unwrap().remove("a");
    for _ in 0..2 {
        sync(&server, &mut mirror);
    }
    clock.set(100);
    let log = place.file().with_extension("db-wal");
    let has_log = || log.metadata().unwrap().len() > 0;
    let purge = Purge { gone_for: Some(std::time::Duration::ZERO), ..Purge::default() };
    mirror.add_consumer("team").unwrap();
    assert!(has_log());
    assert_eq!(mirror.purge(&purge).unwrap().records, 1);
    assert!(!has_log());
}

/// An event at the service or in the mirror.
#[derive(Clone, Debug)]
enum Event {
    Put(&'static str, &'static str, &'static str),
    Take(&'static str, &'static str),
    DropPhoto(&'static str),
    DropAlbum(&'static str),
    Forget(&'static str),
    Sync,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let album = || prop::sample::select(vec!["1", "2"]);
    let photo = || prop::sample::select(vec!["a", "b", "c"]);
    let mark = prop::sample::select(vec!["New", "Print", "Rejected", ""]);
    let event = prop_oneof![
        8 => (album(), photo(), mark).prop_map(|(album, photo, mark)| Event::Put(album, photo, mark)),
        5 => (album(), photo()).prop_map(|(album, photo)| Event::Take(album, photo)),
        1 => photo().prop_map(Event::DropPhoto),
        1 => album().prop_map(Event::DropAlbum),
        1 => photo().prop_map(Event::Forget),
        8 => Just(Event::Sync),
    ];
    prop::collection::vec(event, 16..64)
}

/// A placement, its value, the start and the end, and whether the start may be earlier.
type Row = (String, Option<String>, i64, Option<i64>, bool);

/// The expected past values, from the content of the service at the time of each sync.
#[derive(Default)]
struct Expected {
    past: Vec<Row>,
    /// How many consecutive syncs lacked each photo, album and placement that the mirror has.
    photos: BTreeMap<String, u32>,
    albums: BTreeMap<String, u32>,
    placements: BTreeMap<String, u32>,
    forgotten: BTreeSet<String>,
    is_complete: bool,
}

impl Expected {
    fn forget(&mut self, photo: &str) {
        self.forgotten.insert(photo.to_owned());
        if self.photos.remove(photo).is_some() {
            self.remove(photo);
        }
    }

    /// Removes a photo that is gone or forgotten.
    fn remove(&mut self, photo: &str) {
        let end = format!("/{photo}");
        self.past.retain(|(id, ..)| !id.ends_with(&end));
        self.placements.retain(|id, _| !id.ends_with(&end));
    }

    fn end(&mut self, id: &str, at: i64) {
        let open = self.past.iter_mut().find(|(one, _, _, ended, _)| one == id && ended.is_none());
        if let Some((_, _, _, ended, _)) = open {
            *ended = Some(at);
        }
    }

    fn sync(&mut self, server: &Server, at: i64) {
        let content = server.state().clone();
        let (photos, albums) = (content.photos, content.albums);
        let photos: BTreeSet<String> = photos.difference(&self.forgotten).cloned().collect();
        let forgotten = self.forgotten.clone();
        let gone = absent(&mut self.photos, photos.iter());
        for photo in gone {
            self.remove(&photo);
        }
        for album in absent(&mut self.albums, albums.keys()) {
            let start = format!("{album}/");
            let left: Vec<String> =
                self.placements.keys().filter(|id| id.starts_with(&start)).cloned().collect();
            for id in left {
                self.end(&id, at);
                self.placements.remove(&id);
            }
        }
        let mut listed = BTreeSet::new();
        for (album, marks) in &albums {
            for (photo, mark) in marks.iter().filter(|(photo, _)| !forgotten.contains(*photo)) {
                let id = format!("{album}/{photo}");
                self.place(&id, mark.clone(), at);
                listed.insert(id);
            }
        }
        // The members of a missing album are not requested.
        let is_asked = |id: &String| albums.contains_key(id.split_once('/').unwrap().0);
        let absent: Vec<String> = self
            .placements
            .keys()
            .filter(|id| is_asked(id) && !listed.contains(*id))
            .cloned()
            .collect();
        for id in absent {
            self.end(&id, at);
            let misses = self.placements.get_mut(&id).unwrap();
            *misses += 1;
            if *misses == 2 {
                self.placements.remove(&id);
            }
        }
        self.is_complete = true;
    }

    fn place(&mut self, id: &str, mark: Option<String>, at: i64) {
        let misses = self.placements.insert(id.to_owned(), 0);
        let last = self.past.iter_mut().rev().find(|(one, ..)| one == id);
        let mut was_unknown = false;
        if let (Some(misses), Some((_, value, _, ended_at, _))) = (misses, last) {
            if misses > 0 {
                *ended_at = None;
            }
            if *value == mark {
                return;
            }
            was_unknown = value.is_none();
            *ended_at = Some(at);
        }
        let began_before = was_unknown || !self.is_complete;
        self.past.push((id.to_owned(), mark, at, None, began_before));
    }
}

/// The placements of a reader of the feed, with state and value. The reader starts with the placements of the first
/// recovery.
#[derive(Default)]
struct Replica {
    cursor: Option<Cursor>,
    placements: Placements,
}

type Placements = BTreeMap<String, (State, Option<String>)>;

impl Replica {
    /// Returns whether replaying the feed gives the placements of the mirror.
    fn follows(&mut self, mirror: &Mirror) -> bool {
        let rows = placements(mirror);
        let cursor = self.cursor.replace(mirror.cursor().unwrap());
        let Some(cursor) = cursor.filter(|_| !self.placements.is_empty()) else {
            self.placements = rows;
            return true;
        };
        for change in mirror.changes(Some(&cursor), usize::MAX).unwrap().0 {
            if change.table != "photo_album" {
                continue;
            }
            let known = self.placements.entry(change.id.clone()).or_insert((State::Gone, None));
            *known = match change.kind {
                // If it was gone, its value may differ.
                ChangeKind::Returned if known.0 == State::Gone => {
                    rows.get(&change.id).cloned().unwrap()
                }
                ChangeKind::Returned => (State::Present, known.1.take()),
                ChangeKind::Missing => (State::Missing, known.1.take()),
                ChangeKind::Gone => (State::Gone, None),
                _ => (State::Present, change.value),
            };
        }
        self.placements == rows
    }
}

fn placements(mirror: &Mirror) -> Placements {
    let placed = |record: Record| {
        let json: serde_json::Value = serde_json::from_str(&record.json).unwrap();
        let mark = json.get("mark").and_then(serde_json::Value::as_str).map(str::to_owned);
        // A placement that left its group keeps the value in its row.
        (record.id, (record.state, mark.filter(|_| record.state != State::Gone)))
    };
    table(mirror, "photo_album").into_iter().map(placed).collect()
}

/// Counts the absences of the records that a mirror has. Returns and removes the records that are gone.
fn absent<'a, I: Iterator<Item = &'a String>>(
    known: &mut BTreeMap<String, u32>,
    listed: I,
) -> Vec<String> {
    let listed: BTreeSet<&String> = listed.collect();
    for (id, misses) in known.iter_mut() {
        *misses = if listed.contains(id) { 0 } else { *misses + 1 };
    }
    known.extend(listed.into_iter().map(|id| (id.clone(), 0)));
    let gone: Vec<String> =
        known.iter().filter(|(_, misses)| **misses == 2).map(|(id, _)| id.clone()).collect();
    known.retain(|_, misses| *misses < 2);
    gone
}

#[test]
fn the_past_values_are_those_of_a_random_history() {
    proptest!(random_cases(16), |(events in events())| {
        let (place, server, clock) = (Place::new(), Server::start(), Clock::default());
        // The lists never become empty, which the deletion guard would refuse.
        server.state().put("0", "z", "New");
        let (mut mirror, mut expected) = (clock.of(place.open()), Expected::default());
        let mut replica = Replica::default();
        for (time, event) in (100..).zip(&events) {
            clock.set(time);
            match event {
                Event::Put(album, photo, mark) => server.state().put(album, photo, mark),
                Event::Take(album, photo) => {
                    if let Some(marks) = server.state().albums.get_mut(*album) {
                        marks.remove(*photo);
                    }
                }
                Event::DropPhoto(photo) => {
                    let mut state = server.state();
                    state.photos.remove(*photo);
                    state.albums.values_mut().for_each(|marks| drop(marks.remove(*photo)));
                }
                Event::DropAlbum(album) => drop(server.state().albums.remove(*album)),
                Event::Forget(photo) => {
                    mirror.forget("photo", photo).unwrap();
                    expected.forget(photo);
                }
                Event::Sync => {
                    sync(&server, &mut mirror);
                    expected.sync(&server, i64::try_from(time).unwrap());
                }
            }
            let mut found = shown(&mirror, None);
            let mut rows: Vec<String> = expected.past.iter().map(short).collect();
            // Placements found by one recovery are in no particular order.
            found.sort();
            rows.sort();
            prop_assert_eq!(found, rows);
            prop_assert!(replica.follows(&mirror), "{:?}", placements(&mirror));
            if expected.is_complete {
                prop_assert_eq!(place.row(STALE_CELLS), ["0"]);
            }
        }
        prop_assert_eq!(mirror.check().unwrap().findings, []);
    });
}

#[test]
fn a_noted_board_has_no_value_that_was_erased_without_a_change() {
    const HIDDEN: Table = Table::new(
        "photo_album",
        "id",
        &[
            Column::text(&["id"]),
            Column::text(&["album_id"]),
            Column::text(&["photo_id"]),
            Column::text(&["mark"]).personal(),
        ],
    );
    let (server, (place, mut mirror)) = (Server::with(&[("1", "a", "New")]), Place::opened());
    mirror.omit_personal().unwrap();
    sync(&server, &mut mirror);
    let mut run = mirror.begin("recovery/photo_album", &HIDDEN, Rules::default()).unwrap();
    run.record(r#"{"id":"1/a","album_id":"1","photo_id":"a","mark":"New"}"#).unwrap();
    assert_eq!(run.finish().unwrap().unchanged, 1);
    assert_eq!(place.row(STALE_CELLS), ["0"]);
    // Another program moves the placement.
    place.execute("UPDATE photo_album SET mark = 'Print'");
    assert_eq!(board(&mirror, "photo_album", &[], true).unwrap().groups[0].cells[0].count, 1);
    // A program of an earlier schema did so.
    place.execute("PRAGMA user_version = 4");
    drop(mirror);
    let values = board(&place.open(), "photo_album", &[], true).unwrap().values;
    assert_eq!(values, [Some("Print".to_owned())]);
}

/// Counts the differences between the cached cells of the board and the placements.
const STALE_CELLS: &str = "WITH noted AS (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM mirror_note, \
    json_each(text) WHERE name = 'board/photo_album'), counted AS (SELECT album_id, mark, count(*), \
    unixepoch(min(mirror_changed_at)) FROM photo_album WHERE mirror_state = 'present' GROUP BY 1, 2) \
    SELECT count(*) FROM (SELECT * FROM noted EXCEPT SELECT * FROM counted UNION ALL \
    SELECT * FROM (SELECT * FROM counted EXCEPT SELECT * FROM noted)) \
    WHERE EXISTS (SELECT 1 FROM mirror_note WHERE name = 'board/photo_album')";
