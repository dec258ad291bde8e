//! A service with the configuration for which it is generated.

use crate::config::{Config, Role};
use crate::ir::Service;

/// A service, and what to generate for it.
#[derive(Clone, Copy, Debug)]
pub struct Project<'a> {
    /// The service.
    pub service: &'a Service,
    /// The crates and documents to generate.
    pub config: &'a Config,
}

impl Project<'_> {
    /// Returns the purpose of a module that contains all generated code of a crate.
    pub(crate) fn purpose(&self) -> String {
        format!("Code that `{}` generates from the spec.", self.config.command)
    }

    /// Returns the environment variable of the program with this ending: `PHOTO_SHARE_TOKEN` for `TOKEN`. The crate of
    /// the program has the name of the program, with `-cli` after it.
    pub(crate) fn variable(&self, ending: &str) -> String {
        let package = self.config.packages.get(&Role::Cli).map(|package| package.name.as_str());
        let program = package.and_then(|name| name.strip_suffix("-cli"));
        let program = program.unwrap_or(&self.service.name);
        let program = program.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        format!("{}_{ending}", program.to_ascii_uppercase())
    }
}
