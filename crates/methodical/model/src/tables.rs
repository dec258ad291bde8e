//! A service's records as database tables, and the lists that a mirror copies into them.
//!
//! These types are in this crate because generated models implement [`Mirrored`] for their service. Programs that only
//! call a service do not need them; mirrors, exports and dashboards do.

use alloc::string::String;
use core::str::FromStr;

use serde::Serialize;

use crate::decode::Record;
use crate::error::DecodeError;
use crate::operation::{ListOperation, Operation};
use crate::paging::PagedOperation;
use crate::service::Service;

/// The description of a database table that holds the records of a model.
///
/// The description is plain data: a store creates the table from it, and a migration compares two descriptions.
///
/// # Examples
///
/// ```
/// use methodical_model::tables::{Column, Table};
///
/// const PHOTO: Table = Table::new(
///     "photo",
///     "id",
///     &[Column::text(&["id"]), Column::text(&["title"]), Column::text(&["place", "name"]).personal()],
/// );
/// assert_eq!(PHOTO.columns()[2].path(), ["place", "name"]);
/// assert_eq!(PHOTO.columns()[2].name(), "place_name");
/// assert!(PHOTO.columns()[2].is_personal());
/// assert!(PHOTO.titles().eq([&PHOTO.columns()[1]]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    name: &'static str,
    identity: &'static str,
    columns: &'static [Column],
}

impl Table {
    /// Creates the description of a table from its name, the field that identifies a record, and its columns.
    ///
    /// The field must be one of the columns, and its value must be text or an integer.
    #[must_use]
    pub const fn new(
        name: &'static str,
        identity: &'static str,
        columns: &'static [Column],
    ) -> Self {
        Self { name, identity, columns }
    }

    /// Returns the name of the table, such as `photo`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the name of the field that identifies a record, such as `id`.
    pub const fn identity(&self) -> &'static str {
        self.identity
    }

    /// Returns the columns, in the order of the contract.
    pub const fn columns(&self) -> &'static [Column] {
        self.columns
    }

    /// Returns the columns that can be a record's title, most important first. They are the text columns, except the
    /// identity and the fields of nested records.
    pub fn titles(&self) -> impl Iterator<Item = &'static Column> + use<> {
        let identity = self.identity;
        self.columns.iter().filter(move |column| {
            column.kind == ColumnKind::Text && matches!(column.path, [name] if *name != identity)
        })
    }

    /// Returns the column that names where a record comes from, such as a portal: the first text column of a nested
    /// record that is neither personal data nor an `id`. Returns `None` without such a column.
    pub fn source(&self) -> Option<&'static Column> {
        self.columns.iter().find(|column| {
            column.kind == ColumnKind::Text
                && !column.is_personal
                && column.path.len() > 1
                && column.path.last() != Some(&"id")
        })
    }
}

/// A column of a [`Table`]: a field of the record, or a field of a record nested in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    path: &'static [&'static str],
    kind: ColumnKind,
    field_type: FieldType,
    is_personal: bool,
}

impl Column {
    /// Creates a column of text. The path is the name of the field. For a field of a nested record, the name of that
    /// record comes first: `["album", "title"]`.
    #[must_use]
    pub const fn text(path: &'static [&'static str]) -> Self {
        Self::new(path, ColumnKind::Text)
    }

    /// Creates a column of integers.
    #[must_use]
    pub const fn integer(path: &'static [&'static str]) -> Self {
        Self::new(path, ColumnKind::Integer)
    }

    /// Creates a column of `true` and `false`.
    #[must_use]
    pub const fn boolean(path: &'static [&'static str]) -> Self {
        Self::new(path, ColumnKind::Boolean)
    }

    /// Creates a column of JSON text, such as a list.
    #[must_use]
    pub const fn json(path: &'static [&'static str]) -> Self {
        Self::new(path, ColumnKind::Json)
    }

    const fn new(path: &'static [&'static str], kind: ColumnKind) -> Self {
        let field_type = match kind {
            ColumnKind::Text => FieldType::Text,
            ColumnKind::Integer => FieldType::Integer,
            ColumnKind::Boolean => FieldType::Boolean,
            ColumnKind::Json => FieldType::Json,
        };
        Self { path, kind, field_type, is_personal: false }
    }

    /// Sets the type of the values, if their kind does not determine it.
    #[must_use]
    pub const fn typed(self, field_type: FieldType) -> Self {
        Self { field_type, ..self }
    }

    /// Marks the values of the column as personal data.
    #[must_use]
    pub const fn personal(self) -> Self {
        Self { is_personal: true, ..self }
    }

    /// Returns the names of the fields that lead to the value, from the outside in.
    pub const fn path(&self) -> &'static [&'static str] {
        self.path
    }

    /// Returns the name of the column in a table: the names of its path, joined by `_`.
    pub fn name(&self) -> String {
        self.path.join("_")
    }

    /// Returns the kind of the values.
    pub const fn kind(&self) -> ColumnKind {
        self.kind
    }

    /// Returns the type of the values, for typed formats.
    pub const fn field_type(&self) -> FieldType {
        self.field_type
    }

    /// Returns whether the values are personal data.
    pub const fn is_personal(&self) -> bool {
        self.is_personal
    }
}

/// The kind of values in a [`Column`], which decides how a store keeps them. [`FieldType`] says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Text.
    Text,
    /// An integer.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// Any JSON value, as its text.
    Json,
}

/// The type of a field's values, for typed formats such as Parquet and XLSX.
///
/// A value need not fit its type: a service can send any text in place of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldType {
    /// Text.
    Text,
    /// An identifier: text, or an unsigned integer that is not meant for arithmetic.
    Id,
    /// A 64-bit integer.
    Integer,
    /// A decimal number as text, such as `12.50`.
    Decimal,
    /// A 64-bit number with a fraction.
    Real,
    /// A date and time without a time zone, as text: `YYYY-MM-DD HH:MM:SS`.
    DateTime,
    /// `true` or `false`.
    Boolean,
    /// Any other JSON value, such as a list.
    Json,
}

/// A service whose lists a mirror can copy. Generated models implement this trait from the spec.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::tables::{Column, Gauge, MirrorVisitor, Mirrored, Recovery, Table};
/// use methodical_model::{ListOperation, Operation, PagedOperation, Record, Service};
/// # use serde::Serialize;
///
/// static PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
///
/// impl Mirrored for Photos {
///     fn visit(visitor: &mut impl MirrorVisitor<Self>) {
///         visitor.list(&PHOTO, ListPhotos::new());
///     }
/// }
///
/// /// Collects the names of the tables.
/// #[derive(Default)]
/// struct Names(Vec<&'static str>);
///
/// impl<S: Service> MirrorVisitor<S> for Names {
///     fn list<O>(&mut self, table: &'static Table, _query: O)
///     where
///         O: ListOperation<Service = S>,
///     {
///         self.0.push(table.name());
///     }
///
///     // The other methods do the same.
/// #   fn paged_list<O: PagedOperation<Service = S>>(&mut self, _: &'static Table, _: O) {}
/// #   fn recovery<O: ListOperation<Service = S>>(&mut self, _: Recovery<O>) {}
/// #   fn gauge<O: Operation<Service = S>>(&mut self, _: Gauge, _: O) {}
/// }
///
/// let mut names = Names::default();
/// Photos::visit(&mut names);
/// assert_eq!(names.0, ["photo"]);
/// ```
pub trait Mirrored: Service + Sized {
    /// Passes everything that a mirror reads to the visitor: first the lists, then the recoveries, then the gauges.
    fn visit(visitor: &mut impl MirrorVisitor<Self>);
}

/// Receives what a mirror reads from a service; [`Mirrored`] has an example.
pub trait MirrorVisitor<S: Service> {
    /// Takes a list that returns all records of a table in one response.
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Metadata: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize;

    /// Takes a list that returns all records of a table in pages.
    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize;

    /// Takes a list whose filters recover a value that its records lack.
    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Metadata: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize;

    /// Takes an operation that returns an amount. A mirror samples the amount.
    fn gauge<O>(&mut self, gauge: Gauge, query: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static;
}

/// A list with two filters that reveal a value that its records lack, such as the status of a member in a group.
///
/// The first filter selects the members of a group, and the second selects those with a given value. A mirror requests
/// each group with each value, and keeps one row per member of each group.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "generated code builds it")]
pub struct Recovery<O> {
    /// The table with one row per member of each group, such as `photo_album`. It has four columns in this order: `id`
    /// (the identities of group and member, joined by `/`), the identity of the group, such as `album_id`, the identity
    /// of the member, such as `photo_id`, and the value, in a column named [`value`](Self::value).
    pub table: &'static Table,
    /// The table of the members: the records of the list.
    pub members: &'static Table,
    /// The table of the groups. [`of_group`](Self::of_group) takes the identity of a group.
    pub groups: &'static Table,
    /// The name of the value, such as `status`.
    pub value: &'static str,
    /// The values that the contract lists. The service may have others.
    pub known_values: &'static [&'static str],
    /// Returns the query for the members of the group with this identity. Fails if the identity is not valid as a
    /// parameter.
    pub of_group: fn(group: &str) -> Result<O, DecodeError>,
    /// Returns the query for the members of a group with a value. Fails if the identity or the value is not valid as a
    /// parameter.
    pub of_value: fn(group: &str, value: &str) -> Result<O, DecodeError>,
    /// Returns the group and the value that a query selects, if any.
    pub filters: Filters<O>,
}

/// Returns the group and the value that a query selects; `None` for one that it does not select.
pub type Filters<O> = fn(query: &O) -> (Option<String>, Option<String>);

/// An amount that an operation returns, such as a balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    name: &'static str,
    value: &'static [&'static str],
    unit: Option<&'static [&'static str]>,
}

impl Gauge {
    /// Describes an amount by its name and the path of its field. The field contains a JSON number, or a string with a
    /// decimal number.
    #[must_use]
    pub const fn new(name: &'static str, value: &'static [&'static str]) -> Self {
        Self { name, value, unit: None }
    }

    /// Sets the path of the field that contains the amount's unit, such as a currency code.
    #[must_use]
    pub const fn with_unit(self, unit: &'static [&'static str]) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// Returns the name of the amount, such as `credits`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the names of the fields that lead to the value, from the outside in.
    pub const fn value(&self) -> &'static [&'static str] {
        self.value
    }

    /// Returns the names of the fields that lead to the unit, or `None` if the amount has no unit.
    pub const fn unit(&self) -> Option<&'static [&'static str]> {
        self.unit
    }
}

/// Parses an identity into a value of the parameter `name`.
#[doc(hidden)]
pub fn parameter<T: FromStr>(name: &'static str, text: &str) -> Result<T, DecodeError> {
    text.parse().ok().ok_or_else(|| DecodeError::parameter(name, "a value of its type"))
}

/// Returns the query if it can be sent, or else the error.
#[doc(hidden)]
pub fn sendable<O: Operation>(query: O) -> Result<O, DecodeError> {
    query.query().map(|_| query)
}
