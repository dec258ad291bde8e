//! A workspace on disk: its configuration and its service.

use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::ir::Service;
use crate::output::{Error, Output};
use crate::project::Project;
use crate::report::Report;
use crate::spec;

/// A workspace whose configuration and spec are valid.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The folder that contains `spec/`.
    pub root: PathBuf,
    /// The configuration.
    pub config: Config,
    /// The service that the spec describes.
    pub service: Service,
    /// The warnings about the spec.
    pub warnings: Report,
}

impl Workspace {
    /// Reads the configuration and the spec of the workspace at a root.
    ///
    /// # Errors
    /// If one of the two cannot be read, or is invalid.
    pub fn read(root: &Path) -> Result<Self, Report> {
        let config = Config::read(root)?;
        let reading = spec::read_file(&root.join(&config.spec), &config.spec);
        let (service, warnings) = reading.accepted(&config.spec)?;
        Ok(Self { root: root.to_owned(), config, service, warnings })
    }

    /// Generates all files, without a change on disk.
    ///
    /// # Errors
    /// If rustfmt cannot be run or rejects a file.
    pub fn generate(&self) -> Result<Output, Error> {
        Output::of(&Project { service: &self.service, config: &self.config }, &self.root)
    }
}
