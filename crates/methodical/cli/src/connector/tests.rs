//! A mirror with photos, for unit tests.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Mirror, Rules};
use serde_json::Value;

/// A table with a column of each kind.
pub(crate) static PHOTO: Table = Table::new(
    "photo",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["title"]).personal(),
        Column::integer(&["size"]),
        Column::boolean(&["open"]),
        Column::json(&["tags"]),
        Column::text(&["place", "id"]),
        Column::text(&["place", "name"]).personal(),
    ],
);

/// Returns an empty mirror in memory, at 1 January 2026.
pub(crate) fn mirror() -> Mirror {
    Mirror::in_memory().unwrap().with_clock(|| UNIX_EPOCH + Duration::from_secs(1_767_225_600))
}

/// Syncs the list of photos.
pub(crate) fn sync(mirror: &mut Mirror, photos: &[&str]) {
    let mut run = mirror.begin("photos/list", &PHOTO, Rules::new().accept_missing(1)).unwrap();
    for photo in photos {
        run.record(photo).unwrap();
    }
    run.finish().unwrap();
}

/// Returns messages, one in each line, without what differs from run to run: the cursors, and the order of members, which
/// depends on the features of other crates.
pub(crate) fn stable(messages: &[u8]) -> String {
    let messages = str::from_utf8(messages).unwrap().lines();
    let sorted =
        messages.map(|line| sorted(serde_json::from_str(line).unwrap()).to_string() + "\n");
    without_cursors(&sorted.collect::<String>())
}

/// Sorts the members of all objects by their names.
pub(crate) fn sorted(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(sorted).collect(),
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.into_iter().collect();
            members.into_iter().map(|(name, value)| (name, sorted(value))).collect()
        }
        other => other,
    }
}

fn without_cursors(text: &str) -> String {
    let mut parts = text.split("\"m1.");
    let mut replaced = parts.next().unwrap().to_owned();
    for part in parts {
        let (_cursor, rest) = part.split_once('"').unwrap();
        replaced.push_str("\"CURSOR\"");
        replaced.push_str(rest);
    }
    replaced
}
