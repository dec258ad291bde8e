//! Everything that the commands share: the name of the program, and the workspace.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::outcome::Outcome;
use crate::report::Report;
use crate::workspace::Workspace;

/// The program and the workspace of a run.
pub(super) struct Context<'a> {
    /// The name of the program, as users type it: `gateway-codegen`.
    pub(super) program: &'a str,
    /// The root of the workspace.
    pub(super) root: &'a Path,
}

impl Context<'_> {
    /// Reads the workspace. Returns it with its printed warnings. The error is the outcome of the
    /// command if the configuration or the spec is invalid.
    pub(super) fn workspace(&self) -> Result<(Workspace, String), Outcome> {
        let workspace = Workspace::read(self.root).map_err(|report| self.rejected(&report))?;
        let warnings = self.printed(&workspace.warnings);
        Ok((workspace, warnings))
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
