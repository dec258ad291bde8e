//! The values that two filters of a list recover.

use crate::emit::model::queries;
use crate::emit::model::tables::columns::{Column, Names, reference};
use crate::emit::model::tables::lists::{ListedTable, free};
use crate::ir::{Operation, Param, Service};
use crate::text::{RustFile, string};

/// The name of the field that identifies a recovered row.
pub(super) const IDENTITY: &str = "id";

/// A value that two filters of a list recover: one selects a group, the other one its members with a value.
pub(super) struct Recovery<'s> {
    pub(super) name: String,
    operation: &'s Operation,
    group: &'s Param,
    value: &'s Param,
    members: &'s ListedTable<'s>,
    groups: &'s ListedTable<'s>,
}

/// Returns the recoveries. A list in pages has none: a mirror would read one page of it.
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
    let members = lists.iter().find(|list| list.query == Some(operation))?;
    let read = || lists.iter().filter(|list| list.query.is_some() && !list.is_further);
    let is_named = |list: &&ListedTable<'_>| list.model.rust.words() == *attribute;
    let is_identity = |list: &&ListedTable<'_>| {
        let identity = list.model.identity_field().and_then(|field| field.ty.value());
        group.ty.name().is_some() && identity == Some(&group.ty)
    };
    let groups = read().find(is_named).or_else(|| read().find(is_identity))?;
    let name = format!("{}_{attribute}", members.model.rust.words());
    let name = free(name, taken);
    let found = Recovery { name, operation, group, value, members, groups };
    Names::default().claim(&found.columns()).then_some(found)
}

impl Recovery<'_> {
    /// Returns the description of the table, as Markdown.
    pub(super) fn doc(&self) -> String {
        let query = self.operation.rust.pascal();
        format!(
            "The values that [`{query}`](crate::{query}) recovers with its filters: one row for each member of each group."
        )
    }

    /// Returns the columns: the identities of row, group and member, and the value.
    pub(super) fn columns(&self) -> Vec<Column> {
        let attribute = |param: &Param| param.recovers.clone().unwrap_or_default();
        let group = self.groups.model.identity_field().map(|identity| {
            (format!("{}_{}", attribute(self.group), identity.wire), identity.ty.value())
        });
        let member = self.members.model.identity_field().map(|identity| {
            (format!("{}_{}", self.members.model.rust.words(), identity.wire), identity.ty.value())
        });
        let value = (attribute(self.value), Some(&self.value.ty));
        let named = [group, member, Some(value)].into_iter().flatten();
        let typed = named.filter_map(|(name, ty)| Some(Column::new(name, ty?)));
        std::iter::once(Column::text(IDENTITY)).chain(typed).collect()
    }

    /// Writes the call that passes the recovery to a visitor.
    pub(super) fn write(&self, file: &mut RustFile) {
        let value = self.value.recovers.as_deref().unwrap_or_default();
        let known: Vec<_> = match (self.value.ty.as_enum(), self.value.ty.codes()) {
            (Some(one), _) => one.values.iter().map(|value| string(&value.wire)).collect(),
            (None, Some(codes)) => {
                let written = [codes.yes.first(), codes.no.first()];
                written.into_iter().flatten().map(|code| string(&code.text())).collect()
            }
            (None, None) => Vec::new(),
        };
        file.open("visitor.recovery(Recovery {");
        for (field, table) in
            [("table", &self.name), ("members", &self.members.name), ("groups", &self.groups.name)]
        {
            file.line(format_args!("{field}: &{},", reference(table)));
        }
        file.line(format_args!("value: {},", string(value)));
        file.line(format_args!("known_values: &[{}],", known.join(", ")));
        self.write_query(file, "of_group: |group|", &[(self.group, "group")]);
        let both = [(self.group, "group"), (self.value, "value")];
        self.write_query(file, "of_value: |group, value|", &both);
        file.open(format_args!("filters: |query: &queries::{}| {{", self.operation.rust.pascal()));
        let given = |param: &Param| {
            format!("query.params.{}.as_ref().map(ToString::to_string)", param.rust.snake())
        };
        file.line(format_args!("({}, {})", given(self.group), given(self.value)));
        file.close("},");
        file.close("});");
    }

    /// Writes a function that returns a query with some parameters.
    fn write_query(&self, file: &mut RustFile, head: &str, given: &[(&Param, &str)]) {
        let query = self.operation.rust.pascal();
        file.open(format_args!("{head} {{"));
        file.open(format_args!(
            "let params = queries::{} {{",
            queries::params(self.operation).unwrap_or_default()
        ));
        for (param, text) in given {
            file.line(format_args!(
                "{}: Some(codegen::parameter({}, {text})?),",
                param.rust.snake(),
                string(&param.wire)
            ));
        }
        file.line("..Default::default()");
        file.close("};");
        file.line(format_args!("codegen::sendable(queries::{query}::default().with(params)?)"));
        file.close("},");
    }
}
