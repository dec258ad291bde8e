//! The configuration of the generator, `spec/codegen.toml`: where the spec is, and which crates and
//! documents are generated.

use std::collections::BTreeMap;
use std::path::Path;

use crate::config::grammar::CONFIGURATION;
pub use crate::config::role::{Package, Role};
use crate::diag::{Diagnostic, code};
use crate::report::Report;
use crate::spec::node::Node;
use crate::spec::{Parsed, content, parse};

mod grammar;
mod role;

/// The path of the configuration, from the root of the workspace.
pub const FILE: &str = "spec/codegen.toml";

/// The files to generate for a service, and their locations. All paths are relative to the root of the workspace,
/// with `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The path of the configuration itself: `spec/codegen.toml`.
    pub file: String,
    /// The path of the spec: `spec/gateway.toml`.
    pub spec: String,
    /// The command that generates the files again: `cargo xtask`. The first line of each file names it.
    pub command: String,
    /// The generated crates.
    pub packages: BTreeMap<Role, Package>,
    /// The generated documents.
    pub documents: Documents,
}

/// The generated documents. Documents without a path are not generated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Documents {
    /// A document that people wrote, to which the reference pages link: `docs/service.md`.
    pub contract: Option<String>,
    /// The folder of the reference pages.
    pub reference: Option<String>,
    /// The folder of the OpenAPI documents.
    pub openapi: Option<String>,
    /// The folder of the JSON Schemas of the models.
    pub json_schema: Option<String>,
    /// The path of the JSON Schema of the spec language, for editors.
    pub spec_schema: Option<String>,
}

impl Config {
    /// Reads the configuration `spec/codegen.toml` of the workspace at a root.
    ///
    /// # Errors
    /// If the file cannot be read, or is invalid.
    pub fn read(root: &Path) -> Result<Self, Report> {
        Self::read_file(root, FILE)
    }

    /// Reads a configuration, whose path is relative to the root of its workspace.
    ///
    /// # Errors
    /// If the file cannot be read, or is invalid.
    pub fn read_file(root: &Path, file: &str) -> Result<Self, Report> {
        let path = root.join(file);
        let bytes = content(&path).map_err(|why| {
            let mut report = rejected(Parsed::rejected(&CONFIGURATION, file, &why), file);
            if !path.exists() {
                report.text.push_str(MISSING);
            }
            report
        })?;
        Self::parse_file(&bytes, file)
    }

    /// Reads the configuration `spec/codegen.toml` from memory.
    ///
    /// # Errors
    /// If it is invalid.
    ///
    /// ```
    /// use gateway_codegen::config::{Config, Role};
    ///
    /// let config = Config::parse(b"
    ///     spec = 'spec/photos.toml'
    ///     [crate]
    ///     model = { name = 'photos-model' }
    /// ")?;
    /// assert_eq!(config.command, "gateway-codegen generate");
    /// assert_eq!(config.packages[&Role::Model].folder, "crates/photos-model");
    /// # Ok::<(), gateway_codegen::Report>(())
    /// ```
    pub fn parse(bytes: &[u8]) -> Result<Self, Report> {
        Self::parse_file(bytes, FILE)
    }

    fn parse_file(bytes: &[u8], file: &str) -> Result<Self, Report> {
        let mut parsed = parse(&CONFIGURATION, bytes, file, |_, root, _, diagnostics| {
            Some(Self::lower(file, root, diagnostics))
        });
        parsed.value.take().ok_or_else(|| rejected(parsed, file))
    }

    fn lower(file: &str, root: &Node, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let text = |node: Option<&Node>, key| node?.get(key)?.as_text().map(str::to_owned);
        let documents = root.get("documents");
        Self {
            file: file.to_owned(),
            spec: root.text("spec"),
            command: text(Some(root), "command").unwrap_or_else(|| COMMAND.to_owned()),
            packages: packages(root, diagnostics),
            documents: Documents {
                contract: text(documents, "contract"),
                reference: text(documents, "reference"),
                openapi: text(documents, "openapi"),
                json_schema: text(documents, "json-schema"),
                spec_schema: text(documents, "spec-schema"),
            },
        }
    }

    /// Returns the name of the service on the command line: `leads`, if its spec is `spec/leads/leads.toml`.
    pub fn service(&self) -> &str {
        let name = self.spec.rsplit_once('/').map_or(self.spec.as_str(), |(_, name)| name);
        name.strip_suffix(".toml").unwrap_or(name)
    }

    /// Returns the path of the lock of the generated files, which is next to the configuration.
    pub(crate) fn lock(&self) -> String {
        let folder = self.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{folder}/generated.lock")
    }

    /// Returns the name of a crate, as `Cargo.toml` has it; the name of its role if it is not generated.
    pub fn name(&self, role: Role) -> &str {
        self.packages.get(&role).map_or_else(|| role.key(), |package| &package.name)
    }

    /// Returns the name of a crate in Rust code: `gateway_model`.
    pub fn rust_name(&self, role: Role) -> String {
        self.name(role).replace('-', "_")
    }

    /// Returns the folder of the generated modules of a crate. The module itself is next to it.
    pub(crate) fn modules(&self, role: Role) -> String {
        let folder = self.packages.get(&role).map_or_else(|| role.key(), |package| &package.folder);
        format!("{folder}/src/generated")
    }

    /// Returns the path of a file whose path is relative to the folder of the spec.
    pub(crate) fn beside_spec(&self, path: &str) -> String {
        match self.spec.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{path}"),
            None => path.to_owned(),
        }
    }
}

/// Reads the crates, and checks that they are distinct and that each has the crates that it uses.
fn packages(root: &Node, diagnostics: &mut Vec<Diagnostic>) -> BTreeMap<Role, Package> {
    let mut packages: BTreeMap<Role, Package> = BTreeMap::new();
    for entry in root.entries_of("crate") {
        let Some(role) = Role::ALL.iter().find(|role| role.key() == entry.key) else { continue };
        let name = entry.node.text("name");
        let folder = entry.node.get("folder").and_then(Node::as_text);
        let folder = folder.map_or_else(|| format!("crates/{name}"), str::to_owned);
        if packages.values().any(|other| other.name == name || other.folder == folder) {
            let message = format!("another crate has the name `{name}` or the folder `{folder}`");
            diagnostics.push(
                Diagnostic::new(&code::NAMES_COLLIDE, &entry.key_span, message)
                    .help("give each crate its own name and folder"),
            );
        }
        packages.insert(*role, Package { name, folder });
    }
    for entry in root.entries_of("crate") {
        let role = Role::ALL.iter().find(|role| role.key() == entry.key);
        if let Some(used) = role.and_then(|role| role.uses())
            && root.get("crate").is_some_and(|crates| crates.get(used.key()).is_none())
        {
            let message = format!(
                "the crate `{}` uses the crate `{}`, which is missing",
                entry.key,
                used.key()
            );
            diagnostics.push(
                Diagnostic::new(&code::MISSING_KEY, &entry.key_span, message)
                    .help(format!("add `{} = {{ name = \"…\" }}`", used.key())),
            );
        }
    }
    packages
}

/// The default of `command`.
const COMMAND: &str = "gateway-codegen generate";

const MISSING: &str = " = help: `gateway-codegen init NAME` starts a workspace that has one\n";

fn rejected(parsed: Parsed<Config>, file: &str) -> Report {
    let Parsed { report: text, errors, warnings, .. } = parsed;
    Report { path: file.to_owned(), text, errors, warnings }
}
