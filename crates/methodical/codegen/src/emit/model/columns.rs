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

    fn name(&self) -> String {
        self.path.join("_")
    }
}

/// Returns the columns of a model in the order of its fields; `None` if its identity cannot be a column.
///
/// Names of columns are distinct, also without regard to case. A nested record that would break this is one column of JSON.
/// A field whose name is taken has no column: a mirror keeps it with the unlisted fields.
pub(super) fn columns(service: &Service, model: &Model) -> Option<Vec<Column>> {
    let identity = model.identity?;
    let mut names = Names::default();
    let mut columns: Vec<(usize, Vec<Column>)> = Vec::new();
    // The fields of the record itself have precedence over those of nested records.
    let nested = |field: &Field| inner(service, field).is_some();
    let fields = || model.fields.iter().enumerate();
    let first = fields().filter(|(index, _)| *index == identity);
    let plain = fields().filter(|(index, field)| *index != identity && !nested(field));
    for (index, field) in first.chain(plain).chain(fields().filter(|(_, field)| nested(field))) {
        let expanded = inner(service, field).map(|inner| {
            inner.fields.iter().map(|one| column(service, Some(field), one)).collect::<Vec<_>>()
        });
        let whole = || vec![column(service, None, field)];
        if let Some(expanded) = expanded
            && names.claim(&expanded)
        {
            columns.push((index, expanded));
        } else if names.claim(&whole()) {
            columns.push((index, whole()));
        } else if index == identity {
            return None;
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

/// The names of columns, in lowercase.
#[derive(Default)]
pub(super) struct Names {
    columns: BTreeSet<String>,
    /// The names of the nested records whose fields are columns.
    records: BTreeSet<String>,
}

impl Names {
    /// Takes the names of columns, if all of them are free.
    pub(super) fn claim(&mut self, columns: &[Column]) -> bool {
        let names: Vec<_> = columns.iter().map(|one| one.name().to_lowercase()).collect();
        let distinct: BTreeSet<_> = names.iter().cloned().collect();
        let records: BTreeSet<_> = columns
            .iter()
            .filter(|one| one.path.len() > 1)
            .filter_map(|one| one.path.first())
            .map(|name| name.to_lowercase())
            .collect();
        let is_free = |name: &String| {
            !self.columns.contains(name) && !self.records.contains(name) && !is_reserved(name)
        };
        let fits = distinct.len() == names.len()
            && distinct.iter().chain(&records).all(is_free)
            && distinct.is_disjoint(&records);
        if fits {
            self.columns.extend(distinct);
            self.records.extend(records);
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
