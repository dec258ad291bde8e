//! The columns, the fields and the name of the records of an operation.

use methodical_client::model::FieldType;

use crate::output::select::Fields;

/// The columns, the fields and the name of the records that an operation returns.
///
/// # Examples
///
/// ```
/// use methodical_cli::RecordType;
///
/// const PHOTO: RecordType<'_> =
///     RecordType::new(&["id", "title"], &["id", "title", "size"]).named("photo", "photos");
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct RecordType<'a> {
    pub(crate) columns: Fields<'a>,
    pub(crate) fields: Fields<'a>,
    pub(crate) noun: Noun,
    pub(crate) types: Types<'a>,
}

/// The types of fields, by their paths.
pub(crate) type Types<'a> = &'a [(&'a str, FieldType)];

impl<'a> RecordType<'a> {
    /// Creates the description of records that are called `record`.
    ///
    /// `columns` are the columns of a table and of CSV, unless `--fields` names others, the most important first: a narrow
    /// terminal leaves out the last ones. `fields` are the paths of all documented fields.
    pub const fn new(columns: Fields<'a>, fields: Fields<'a>) -> Self {
        Self { columns, fields, noun: Noun::RECORD, types: &[] }
    }

    /// Sets the types of fields, by their paths, for formats whose columns have types. The type of any other field is unknown.
    ///
    /// ```
    /// use methodical_cli::{FieldType, RecordType};
    ///
    /// const FIELDS: &[&str] = &["id", "taken"];
    /// const PHOTO: RecordType<'_> = RecordType::new(FIELDS, FIELDS)
    ///     .typed(&[("id", FieldType::Id), ("taken", FieldType::DateTime)]);
    /// ```
    pub const fn typed(mut self, types: &'a [(&'a str, FieldType)]) -> Self {
        self.types = types;
        self
    }

    /// Sets the name of one record and of several, for the count below a table: `24 photos`.
    pub const fn named(mut self, one: &'static str, several: &'static str) -> Self {
        self.noun = Noun { one, several };
        self
    }
}

/// The name of a record, such as `photo` and `photos`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noun {
    one: &'static str,
    several: &'static str,
}

impl Noun {
    /// The name of records of unknown kind.
    pub(crate) const RECORD: Self = Self { one: "record", several: "records" };

    /// Creates the name of one record and of several.
    pub(crate) const fn new(one: &'static str, several: &'static str) -> Self {
        Self { one, several }
    }

    /// Returns the name for this number of records.
    pub(crate) fn of(self, count: u64) -> &'static str {
        if count == 1 { self.one } else { self.several }
    }
}
