//! A record as one flat row of text, for CSV and other tables.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::ser::{Error as _, SerializeStruct as _};
use serde::{Serialize, Serializer};

use crate::decode::shape::{Object, Shape};
use crate::decode::{Record, members};

/// A record as one flat row of text, which any serializer for tables accepts, such as that of the crate `csv`.
///
/// The cells of a row are those of [`Record::COLUMNS`]:
///
/// - A field of a nested record has its own column, such as `portal.name`. Records within nested records are JSON text.
/// - The last column is a JSON object of all unlisted fields. Those of a nested record are under its name. It is empty if
///   there are none.
/// - Text is written without quotes, and other values as their JSON text. A field that is absent or `null` is `None`, which
///   CSV shows as an empty cell.
///
/// Cells that a spreadsheet would run as formulas are not escaped.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::FlatRow;
///
/// let photos: [Photo; 2] = serde_json::from_str(
///     r#"[{"id":"1","title":"Harbour, old","open":true},{"id":"2","title":null}]"#,
/// )?;
/// let mut writer = csv::Writer::from_writer(Vec::new());
/// for photo in &photos {
///     writer.serialize(FlatRow::of(photo))?;
/// }
/// assert_eq!(
///     String::from_utf8(writer.into_inner()?)?,
///     "id,title,place,extra\n\
///      1,\"Harbour, old\",,\"{\"\"open\"\":true}\"\n\
///      2,,,\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The crate writes no header for an empty list; write [`Record::COLUMNS`] instead.
pub struct FlatRow<'a, R>(&'a R);

impl<'a, R: Record + Serialize> FlatRow<'a, R> {
    /// Creates the row of a record.
    ///
    /// ```
    /// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
    /// let row = serde_json::to_string(&methodical_model::FlatRow::of(&Photo::new("1")))?;
    /// assert_eq!(row, r#"{"id":"1","title":null,"place":null,"extra":null}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub const fn of(record: &'a R) -> Self {
        Self(record)
    }
}

/// Shows no cell: records may be personal.
impl<R: Record> fmt::Debug for FlatRow<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlatRow").field("columns", &R::COLUMNS).finish_non_exhaustive()
    }
}

impl<R: Record + Serialize> Serialize for FlatRow<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = serde_json::to_string(self.0).map_err(S::Error::custom)?;
        let cells = cells(&json, R::OBJECT).map_err(S::Error::custom)?;
        let mut row = serializer.serialize_struct("FlatRow", R::COLUMNS.len())?;
        for (column, cell) in R::COLUMNS.iter().zip(&cells) {
            row.serialize_field(column, cell)?;
        }
        row.end()
    }
}

/// Returns the cells of a record in the order of its columns.
fn cells<'a>(
    json: &'a str,
    object: &Object,
) -> Result<Vec<Option<Cow<'a, str>>>, serde_json::Error> {
    let (record, mut cells, mut unlisted) = (Fields::of(json), Vec::new(), Unlisted::default());
    for member in object.members {
        let value = record.get(member.name);
        let Shape::Object(inner) = (member.shape)() else {
            cells.push(value.and_then(cell));
            continue;
        };
        let nested = Fields::of(value.unwrap_or_default());
        cells.extend(inner.members.iter().map(|one| nested.get(one.name).and_then(cell)));
        let mut below = Unlisted::default();
        below.add(&nested, inner)?;
        if let Some(below) = below.finish() {
            unlisted.push(member.name, &below)?;
        }
    }
    unlisted.add(&record, object)?;
    cells.push(unlisted.finish().map(Cow::Owned));
    Ok(cells)
}

/// The fields of a JSON object.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Fields<'a> {
    /// Reads the fields. Any other JSON text has none.
    fn of(json: &'a str) -> Self {
        let inside = json.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        Self(members::iter(inside.unwrap_or_default()).collect())
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| *value)
    }
}

/// Returns the text of a value; `None` for `null`.
fn cell(value: &str) -> Option<Cow<'_, str>> {
    (value != "null").then(|| members::decoded(value).unwrap_or(Cow::Borrowed(value)))
}

/// A JSON object of unlisted fields under construction.
#[derive(Default)]
struct Unlisted(String);

impl Unlisted {
    /// Appends the fields of a record that its shape does not list.
    fn add(&mut self, fields: &Fields<'_>, object: &Object) -> Result<(), serde_json::Error> {
        let is_listed = |name: &str| object.members.iter().any(|member| member.name == name);
        let mut unlisted = fields.0.iter().filter(|(name, _)| !is_listed(name));
        unlisted.try_for_each(|(name, value)| self.push(name, value))
    }

    fn push(&mut self, name: &str, value: &str) -> Result<(), serde_json::Error> {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&serde_json::to_string(name)?);
        self.0.push(':');
        self.0.push_str(value);
        Ok(())
    }

    /// Returns the object; `None` if it has no fields.
    fn finish(mut self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.0.push('}');
        Some(self.0)
    }
}
