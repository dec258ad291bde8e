//! The services of a workspace on disk, each with its configuration.

use std::path::{Path, PathBuf};

use crate::config::{Config, Role};
use crate::ir::{Auth, Operation, Service};
use crate::output::{Error, Output};
use crate::project::Project;
use crate::report::Report;
use crate::{configs, spec};

/// A service of a workspace, whose configuration and spec are valid.
///
/// Most workspaces have one service, in the folder `spec/`. [`Workspace::read_all`] reads the services of a
/// workspace with several.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The root: the folder that contains `spec/`.
    pub root: PathBuf,
    /// The configuration.
    pub config: Config,
    /// The service that the spec describes.
    pub service: Service,
    /// The warnings about the spec.
    pub warnings: Report,
}

impl Workspace {
    /// Reads the configuration `spec/codegen.toml` of the workspace at a root, and the spec.
    ///
    /// # Errors
    /// If one of the two cannot be read, or is invalid.
    pub fn read(root: &Path) -> Result<Self, Report> {
        Self::of(root, Config::read(root)?)
    }

    /// Reads one service of a workspace with several, such as `leads` in the folder `spec/leads/`.
    ///
    /// # Errors
    /// If its configuration or its spec cannot be read, or is invalid.
    pub fn read_service(root: &Path, name: &str) -> Result<Self, Report> {
        Self::of(root, Config::read_file(root, &configs::file_of(name))?)
    }

    /// Reads all services of a workspace, in the order of the paths of their configurations.
    ///
    /// # Errors
    /// If a configuration or a spec cannot be read or is invalid, or if two services write the same files.
    pub fn read_all(root: &Path) -> Result<Vec<Self>, Report> {
        let configs = configs::read_all(root)?;
        configs.into_iter().map(|config| Self::of(root, config)).collect()
    }

    /// Reads the spec that a configuration names.
    ///
    /// # Errors
    /// If the spec cannot be read or is invalid, or if it describes a service that a generated server cannot be and the
    /// configuration has one.
    pub fn of(root: &Path, config: Config) -> Result<Self, Report> {
        let reading = spec::read_file(&root.join(&config.spec), &config.spec);
        let (service, warnings) = reading.accepted(&config.spec)?;
        if let Some(reason) =
            unserved(&service).filter(|_| config.packages.contains_key(&Role::Server))
        {
            let file = &config.file;
            let text = format!(
                "{file}: error: cannot generate the crate `server`: {reason}; remove it from `[crate]`\n"
            );
            return Err(Report { path: file.clone(), text, errors: 1, warnings: 0 });
        }
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

/// Returns the reason why a generated server cannot be this service.
fn unserved(service: &Service) -> Option<String> {
    if !service.dispatch.is_plain() {
        return Some(
            "a generated server selects operations by one query parameter, without constants"
                .to_owned(),
        );
    }
    if service.auth != Auth::Bearer {
        return Some("a generated server expects a bearer token".to_owned());
    }
    if let Some(one) = service.operations.iter().find(|one| one.post.is_some()) {
        let name = one.rust.words();
        return Some(format!("a generated server expects GET requests, unlike `{name}`"));
    }
    let has_list = |one: &&Operation| one.params.iter().any(|param| param.list.is_some());
    if let Some(one) = service.operations.iter().find(has_list) {
        let name = one.rust.words();
        return Some(format!("a generated server reads single values, unlike those of `{name}`"));
    }
    let mut operations = service.operations.iter();
    let one = operations.find(|one| one.response.body().is_some() || one.paging.is_some())?;
    let name = one.rust.words();
    Some(format!(
        "a generated server reports failures by their status and has no pages, unlike `{name}`"
    ))
}
