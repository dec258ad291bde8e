//! Everything that the commands share: the name of the program, and the services of the workspace.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::outcome::{Outcome, usage};
use crate::config::Config;
use crate::configs;
use crate::diag::suggestion;
use crate::report::Report;
use crate::workspace::Workspace;

/// The program and the workspace of a run.
pub(super) struct Context<'a> {
    /// The name of the program, as users type it: `gateway-codegen`.
    pub(super) program: &'a str,
    /// The root of the workspace.
    pub(super) root: &'a Path,
    /// The only service to read, from `--service`.
    pub(super) service: Option<&'a str>,
}

impl Context<'_> {
    /// Reads the configurations of the services.
    pub(super) fn configs(&self) -> Result<Vec<Config>, Outcome> {
        let mut configs = configs::read_all(self.root).map_err(|report| self.rejected(&report))?;
        let Some(name) = self.service else { return Ok(configs) };
        if let Some(index) = configs.iter().position(|config| config.service() == name) {
            return Ok(vec![configs.swap_remove(index)]);
        }
        let known: Vec<_> = configs.iter().map(Config::service).collect();
        let hint = suggestion(name, &known)
            .unwrap_or_else(|| format!("the workspace has {}", known.join(", ")));
        Err(usage(&format!("unknown service `{name}`; {hint}")))
    }

    /// Reads the services. Returns them with their printed warnings. The error is the outcome of the
    /// command if a configuration or a spec is invalid; all specs are read first.
    pub(super) fn services(&self) -> Result<(Vec<Workspace>, String), Outcome> {
        let (mut services, mut warnings, mut errors) = (Vec::new(), String::new(), String::new());
        for config in self.configs()? {
            match Workspace::of(self.root, config) {
                Ok(service) => {
                    warnings.push_str(&self.printed(&service.warnings));
                    services.push(service);
                }
                Err(report) => {
                    let gap = if errors.is_empty() { "" } else { "\n" };
                    errors = errors + gap + &self.printed(&report);
                }
            }
        }
        if errors.is_empty() { Ok((services, warnings)) } else { Err(Outcome::failed(2, errors)) }
    }

    /// Returns the outcome of a command that reads an invalid file.
    pub(super) fn rejected(&self, report: &Report) -> Outcome {
        Outcome::failed(2, self.printed(report))
    }

    pub(super) fn printed(&self, report: &Report) -> String {
        let mut text = report.text.clone();
        if let Some(summary) = report.summary() {
            _ = writeln!(text, "\n{summary}; `{} explain CODE` explains a code", self.program);
        }
        text
    }
}
