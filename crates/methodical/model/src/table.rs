//! A record as a table of a database: names, kinds and types of values, and which of them are personal.

use crate::field_type::FieldType;

/// The description of a table that holds the records of a model.
///
/// It is plain data. A store creates the table from it, and a migration compares two of them.
///
/// # Examples
///
/// ```
/// use methodical_model::{Column, Table};
///
/// const PHOTO: Table = Table::new(
///     "photo",
///     "id",
///     &[Column::text(&["id"]), Column::text(&["title"]), Column::text(&["place", "name"]).personal()],
/// );
/// assert_eq!(PHOTO.columns()[2].path(), ["place", "name"]);
/// assert!(PHOTO.columns()[2].is_personal());
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
    /// The field must be one of the columns, with text or an integer as its value.
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
}

/// A column of a [`Table`]: a field of the record, or a field of a record nested in it.
///
/// ```
/// use methodical_model::{Column, ColumnKind};
///
/// let taken = Column::integer(&["camera", "shots"]);
/// assert_eq!(taken.kind(), ColumnKind::Integer);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    path: &'static [&'static str],
    kind: ColumnKind,
    field_type: FieldType,
    is_personal: bool,
}

impl Column {
    /// Creates a column of text. The path has the name of the field, and before it that of the nested record if there
    /// is one.
    #[must_use]
    pub const fn text(path: &'static [&'static str]) -> Self {
        Self::new(path, ColumnKind::Text)
    }

    /// Creates a column of integers.
    #[must_use]
    pub const fn integer(path: &'static [&'static str]) -> Self {
        Self::new(path, ColumnKind::Integer)
    }

    /// Creates a column of numbers with a fraction.
    #[must_use]
    pub const fn real(path: &'static [&'static str]) -> Self {
        Self::new(path, ColumnKind::Real)
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
            ColumnKind::Real => FieldType::Real,
            ColumnKind::Boolean => FieldType::Boolean,
            ColumnKind::Json => FieldType::Json,
        };
        Self { path, kind, field_type, is_personal: false }
    }

    /// Sets the type of the values, if their kind does not say it.
    #[must_use]
    pub const fn typed(self, field_type: FieldType) -> Self {
        Self { field_type, ..self }
    }

    /// Marks the values of the column as personal.
    #[must_use]
    pub const fn personal(self) -> Self {
        Self { is_personal: true, ..self }
    }

    /// Returns the names of the fields that lead to the value, from the outside in.
    pub const fn path(&self) -> &'static [&'static str] {
        self.path
    }

    /// Returns the kind of the values.
    pub const fn kind(&self) -> ColumnKind {
        self.kind
    }

    /// Returns the type of the values, for formats whose columns have types.
    pub const fn field_type(&self) -> FieldType {
        self.field_type
    }

    /// Returns whether the values are personal.
    pub const fn is_personal(&self) -> bool {
        self.is_personal
    }
}

/// The kind of the values of a [`Column`]: how a store keeps them. [`FieldType`] says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Text.
    Text,
    /// An integer.
    Integer,
    /// A number with a fraction.
    Real,
    /// `true` or `false`.
    Boolean,
    /// Any JSON value, as its text.
    Json,
}
