//! Reads the spec for a command.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::outcome::Outcome;
use crate::ir::Service;
use crate::output::SPEC;
use crate::spec;

/// Returns the service of a workspace and its printed warnings. The error is the outcome of the
/// command if the spec is invalid.
pub(super) fn service(root: &Path) -> Result<(Service, String), Outcome> {
    accepted(spec::read_file(&root.join(SPEC), SPEC), SPEC)
}

pub(super) fn accepted(reading: spec::Reading, shown: &str) -> Result<(Service, String), Outcome> {
    let count = |number: usize, what: &str| match number {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{number} {what}s")),
    };
    let counts = [count(reading.errors, "error"), count(reading.warnings, "warning")];
    let summary = counts.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let mut report = reading.report;
    if !summary.is_empty() {
        _ = write!(report, "\n{shown}: {summary}; `cargo xtask explain CODE` explains a code\n");
    }
    match reading.service {
        Some(service) => Ok((service, report)),
        None => Err(Outcome::failed(2, report)),
    }
}
