//! The locations of a service in its workspace.

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
