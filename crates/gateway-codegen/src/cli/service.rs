//! Reads the configuration and the spec for a command.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::outcome::Outcome;
use crate::config::Config;
use crate::ir::Service;
use crate::project::Project;
use crate::spec;

/// The service of a workspace, its configuration, and the printed warnings about the spec.
pub(super) struct Loaded {
    pub(super) config: Config,
    pub(super) service: Service,
    pub(super) warnings: String,
}

impl Loaded {
    pub(super) fn project(&self) -> Project<'_> {
        Project { service: &self.service, config: &self.config }
    }
}

/// Reads the service of a workspace. The error is the outcome of the command if the configuration or
/// the spec is invalid.
pub(super) fn load(root: &Path) -> Result<Loaded, Outcome> {
    let config = config(root)?;
    let reading = spec::read_file(&root.join(&config.spec), &config.spec);
    let (service, warnings) = accepted(reading, &config.spec)?;
    Ok(Loaded { config, service, warnings })
}

/// Reads the configuration of a workspace.
pub(super) fn config(root: &Path) -> Result<Config, Outcome> {
    Config::read(root).map_err(|rejected| Outcome::failed(2, rejected.report))
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
