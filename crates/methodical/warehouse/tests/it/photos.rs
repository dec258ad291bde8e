//! A mirror of photos, and its export.

use std::path::Path;

use methodical_mirror::model::{Column, FieldType, Table as Description};
use methodical_mirror::{Mirror, Rules, Source};
use methodical_warehouse::{Described, Export, Place, TableExport};

use crate::table::Table;

pub(crate) static PHOTO: Description = Description::new(
    "photo",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["title"]).personal(),
        Column::text(&["taken"]).typed(FieldType::DateTime),
        Column::integer(&["size"]),
        Column::text(&["place", "name"]).personal(),
    ],
);

pub(crate) static PHOTO_WITH_STARS: Description = Description::new(
    "photo",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["title"]).personal(),
        Column::text(&["taken"]).typed(FieldType::DateTime),
        Column::integer(&["size"]),
        Column::integer(&["stars"]),
        Column::text(&["place", "name"]).personal(),
    ],
);

pub(crate) fn open(folder: &Path) -> Mirror {
    let source = Source::new("https://gateway.example.com", "me");
    Mirror::open(folder.join("mirror.db"), &source).unwrap()
}

pub(crate) fn sync(mirror: &mut Mirror, table: &Description, records: &[String]) {
    let mut run = mirror.begin("photos/list", table, Rules::new().accept_missing(1_000)).unwrap();
    for record in records {
        run.record(record).unwrap();
    }
    run.finish().unwrap();
}

pub(crate) fn photos(count: usize) -> Vec<String> {
    (1..=count).map(|id| format!(r#"{{"id":"{id}","title":"Photo {id}"}}"#)).collect()
}

pub(crate) fn of(table: &'static Description) -> Export {
    Export::new(Described::new(&[table], &["storage"])).rows_per_file(10)
}

pub(crate) fn export(mirror: &Mirror, folder: &Path) -> TableExport {
    let place = Place::open(folder.join("out").to_str().unwrap()).unwrap();
    of(&PHOTO).run(mirror, &place).unwrap().remove(0)
}

pub(crate) fn photo_table(folder: &Path) -> Table {
    Table(folder.join("out/photo"))
}
