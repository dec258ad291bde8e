//! The fields of the records to print, and checks of the field names in flags.

use crate::failure::Failure;
use crate::output::record::Path;
use crate::output::select::Fields;
use crate::suggest::closest;

/// The fields of the records to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a> {
    /// The columns of a table and of CSV, unless `--fields` names others.
    pub(crate) columns: Fields<'a>,
    /// All known fields.
    pub(crate) fields: Fields<'a>,
    /// Whether the output is one object, not a list.
    pub(crate) single: bool,
    /// The source of the records, which decides whether an unknown field is an error.
    pub(crate) source: RecordSource<'a>,
}

/// The source of records.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RecordSource<'a> {
    /// The program itself, which knows every field.
    Program,
    /// An operation of the contract: the service may send undocumented fields.
    Operation {
        /// The method name of the operation.
        method: &'a str,
    },
    /// A response to any method: the columns are the fields of its records.
    Response,
}

impl Schema<'_> {
    /// Parses a field name from a flag.
    pub(crate) fn path(&self, name: &str) -> Path {
        match self.source {
            // The name of a field in a response may contain dots.
            RecordSource::Response if self.columns.contains(&name) => Path::field(name),
            _ => Path::parse(name),
        }
    }

    /// Checks a field name from a flag. Returns a warning if records may lack the field.
    ///
    /// A name close to a known field of an operation is taken for a typo and refused. Other names get a warning,
    /// because the service may send undocumented fields.
    pub(crate) fn check(&self, name: &str) -> Result<Option<String>, Failure> {
        if matches!(self.source, RecordSource::Response) {
            return Ok(self.missing_field(name));
        }
        if self.fields.contains(&name) {
            return Ok(None);
        }
        let unknown = format!("unknown field `{name}`");
        let known = self.fields.join(", ");
        let hint = match (closest(name, self.fields.iter().copied()), self.source) {
            (None, RecordSource::Operation { .. }) => {
                return Ok(Some(format!("{unknown}: it is empty unless the service sends it")));
            }
            (Some(similar), RecordSource::Operation { method }) => format!(
                "did you mean `{similar}`? All fields: {known}; `gateway api {method}` accepts any field"
            ),
            (Some(similar), _) => format!("did you mean `{similar}`? All fields: {known}"),
            (None, _) => format!("the fields are {known}"),
        };
        Err(Failure::usage(unknown).hint(hint))
    }

    /// Returns a warning if no record of a response has the field.
    fn missing_field(&self, name: &str) -> Option<String> {
        let path = self.path(name);
        let field = path.names().next()?;
        if self.columns.is_empty() || self.columns.contains(&field) {
            return None;
        }
        let similar = closest(field, self.columns.iter().copied());
        let hint = similar.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        Some(format!("no record has a field `{field}`{hint}"))
    }
}
