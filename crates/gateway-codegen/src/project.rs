//! A service with the configuration for which it is generated.

use crate::config::Config;
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
}
