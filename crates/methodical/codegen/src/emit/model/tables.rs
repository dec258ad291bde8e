//! The tables of a mirror, and the lists, recovered values and amounts that it reads.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ir::{
    BuiltIn, Code, Codes, Field, Gauge, Model, Operation, Param, Primitive, Service, Type,
    ValueType,
};
use crate::text::{string, strings};

/// Returns the expressions for the amounts that a mirror samples, with their queries.
pub(super) fn gauges(service: &Service) -> Vec<(String, String)> {
    let gauges = service.operations.iter().filter_map(|one| Some((one, one.gauge.as_ref()?)));
    gauges.map(|(one, found)| (gauge(one, found), one.rust.pascal())).collect()
}

/// Returns the expression that describes an amount.
pub(in crate::emit) fn gauge(operation: &Operation, gauge: &Gauge) -> String {
    let unit = gauge.unit.as_ref().map(|unit| format!(".with_unit(&[{}])", strings(unit)));
    let (name, unit) = (string(&operation.command().noun), unit.unwrap_or_default());
    format!("Gauge::new({name}, &[{}]){unit}", strings(&gauge.value))
}

/// A table of the records that a list returns.
pub(super) struct ListedTable<'s> {
    pub(super) name: String,
    pub(super) model: &'s Model,
    pub(super) columns: Vec<Column>,
    /// The list that returns all records of the table.
    pub(super) query: &'s Operation,
}

impl ListedTable<'_> {
    /// Returns the name of the field that identifies a record.
    pub(super) fn identity(&self) -> &str {
        self.model.identity_field().map_or("", |field| &field.wire)
    }
}

/// Returns the tables: one for each model with an identity that is returned by a list without required parameters. A
/// second list of the same model gets no table, because a record that one list lacks may still be in the other.
pub(super) fn lists(service: &Service) -> Vec<ListedTable<'_>> {
    let mut tables: Vec<ListedTable<'_>> = Vec::new();
    for query in service.operations.iter().filter(|one| one.response.is_list) {
        let Some(model) = service.response_model(query) else { continue };
        let Some(columns) = columns(service, model) else { continue };
        let is_whole = query.params.iter().all(|param| !param.required);
        if is_whole && tables.iter().all(|table| table.model.id != model.id) {
            let taken: Vec<_> = tables.iter().map(|table| &*table.name).collect();
            let name = free(model.rust.words(), &taken);
            tables.push(ListedTable { name, model, columns, query });
        }
    }
    tables.sort_by_key(|table| table.model.id);
    tables
}

/// Returns a name for a table that is neither taken nor reserved.
fn free(name: String, taken: &[&str]) -> String {
    let mut name = if is_reserved(&name) { format!("service_{name}") } else { name };
    while taken.contains(&&*name) {
        name.push('_');
    }
    name
}

/// A value that two filters of a list recover: one filter selects a group, the other its members with a value.
pub(super) struct Recovery<'s> {
    pub(super) name: String,
    pub(super) operation: &'s Operation,
    pub(super) group: &'s Param,
    pub(super) value: &'s Param,
    pub(super) members: &'s ListedTable<'s>,
    pub(super) groups: &'s ListedTable<'s>,
}

/// Returns the recoveries. A list with pages has none, because a mirror would read only one page.
pub(super) fn recoveries<'s>(
    service: &'s Service,
    lists: &'s [ListedTable<'s>],
) -> Vec<Recovery<'s>> {
    let mut found: Vec<Recovery<'_>> = Vec::new();
    for operation in service.operations.iter().filter(|one| one.paging.is_none()) {
        for value in &operation.params {
            let names = found.iter().map(|one| &*one.name);
            let taken: Vec<_> = lists.iter().map(|list| &*list.name).chain(names).collect();
            let one = recovery(operation, value, lists, &taken);
            found.extend(one);
        }
    }
    found
}

fn recovery<'s>(
    operation: &'s Operation,
    value: &'s Param,
    lists: &'s [ListedTable<'s>],
    taken: &[&str],
) -> Option<Recovery<'s>> {
    value.recovers.as_ref()?;
    let [group] = *value.needs.as_slice() else { return None };
    let group = operation.params.get(group)?;
    let attribute = group.recovers.as_ref()?;
    let members = lists.iter().find(|list| list.query == operation)?;
    let is_named = |list: &&ListedTable<'_>| list.model.rust.words() == *attribute;
    let is_identity = |list: &&ListedTable<'_>| {
        let identity = list.model.identity_field().and_then(|field| field.ty.value());
        group.ty.name().is_some() && identity == Some(&*group.ty)
    };
    let groups = lists.iter().find(is_named).or_else(|| lists.iter().find(is_identity))?;
    let name = format!("{}_{attribute}", members.model.rust.words());
    let name = free(name, taken);
    let found = Recovery { name, operation, group, value, members, groups };
    claim(&mut BTreeSet::new(), &found.columns()).then_some(found)
}

impl Recovery<'_> {
    /// Returns the columns: the identities of row, group and member, and the value.
    pub(super) fn columns(&self) -> Vec<Column> {
        let attribute = |param: &Param| param.recovers.clone().unwrap_or_default();
        let identity = |model: &Model, of: String| {
            let identity = model.identity_field()?;
            let Type::Value(ty) = &identity.ty else { return None };
            Some((format!("{of}_{}", identity.wire), Arc::clone(ty)))
        };
        let named = [
            Some(("id".to_owned(), Arc::new(ValueType::built_in(BuiltIn::Text)))),
            identity(self.groups.model, attribute(self.group)),
            identity(self.members.model, self.members.model.rust.words()),
            Some((attribute(self.value), Arc::clone(&self.value.ty))),
        ];
        let named = named.into_iter().flatten();
        named.map(|(name, ty)| Column::new(vec![name], Some(&ty), false)).collect()
    }

    /// Returns the values that the spec lists.
    pub(super) fn known_values(&self) -> Vec<String> {
        let ty = &self.value.ty;
        let listed = ty.values.iter();
        let codes = ty.codes.iter().flat_map(Codes::written).flatten().map(Code::text);
        listed.map(|value| value.wire.clone()).chain(codes).collect()
    }

    /// Returns the functions that create the queries of the recovery: for each, its name, and its parameters with the
    /// names of their arguments.
    pub(super) fn functions(&self) -> [(&'static str, Vec<(&Param, &'static str)>); 2] {
        let (group, value) = ((self.group, "group"), (self.value, "value"));
        [("of_group", vec![group]), ("of_value", vec![group, value])]
    }
}

/// A column of a table: the path of its values in a record, and its expression.
pub(in crate::emit) struct Column {
    pub(in crate::emit) path: Vec<String>,
    pub(in crate::emit) code: String,
}

impl Column {
    /// Creates a column for values of this type; without a type, for JSON.
    fn new(path: Vec<String>, ty: Option<&ValueType>, is_personal: bool) -> Self {
        let field_type = ty.map_or("Json", ValueType::field_type);
        let kind = match ty.map(|ty| ty.in_record) {
            Some(Primitive::Text) => "Text",
            Some(Primitive::Signed | Primitive::Unsigned) => "Integer",
            Some(Primitive::Boolean) => "Boolean",
            Some(Primitive::Coded) | None => field_type,
        };
        let typed = (field_type != kind).then(|| format!(".typed(FieldType::{field_type})"));
        let (kind, typed) = (kind.to_lowercase(), typed.unwrap_or_default());
        let personal = if is_personal { ".personal()" } else { "" };
        let code = format!("Column::{kind}(&[{}]){typed}{personal}", strings(&path));
        Self { path, code }
    }
}

/// Returns the columns of a model in the order of its fields; `None` if its identity cannot be a column.
///
/// Names of columns are distinct, ignoring case. A nested record that would violate this becomes one JSON column. A
/// field whose name is taken has no column; a mirror stores it with the unlisted fields.
pub(in crate::emit) fn columns(service: &Service, model: &Model) -> Option<Vec<Column>> {
    let identity = model.identity?;
    // The record's own fields take precedence over those of nested records.
    let mut fields: Vec<_> = model.fields.iter().enumerate().collect();
    fields.sort_by_key(|(index, field)| (*index != identity, service.nested(field).is_some()));
    let mut taken = BTreeSet::new();
    let mut columns: Vec<(usize, Vec<Column>)> = Vec::new();
    for (index, field) in fields {
        let whole = vec![column(service, None, field)];
        let parts = service.nested(field).map(|inner| {
            inner.fields.iter().map(|one| column(service, Some(field), one)).collect::<Vec<_>>()
        });
        match parts.into_iter().chain([whole]).find(|columns| claim(&mut taken, columns)) {
            Some(found) => columns.push((index, found)),
            None if index == identity => return None,
            None => {}
        }
    }
    columns.sort_by_key(|(index, _)| *index);
    Some(columns.into_iter().flat_map(|(_, columns)| columns).collect())
}

/// Returns whether a mirror reserves this name for itself.
fn is_reserved(name: &str) -> bool {
    let name = name.to_lowercase();
    name.starts_with("mirror_") || name.starts_with("sqlite_")
}

/// Adds a field's column names and the name of its nested record to the taken ones, in lowercase, if all are free.
/// Returns whether they were.
fn claim(taken: &mut BTreeSet<String>, columns: &[Column]) -> bool {
    let record = columns.iter().find(|one| one.path.len() > 1);
    let record = record.and_then(|one| one.path.first()).map(|name| name.to_lowercase());
    let names = columns.iter().map(|one| one.path.join("_").to_lowercase()).chain(record);
    let names: Vec<_> = names.collect();
    let distinct: BTreeSet<_> = names.iter().cloned().collect();
    let is_free = |name: &String| !taken.contains(name) && !is_reserved(name);
    let fits = distinct.len() == names.len() && distinct.iter().all(is_free);
    if fits {
        taken.extend(distinct);
    }
    fits
}

fn column(service: &Service, outer: Option<&Field>, field: &Field) -> Column {
    let path = outer.into_iter().chain([field]).map(|one| one.wire.clone()).collect();
    let within = field.ty.element().model().map(|id| service.reachable(id)).unwrap_or_default();
    let within = within.iter().flat_map(|id| &service.model(*id).fields);
    let is_personal = outer.into_iter().chain([field]).chain(within).any(|one| one.personal);
    Column::new(path, field.ty.value(), is_personal)
}
