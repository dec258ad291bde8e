//! The services of a workspace on disk, each with its configuration.

use std::path::{Path, PathBuf};

use crate::config::{Config, Project, Role};
use crate::diag::Report;
use crate::ir::{Auth, Service};
use crate::output::{Error, Output};
use crate::{config, spec};

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
        Self::of(root, Config::read_file(root, &config::file_of(name))?)
    }

    /// Reads all services of a workspace, in the order of the paths of their configurations.
    ///
    /// # Errors
    /// If a configuration or a spec cannot be read or is invalid, or if two services write the same files.
    pub fn read_all(root: &Path) -> Result<Vec<Self>, Report> {
        let configs = config::read_all(root)?;
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
        if config.packages.contains_key(&Role::Server)
            && let Some(reason) = unserved(&service)
        {
            let why = format!(
                "cannot generate the crate `server`: a generated server {reason}; remove it from `[crate]`"
            );
            return Err(Report::of_file(&config.file, &why));
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

/// Returns what a generated server does, unlike this service.
fn unserved(service: &Service) -> Option<String> {
    if !service.dispatch.is_plain() {
        return Some("selects operations by one query parameter, without constants".to_owned());
    }
    if service.auth != Auth::Bearer {
        return Some("expects a bearer token".to_owned());
    }
    service.operations.iter().find_map(|one| {
        let reason = if one.post.is_some() {
            "expects GET requests"
        } else if one.params.iter().any(|param| param.list.is_some()) {
            "reads parameters with single values"
        } else if one.params.iter().any(|param| param.wire.contains('[')) {
            "reads parameters without brackets in their names"
        } else if one.response.is_body() || one.paging.is_some() {
            "reports failures by their status and has no pages"
        } else {
            return None;
        };
        Some(format!("{reason}, unlike `{}`", one.rust.words()))
    })
}
