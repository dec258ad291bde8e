//! The fields of the records to print, and checks of the field names in flags.

use crate::failure::Failure;
use crate::output::column::OutputColumn;
use crate::output::record::Path;
use crate::output::select::Fields;
use crate::record_type::{Noun, RecordType, Types};
use crate::suggest::closest;

/// The fields of the records to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a> {
    /// The columns of a table, unless `--fields` names others.
    pub(crate) columns: Fields<'a>,
    /// All known fields.
    pub(crate) fields: Fields<'a>,
    /// The name of a record, for the count below a table.
    pub(crate) noun: Option<Noun>,
    /// Whether the output is one object, not a list.
    pub(crate) single: bool,
    /// The types of fields; that of any other field is unknown.
    pub(crate) types: Types<'a>,
    /// The source of the records, which decides whether an unknown field is an error.
    pub(crate) source: RecordSource,
}

/// The source of records.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RecordSource {
    /// The program itself, which knows every field.
    Program,
    /// An operation of the contract: the service may send undocumented fields.
    Operation,
    /// A response to any method: the columns are the fields of its records.
    Response,
}

impl<'a> Schema<'a> {
    /// Creates the schema of a list from an operation, or of one object.
    pub(crate) fn of_operation(record: RecordType<'a>, single: bool) -> Self {
        let RecordType { columns, fields, noun, types } = record;
        let noun = (!single).then_some(noun);
        Self { columns, fields, noun, single, types, source: RecordSource::Operation }
    }

    /// Creates the schema of records of the program itself, or of one object.
    pub(crate) fn of_program(fields: Fields<'a>, single: bool) -> Self {
        let source = RecordSource::Program;
        Self { columns: fields, fields, noun: None, single, types: &[], source }
    }

    /// Returns the columns of CSV. A record of an operation loses nothing: every field, and of an object its fields.
    pub(crate) fn leaves(&self) -> Vec<&'a str> {
        if !matches!(self.source, RecordSource::Operation) {
            return self.columns.to_vec();
        }
        let is_object = |name: &str| {
            let inner =
                |other: &&str| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
            self.fields.iter().any(inner)
        };
        self.fields.iter().copied().filter(|name| !is_object(name)).collect()
    }

    /// Parses a field name from a flag. Known names match in any case, because a table shows its headers in capitals.
    pub(crate) fn path(&self, name: &str) -> Path {
        let (known, parse): (_, fn(&str) -> Path) = match self.source {
            // The name of a field in a response may contain dots.
            RecordSource::Response => (self.columns, Path::field),
            RecordSource::Program | RecordSource::Operation => (self.fields, Path::parse),
        };
        match known.iter().find(|field| **field == name) {
            Some(exact) => parse(exact),
            None => known
                .iter()
                .find(|field| field.eq_ignore_ascii_case(name))
                .map_or_else(|| Path::parse(name), |field| parse(field)),
        }
    }

    /// Returns the column of a field name.
    pub(crate) fn column(&self, name: &str) -> OutputColumn {
        let path = self.path(name);
        let name = path.to_string();
        let field_type = self.types.iter().find(|(field, _)| *field == name).map(|(_, ty)| *ty);
        OutputColumn { path, field_type }
    }

    /// Checks a field name from a flag. Returns a warning if no record of a response has the field.
    ///
    /// An unknown field of an operation is accepted with `--any-field`, because the service may send undocumented fields.
    pub(crate) fn check(&self, name: &str, any_field: bool) -> Result<Option<String>, Failure> {
        let undocumented = match self.source {
            RecordSource::Response => return Ok(self.missing_field(name)),
            RecordSource::Operation if any_field => return Ok(None),
            RecordSource::Operation => "; --any-field accepts undocumented fields",
            RecordSource::Program => "",
        };
        if self.fields.iter().any(|field| field.eq_ignore_ascii_case(name)) {
            return Ok(None);
        }
        let known = self.fields.join(", ");
        let hint = match closest(&name.to_lowercase(), self.fields.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`? All fields: {known}"),
            None => format!("the fields are {known}"),
        };
        Err(Failure::usage(format!("unknown field `{name}`")).hint(hint + undocumented))
    }

    /// Returns a warning if no record of a response has the field.
    fn missing_field(&self, name: &str) -> Option<String> {
        let path = self.path(name);
        let field = path.names().next()?;
        if self.columns.is_empty() || self.columns.contains(&field) {
            return None;
        }
        let similar = closest(&field.to_lowercase(), self.columns.iter().copied());
        let hint = similar.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        Some(format!("no record has a field `{field}`{hint}"))
    }
}
