//! The columns of a table: one for each field of a model, and for each field of a model nested in it.

use std::collections::BTreeSet;

use crate::ir::{Field, Model, Primitive, Service, ValueType};
use crate::text::strings;

/// A column of a table.
pub(super) struct Column {
    path: Vec<String>,
    /// The function of the runtime that creates it.
    kind: &'static str,
    /// The variant of the runtime's `FieldType`, if the kind does not say it.
    field_type: Option<&'static str>,
    is_personal: bool,
}

impl Column {
    /// Creates a column of text.
    pub(super) fn text(name: &str) -> Self {
        Self { path: vec![name.to_owned()], kind: "text", field_type: None, is_personal: false }
    }

    /// Creates a column whose values are not personal.
    pub(super) fn new(name: String, ty: &ValueType) -> Self {
        Self {
            path: vec![name],
            kind: kind(ty),
            field_type: Some(ty.field_type()),
            is_personal: false,
        }
    }

    /// Returns the expression for the column.
    pub(super) fn code(&self) -> String {
        let personal = if self.is_personal { ".personal()" } else { "" };
        let typed = self.field_type.filter(|one| !one.eq_ignore_ascii_case(self.kind));
        let typed = typed.map(|one| format!(".typed(FieldType::{one})")).unwrap_or_default();
        format!("Column::{}(&[{}]){typed}{personal}", self.kind, strings(&self.path))
    }
}

/// Returns the columns of a model in the order of its fields; `None` if its identity cannot be a column.
///
/// Names of columns are distinct, also without regard to case. A nested record that would break this is one column of JSON.
/// A field whose name is taken has no column: a mirror keeps it with the unlisted fields.
pub(super) fn columns(service: &Service, model: &Model) -> Option<Vec<Column>> {
    let identity = model.identity?;
    // The fields of the record itself have precedence over those of nested records.
    let mut fields: Vec<_> = model.fields.iter().enumerate().collect();
    fields.sort_by_key(|(index, field)| (*index != identity, inner(service, field).is_some()));
    let mut names = Names::default();
    let mut columns: Vec<(usize, Vec<Column>)> = Vec::new();
    for (index, field) in fields {
        let whole = vec![column(service, None, field)];
        let parts = inner(service, field).map(|inner| {
            inner.fields.iter().map(|one| column(service, Some(field), one)).collect::<Vec<_>>()
        });
        match parts.into_iter().chain([whole]).find(|columns| names.claim(columns)) {
            Some(found) => columns.push((index, found)),
            None if index == identity => return None,
            None => {}
        }
    }
    columns.sort_by_key(|(index, _)| *index);
    Some(columns.into_iter().flat_map(|(_, columns)| columns).collect())
}

/// Returns whether a mirror uses names like this for itself.
pub(super) fn is_reserved(name: &str) -> bool {
    let name = name.to_lowercase();
    name.starts_with("mirror_") || name.starts_with("sqlite_")
}

/// The names of columns, and of the nested records whose fields are columns, in lowercase.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// Takes the names of the columns of a field, if all of them are free.
    pub(super) fn claim(&mut self, columns: &[Column]) -> bool {
        let record = columns.iter().find(|one| one.path.len() > 1);
        let record = record.and_then(|one| one.path.first()).map(|name| name.to_lowercase());
        let names = columns.iter().map(|one| one.path.join("_").to_lowercase()).chain(record);
        let names: Vec<_> = names.collect();
        let distinct: BTreeSet<_> = names.iter().cloned().collect();
        let is_free = |name: &String| !self.0.contains(name) && !is_reserved(name);
        let fits = distinct.len() == names.len() && distinct.iter().all(is_free);
        if fits {
            self.0.extend(distinct);
        }
        fits
    }
}

/// Returns the model of a nested record, unless it contains the outer one.
fn inner<'s>(service: &'s Service, field: &Field) -> Option<&'s Model> {
    field.ty.model().filter(|_| !field.recursive).map(|id| service.model(id))
}

fn column(service: &Service, outer: Option<&Field>, field: &Field) -> Column {
    let path = outer.into_iter().chain([field]).map(|one| one.wire.clone()).collect();
    let within = field.ty.element().model().map(|id| service.reachable(id)).unwrap_or_default();
    let mut within = within.iter().flat_map(|id| &service.model(*id).fields);
    let is_personal = field.personal
        || outer.is_some_and(|outer| outer.personal)
        || within.any(|inner| inner.personal);
    let (kind, field_type) = match field.ty.value() {
        Some(ty) => (kind(ty), Some(ty.field_type())),
        None => ("json", None),
    };
    Column { path, kind, field_type, is_personal }
}

/// Returns the kind of the JSON value that a record writes.
fn kind(ty: &ValueType) -> &'static str {
    match (ty.in_record(), ty.field_type()) {
        (Primitive::Text, _) | (Primitive::Coded, "Text") => "text",
        (Primitive::Signed | Primitive::Unsigned, _) | (Primitive::Coded, "Integer") => "integer",
        (Primitive::Float, _) => "real",
        (Primitive::Boolean, _) | (Primitive::Coded, "Boolean") => "boolean",
        (Primitive::Coded, _) => "json",
    }
}
