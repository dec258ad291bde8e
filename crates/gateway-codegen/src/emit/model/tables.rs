//! The tables of a mirror, and what a mirror reads.

use crate::emit::model::service::marker;
use crate::emit::model::tables::columns::{Column, reference};
use crate::emit::model::tables::lists::{ListedTable, lists};
use crate::emit::model::tables::recovery::{Recovery, recoveries};
use crate::ir::{Gauge, Operation, Service};
use crate::text::{RustFile, string};

mod columns;
mod lists;
mod recovery;

pub(super) fn emit(service: &Service) -> RustFile {
    let lists = lists(service);
    let recoveries = recoveries(service, &lists);
    let mut file = RustFile::new("The tables of a mirror, and what a mirror reads.");
    if !recoveries.is_empty() {
        file.line("use alloc::string::ToString;");
        file.blank();
        file.line("use gateway_model_core::codegen;");
    }
    let names = [
        "Column",
        "ColumnKind",
        "FieldType",
        "Gauge",
        "MirrorVisitor",
        "Mirrored",
        "Recovery",
        "Table",
    ];
    file.import("pub use gateway_model_core", names);
    file.blank();
    let reads = lists.iter().any(|list| list.query.is_some())
        || service.operations.iter().any(|operation| operation.gauge.is_some());
    let modules = [reads.then_some("queries"), Some("service")];
    file.import("use crate::generated", modules.into_iter().flatten());
    for list in &lists {
        let model = list.model.rust.pascal();
        file.blank();
        file.doc_markdown(match list.query.filter(|_| list.is_further) {
            None => format!("The records of [`{model}`](crate::{model})."),
            Some(operation) => {
                let query = operation.rust.pascal();
                format!(
                    "The records of [`{model}`](crate::{model}) that [`{query}`](crate::{query}) returns."
                )
            }
        });
        table(&mut file, &list.name, &list.identity, &list.columns);
    }
    for recovery in &recoveries {
        file.blank();
        file.doc_markdown(recovery.doc());
        table(&mut file, &recovery.name, recovery::IDENTITY, &recovery.columns());
    }
    file.blank();
    visit(&mut file, service, &lists, &recoveries);
    file
}

/// Writes the description of a table.
fn table(file: &mut RustFile, name: &str, identity: &str, columns: &[Column]) {
    file.open(format_args!(
        "pub static {}: Table = Table::new({}, {}, &[",
        reference(name),
        string(name),
        string(identity)
    ));
    for column in columns {
        file.line(format_args!("{},", column.code()));
    }
    file.close("]);");
}

/// Writes the function that passes all that a mirror reads to a visitor.
fn visit(
    file: &mut RustFile,
    service: &Service,
    lists: &[ListedTable<'_>],
    recoveries: &[Recovery<'_>],
) {
    let read = lists.iter().filter_map(|list| Some((list, list.query?)));
    let gauges = service.operations.iter().filter_map(|one| Some((one, one.gauge.as_ref()?)));
    let is_empty = read.clone().next().is_none() && gauges.clone().next().is_none();
    let visitor = if is_empty { "_" } else { "visitor" };
    file.open(format_args!("impl Mirrored for service::{} {{", marker(service)));
    file.open(format_args!("fn visit({visitor}: &mut impl MirrorVisitor<Self>) {{"));
    for (list, operation) in read {
        let method = if operation.paging.is_some() { "paged_list" } else { "list" };
        let query = operation.rust.pascal();
        file.line(format_args!(
            "visitor.{method}(&{}, queries::{query}::default());",
            reference(&list.name)
        ));
    }
    for recovery in recoveries {
        recovery.write(file);
    }
    for (operation, found) in gauges {
        let (gauge, query) = (gauge(operation, found), operation.rust.pascal());
        file.line(format_args!("visitor.gauge({gauge}, queries::{query}::default());"));
    }
    file.close("}");
    file.close("}");
}

/// Returns the expression for the description of an amount.
pub(crate) fn gauge(operation: &Operation, gauge: &Gauge) -> String {
    let path =
        |names: &[String]| names.iter().map(|name| string(name)).collect::<Vec<_>>().join(", ");
    let unit = gauge.unit.as_ref().map(|unit| format!(".with_unit(&[{}])", path(unit)));
    let (name, unit) = (string(&operation.command().noun), unit.unwrap_or_default());
    format!("Gauge::new({name}, &[{}]){unit}", path(&gauge.value))
}
