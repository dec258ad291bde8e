//! The source of the runtime crates, which are on no registry yet.

use std::path::Path;

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
