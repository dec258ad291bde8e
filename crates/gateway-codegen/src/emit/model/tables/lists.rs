//! The tables of the records that lists return.

use crate::emit::model::tables::columns::{Column, columns, is_reserved};
use crate::ir::{Model, Operation, Service};

/// A table of the records that a list returns.
pub(super) struct ListedTable<'s> {
    pub(super) name: String,
    pub(super) model: &'s Model,
    /// The field that identifies a record.
    pub(super) identity: String,
    pub(super) columns: Vec<Column>,
    /// The list that returns all records of the table, if one does.
    pub(super) query: Option<&'s Operation>,
    /// Whether another list already has a table of this model.
    pub(super) is_further: bool,
}

/// Returns the tables: one for each model with an identity that a list returns, and another one for each further list
/// without required parameters that returns the model.
///
/// The first is named after the model, the others after the model and the operation. Two lists of one model have tables of
/// their own, because a record that one of them lacks need not be missing in the other.
pub(super) fn lists(service: &Service) -> Vec<ListedTable<'_>> {
    let mut tables: Vec<ListedTable<'_>> = Vec::new();
    let is_list = |operation: &&Operation| operation.response.is_list();
    // Lists that a mirror can read first: they get the plain name.
    let lists = service.operations.iter().filter(is_list);
    let (whole, partial): (Vec<_>, Vec<_>) =
        lists.partition(|operation| operation.params.iter().all(|param| !param.required));
    let whole = whole.into_iter().map(|operation| (operation, Some(operation)));
    for (operation, query) in whole.chain(partial.into_iter().map(|operation| (operation, None))) {
        let Some(model) = service.response_model(operation) else { continue };
        let (Some(identity), Some(columns)) = (model.identity_field(), columns(service, model))
        else {
            continue;
        };
        let is_further = tables.iter().any(|table| table.model.id == model.id);
        if is_further && query.is_none() {
            continue;
        }
        let mut name = model.rust.words();
        if is_further {
            name = format!("{name}_{}", operation.rust.words());
        }
        let taken: Vec<_> = tables.iter().map(|table| &*table.name).collect();
        tables.push(ListedTable {
            name: free(name, &taken),
            model,
            identity: identity.wire.clone(),
            columns,
            query,
            is_further,
        });
    }
    let position = |table: &ListedTable<'_>| table.model.id;
    tables.sort_by_key(position);
    tables
}

/// Returns a name for a table that is neither taken nor reserved.
pub(super) fn free(name: String, taken: &[&str]) -> String {
    let mut name = if is_reserved(&name) { format!("service_{name}") } else { name };
    while taken.contains(&&*name) {
        name.push('_');
    }
    name
}
