//! The locations of a service in its workspace, and of the runtime crates, which are on no registry yet.

use std::path::Path;

/// The locations of the files of a service.
pub(super) struct Place {
    /// The folder of the spec and of its configuration.
    pub(super) spec: String,
    /// The folder of the reference.
    pub(super) reference: String,
    /// The name of the example program, which is unique in the workspace.
    pub(super) demo: String,
    /// The Rust expression that reads the service.
    pub(super) read: String,
}

impl Place {
    /// Returns the locations of the first service of a workspace.
    pub(super) fn workspace() -> Self {
        Self {
            spec: "spec".to_owned(),
            reference: "docs/reference".to_owned(),
            demo: "demo".to_owned(),
            read: "Workspace::read(root)".to_owned(),
        }
    }

    /// Returns the locations of a further service.
    pub(super) fn folder(name: &str) -> Self {
        Self {
            spec: format!("spec/{name}"),
            reference: format!("docs/{name}"),
            demo: format!("{}_demo", name.replace('-', "_")),
            read: format!("Workspace::read_service(root, {name:?})"),
        }
    }

    /// Returns all folders of a service that has none in common with another one.
    pub(super) fn folders(&self, name: &str) -> Vec<String> {
        let crates = ["model", "client", "testkit", "cli"];
        let crates = crates.iter().map(|role| format!("crates/{name}-{role}"));
        crates.chain([self.spec.clone(), self.reference.clone()]).collect()
    }
}

/// The source of the runtime crates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Runtime<'a> {
    /// The folder of their workspace, relative to the parent of the new workspace or absolute.
    Path(&'a str),
    /// The URL of their Git repository.
    Git(&'a str),
}

impl Runtime<'_> {
    /// Returns whether the runtime crates are there. Git repositories are not checked.
    pub(crate) fn exists(&self, parent: &Path) -> bool {
        match self {
            Self::Path(folder) => {
                parent.join(folder).join("crates/methodical/model/Cargo.toml").is_file()
            }
            Self::Git(_) => true,
        }
    }

    /// Returns the keys of a dependency on a runtime crate, for the manifest of the new workspace.
    pub(super) fn dependency(&self, krate: &str) -> String {
        match self {
            Self::Path(_) => {
                let krate = match krate.strip_prefix("methodical-") {
                    Some(name) => format!("methodical/{name}"),
                    None => krate.to_owned(),
                };
                format!("path = {:?}", format!("{}/crates/{krate}", self.folder()))
            }
            Self::Git(url) => format!("git = {url:?}"),
        }
    }

    /// Returns the arguments with which `cargo install` finds the generator.
    pub(super) fn install(&self) -> String {
        match self {
            Self::Path(_) => format!("--path {}/crates/methodical/codegen", self.folder()),
            Self::Git(url) => format!("--git {url} methodical-codegen"),
        }
    }

    /// Returns the folder of the runtime, from the folder of the new workspace.
    fn folder(&self) -> String {
        let (Self::Path(text) | Self::Git(text)) = self;
        let text = text.trim_end_matches('/');
        if Path::new(text).is_absolute() { text.to_owned() } else { format!("../{text}") }
    }
}
