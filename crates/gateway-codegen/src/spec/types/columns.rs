//! Lowers the columns of models.

use std::collections::BTreeSet;

use crate::diag::{Diagnostic, code};
use crate::ir::Service;
use crate::spec::context::Context;
use crate::spec::node::{Entry, Node};

/// Sets the columns that models declare. All fields must be known by now.
pub(in crate::spec) fn columns(cx: &mut Context<'_>, root: &Node, service: &mut Service) {
    for (index, entry) in root.entries_of("model").iter().enumerate() {
        let Some(list) = entry.node.get("columns") else { continue };
        let Some(model) = service.models.get(index) else { continue };
        let complete = model.fields.len() == entry.node.entries_of("field").len();
        let known = complete.then(|| service.paths(model));
        let columns = checked(cx, entry, list, known.as_deref());
        if let Some(model) = service.models.get_mut(index) {
            model.columns = Some(columns);
        }
    }
}

/// Returns the columns; `known` is `None` if a field was rejected.
fn checked(
    cx: &mut Context<'_>,
    entry: &Entry,
    list: &Node,
    known: Option<&[String]>,
) -> Vec<String> {
    if list.list().is_empty() {
        let message = format!("the model `{}` has no columns", entry.key);
        let help = "list at least one field, or remove `columns`";
        cx.say(Diagnostic::new(&code::EMPTY, &list.span, message).help(help));
    }
    let names: Option<BTreeSet<_>> = known.map(|known| known.iter().collect());
    let mut seen = BTreeSet::new();
    let mut columns: Vec<String> = Vec::new();
    for column in list.list() {
        let path = column.as_text().unwrap_or_default().to_owned();
        if names.as_ref().is_some_and(|names| !names.contains(&path)) {
            let message = format!("unknown column `{path}`");
            let known: Vec<_> = known.unwrap_or_default().iter().map(String::as_str).collect();
            let diagnostic = Diagnostic::new(&code::COLUMNS, &column.span, message);
            cx.say(diagnostic.suggest(&path, &known));
        } else if !seen.insert(path.clone()) {
            let message = format!("duplicate column `{path}`");
            let help = "remove one of them";
            cx.say(Diagnostic::new(&code::COLUMNS, &column.span, message).help(help));
        }
        columns.push(path);
    }
    columns
}
