//! Exports of past values.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use methodical_mirror::{Mirror, Source, SyncOptions};
use methodical_warehouse::{Described, Export, Place, TableExport};
use tempfile::TempDir;

use crate::gallery::{Gallery, Server};
use crate::table::Table;

/// A mirror of the gallery, and its export.
struct Exported {
    server: Server,
    mirror: Mirror,
    clock: Arc<AtomicU64>,
    folder: TempDir,
}

impl Exported {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::<AtomicU64>::default();
        let now = Arc::clone(&clock);
        let source = Source::new("https://gateway.example.com", "me");
        let mirror = Mirror::open(folder.path().join("mirror.db"), &source).unwrap();
        let mirror = mirror
            .with_clock(move || UNIX_EPOCH + Duration::from_secs(now.load(Ordering::Relaxed)));
        Self { server: Server::start(), mirror, clock, folder }
    }

    fn sync(&mut self, at: u64) {
        self.clock.store(at, Ordering::Relaxed);
        let options = SyncOptions::new().recheck_every(1);
        self.mirror.sync_all(&self.server.blocking(), &options).unwrap();
    }

    fn export(&self) -> TableExport {
        let place = Place::open(self.folder.path().join("out").to_str().unwrap()).unwrap();
        let export = Export::new(Described::of::<Gallery>()).rows_per_file(2);
        let tables = export.run(&self.mirror, &place).unwrap();
        tables.into_iter().find(|table| table.table == "mirror_spell").unwrap()
    }

    fn table(&self) -> Table {
        Table(self.folder.path().join("out/mirror_spell"))
    }

    /// Returns the identity and the value of each spell, in the order of their numbers.
    fn spells(&self) -> Vec<String> {
        let mut rows = self.table().rows();
        rows.sort_by_key(|row| row["number"].as_i64());
        let text =
            |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or("?").to_owned();
        let shown = |row: &serde_json::Value| {
            assert_eq!(row["table_name"], "photo_album");
            assert_eq!(
                row["record_id"],
                format!("{}/{}", text(row, "group_id"), text(row, "member_id"))
            );
            let before = if row["began_before"] == true { "<" } else { "" };
            format!("{} {before}{}", text(row, "record_id"), text(row, "value"))
        };
        rows.iter().map(shown).collect()
    }
}

#[test]
fn past_values_are_exported() {
    let mut exported = Exported::new();
    for (at, mark) in [(100, "New"), (200, "New"), (300, "Print"), (400, "")] {
        exported.server.state().put("1", "a", mark);
        exported.server.state().put("2", "b", "Rejected");
        exported.sync(at);
        exported.export();
    }
    assert_eq!(exported.spells(), ["1/a <New", "2/b <Rejected", "1/a Print", "1/a ?"]);
    assert_eq!(exported.export().files, 0);
    // The end of a spell removes nothing, so former files stay.
    assert!(exported.table().existing().len() > exported.table().files().len());
}

#[test]
fn spells_of_an_erased_member_are_in_no_file() {
    let mut exported = Exported::new();
    for (at, mark) in [(100, "New"), (200, "Print"), (300, "New")] {
        exported.server.state().put("1", "a", "New");
        exported.server.state().put("1", "b", mark);
        exported.sync(at);
        exported.export();
    }
    assert_eq!(exported.spells(), ["1/a <New", "1/b <New", "1/b Print", "1/b New"]);
    exported.mirror.forget("photo", "b").unwrap();
    // The next spells get the numbers of those that were erased.
    for (at, mark) in [(400, "New"), (500, "Print"), (600, "New")] {
        exported.server.state().put("1", "c", mark);
        exported.sync(at);
    }
    let erased = exported.export();
    assert_eq!((erased.replaced, exported.spells().len()), (2, 4));
    assert_eq!(exported.table().existing(), exported.table().files());
    exported.mirror.forget("photo", "a").unwrap();
    exported.mirror.forget("photo", "c").unwrap();
    exported.export();
    assert!(exported.table().existing().is_empty(), "{:?}", exported.table().existing());
}
