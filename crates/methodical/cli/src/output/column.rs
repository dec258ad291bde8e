//! The columns of an output.

use std::borrow::Cow;

use methodical_client::model::FieldType;

use crate::output::record::{Cells, Path};

/// A column of an output: the path of a field, and the type of its values.
///
/// # Examples
///
/// ```
/// use methodical_cli::{Cells, FieldType, OutputColumn};
///
/// let taken = OutputColumn::new("camera.name", Some(FieldType::Text));
/// let mut cells = Cells::read(r#"{"id":7,"camera":{"name":"Pinhole"}}"#);
/// assert_eq!(taken.text(&mut cells), "Pinhole");
/// assert_eq!(taken.json(&mut cells), Some(r#""Pinhole""#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn {
    pub(crate) path: Path,
    pub(crate) field_type: Option<FieldType>,
}

impl OutputColumn {
    /// Creates a column from a path, such as `title` or `camera.name`.
    #[must_use]
    pub fn new(path: &str, field_type: Option<FieldType>) -> Self {
        Self { path: Path::parse(path), field_type }
    }

    /// Returns the name: the path, with dots between its parts.
    pub fn name(&self) -> String {
        self.path.to_string()
    }

    /// Returns the type of the values; `None` if it is unknown, as in responses to methods that the contract does not describe.
    pub fn field_type(&self) -> Option<FieldType> {
        self.field_type
    }

    /// Returns the JSON text of the field in a record; `None` if it is absent.
    pub fn json<'a, 'c>(&'c self, cells: &mut Cells<'a, 'c>) -> Option<&'a str> {
        cells.value(&self.path)
    }

    /// Returns the text of the field in a record: a string without its quotes, any other value as JSON, and an empty text for
    /// `null` and for an absent field.
    pub fn text<'a, 'c>(&'c self, cells: &mut Cells<'a, 'c>) -> Cow<'a, str> {
        cells.cell(&self.path)
    }
}
