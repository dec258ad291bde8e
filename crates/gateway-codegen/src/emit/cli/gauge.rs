//! The commands of a gauge, beside those of the operations of its group.

use crate::emit::model::tables::gauge;
use crate::ir::Operation;
use crate::text::RustFile;

/// Declares the variant with the commands, if an operation of the group has a gauge.
pub(super) fn declare(file: &mut RustFile, operations: &[&Operation], runtime: &str) {
    if operations.iter().any(|operation| operation.gauge.is_some()) {
        file.line("#[command(flatten)]");
        file.line(format_args!("{}({runtime}::GaugeCommand),", variant(operations)));
    }
}

/// Writes the arm of the commands.
pub(super) fn arm(file: &mut RustFile, operations: &[&Operation]) {
    let found = operations.iter().find_map(|one| Some((*one, one.gauge.as_ref()?)));
    let Some((operation, found)) = found else { return };
    file.open(format_args!("Self::{}(command) => {{", variant(operations)));
    file.line(format_args!("let gauge = model::tables::{};", gauge(operation, found)));
    let query = format!("model::{}::default()", operation.rust.pascal());
    file.line(format_args!("session.gauge(command, &{query}, gauge)"));
    file.close("}");
}

/// Returns the name of the variant, which no operation has.
fn variant(operations: &[&Operation]) -> String {
    let mut name = "Gauge".to_owned();
    while operations.iter().any(|operation| operation.rust.variant() == name) {
        name.push('_');
    }
    name
}
