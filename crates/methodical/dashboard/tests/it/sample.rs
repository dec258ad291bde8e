//! A mirror with photos in albums, over some days.

use std::time::{Duration, UNIX_EPOCH};

use methodical_dashboard::Dashboard;
use methodical_dashboard::mirror::model::tables::{Column, Table};
use methodical_dashboard::mirror::{Mirror, Rules, Source};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::gallery::Gallery;

const PHOTO: Table =
    Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"]).personal()]);

pub(crate) const ALBUM: Table =
    Table::new("album", "id", &[Column::text(&["id"]), Column::text(&["title"])]);

const PHOTO_ALBUM: Table = Table::new(
    "photo_album",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["album_id"]),
        Column::text(&["photo_id"]),
        Column::text(&["mark"]),
    ],
);

/// 2026-11-01 08:00 UTC.
const START: u64 = 1_793_520_000;

/// A day, in seconds.
pub(crate) const DAY: u64 = 24 * 3600;

/// The columns of the placements.
const RECOVERED: &str = r#"{"photo_album":{"group":{"column":"album_id","table":"album"},
    "member":{"column":"photo_id","table":"photo"},"value":"mark"}}"#;

/// A mirror in a file, and the number of days since its first sync.
pub(crate) struct Sample {
    folder: tempfile::TempDir,
    mirror: Mirror,
    day: u64,
}

impl Sample {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = Source::new("https://photos.example.com", "me");
        let path = folder.path().join("mirror.db");
        let mirror = Mirror::open(&path, &source).unwrap();
        // As a recovery stores it.
        let insert = "INSERT INTO mirror_note (name, text) VALUES ('recovered', ?1)";
        Connection::open(path).unwrap().execute(insert, (RECOVERED,)).unwrap();
        Self { folder, mirror, day: 0 }
    }

    /// Opens the same mirror again, as another process would.
    pub(crate) fn again(&self) -> Self {
        let source = Source::new("https://photos.example.com", "me");
        let mirror = Mirror::open(self.folder.path().join("mirror.db"), &source).unwrap();
        Self { folder: tempfile::tempdir().unwrap(), mirror, day: self.day }
    }

    /// Syncs complete lists: photos and albums with their titles, and placements as album, photo and mark.
    pub(crate) fn sync(
        mut self,
        photos: &[(&str, &str)],
        albums: &[(&str, &str)],
        placements: &[(&str, &str, Option<&str>)],
    ) -> Self {
        let time = UNIX_EPOCH + Duration::from_secs(START + self.day * DAY);
        self.mirror = self.mirror.with_clock(move || time);
        let titled = |(id, title): &(&str, &str)| json!({"id": id, "title": title, "size": 7});
        self.list("photos/list", &PHOTO, photos.iter().map(titled));
        self.list("albums/list", &ALBUM, albums.iter().map(titled));
        let placed = placements.iter().map(|(album, photo, mark)| {
            json!({"id": format!("{album}/{photo}"), "album_id": album, "photo_id": photo, "mark": mark})
        });
        self.list("recovery/photo_album", &PHOTO_ALBUM, placed);
        Self { day: self.day + 1, ..self }
    }

    /// Adds a rejected record to the list of photos, which is otherwise unchanged.
    pub(crate) fn reject(mut self, record: &str) -> Self {
        let mut run = self.mirror.begin("photos/list", &PHOTO, Rules::default()).unwrap();
        run.record(r#"{"id":"1","title":"Sea at night"}"#).unwrap();
        run.record(record).unwrap();
        run.finish().unwrap();
        self
    }

    fn list(&mut self, scope: &str, table: &Table, records: impl Iterator<Item = Value>) {
        let mut run = self.mirror.begin(scope, table, Rules::default()).unwrap();
        for record in records {
            run.record(&record.to_string()).unwrap();
        }
        run.finish().unwrap();
    }

    /// Returns the dashboard, an hour after the last sync.
    pub(crate) fn dashboard(self) -> (Dashboard, tempfile::TempDir) {
        let now = UNIX_EPOCH + Duration::from_secs(START + self.day.saturating_sub(1) * DAY + 3600);
        let mut dashboard = Dashboard::of::<Gallery>(self.mirror).with_clock(move || now);
        dashboard.index().unwrap();
        (dashboard, self.folder)
    }
}

/// Returns a mirror with three days of changes.
pub(crate) fn three_days() -> Sample {
    let albums = [("7", "Harbour"), ("8", "Alps")];
    Sample::new()
        .sync(
            &[("1", "Sea"), ("2", "Lake"), ("3", "Hill")],
            &albums,
            &[("7", "1", Some("New")), ("7", "2", Some("New")), ("8", "3", None)],
        )
        .sync(
            &[("1", "Sea"), ("2", "Lake"), ("3", "Hill"), ("4", "Crane")],
            &albums,
            &[
                ("7", "1", Some("Print")),
                ("7", "2", Some("New")),
                ("7", "4", Some("New")),
                ("8", "3", None),
            ],
        )
        .sync(
            &[("1", "Sea at night"), ("2", "Lake"), ("4", "Crane")],
            &albums,
            &[("7", "1", Some("Print")), ("7", "2", Some("New")), ("7", "4", Some("Sold"))],
        )
}
