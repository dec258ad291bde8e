//! The services of a workspace. Each has a configuration, `spec/codegen.toml`, which says where the spec is, and which
//! crates and documents to generate.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::diag::{Report, say};
use crate::ir::Service;
use crate::spec;
use crate::spec::context::Context;
use crate::spec::form::{File, Kebab, Line};
use crate::spec::read::{At, Text, key_of, tables, words};
use crate::spec::{not_text, parse};

/// The path of the configuration, relative to the workspace root.
pub const FILE: &str = "spec/codegen.toml";

/// A service of a workspace, whose configuration and spec are valid.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The root: the folder that contains `spec/`.
    pub root: PathBuf,
    /// The configuration: the crates and documents to generate.
    pub config: Config,
    /// The service that the spec describes.
    pub service: Service,
}

impl Workspace {
    /// Reads a service of the workspace at a root: a configuration, such as `spec/codegen.toml`, and the spec it names.
    ///
    /// # Errors
    /// Fails if the configuration or the spec cannot be read or is invalid.
    pub fn read(root: &Path, configuration: &str) -> Result<Self, Report> {
        Self::of(root, Config::read(root, configuration)?)
    }

    /// Reads the spec that a configuration names.
    ///
    /// # Errors
    /// Fails if the spec cannot be read or is invalid.
    pub fn of(root: &Path, config: Config) -> Result<Self, Report> {
        let service = spec::read_file(&root.join(&config.spec), &config.spec)?;
        Ok(Self { root: root.to_owned(), config, service })
    }
}

/// The files to generate for a service, and their locations. All paths are relative to the root of the workspace
/// and use `/` as the separator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The path of the configuration itself, such as `spec/codegen.toml`.
    pub file: String,
    /// The path of the spec, such as `spec/gateway.toml`.
    pub spec: String,
    /// The command that regenerates the files, such as `cargo xtask`. The first line of each file names it.
    pub command: String,
    /// The generated crates.
    pub packages: BTreeMap<Role, Package>,
    /// The paths of the documents. A document without a path is not generated.
    pub documents: BTreeMap<Document, String>,
}

/// A generated crate: its name and folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The crate's name, such as `gateway-model`.
    pub name: String,
    /// The folder of the crate's `Cargo.toml`, relative to the workspace root, such as `crates/gateway-model`.
    pub folder: String,
}

impl Config {
    /// Reads a configuration, whose path is relative to the root of its workspace.
    pub(crate) fn read(root: &Path, file: &str) -> Result<Self, Report> {
        let path = root.join(file);
        let bytes = fs::read(&path).map_err(|why| {
            let mut report = not_text("configuration", file, &why);
            if !path.exists() {
                report.text +=
                    " = help: `methodical-codegen init NAME` starts a workspace that has one\n";
            }
            report
        })?;
        Self::parse(&bytes, file)
    }

    /// Reads a configuration from memory. Messages show its path as `file`.
    ///
    /// # Errors
    /// Fails if the configuration is invalid.
    ///
    /// ```
    /// use methodical_codegen::config::{Config, Role};
    ///
    /// let text = b"
    ///     spec = 'spec/photos.toml'
    ///     [crate]
    ///     model = { name = 'photos-model' }
    /// ";
    /// let config = Config::parse(text, "spec/codegen.toml")?;
    /// assert_eq!(config.command, "methodical-codegen generate");
    /// assert_eq!(config.packages[&Role::Model].folder, "crates/photos-model");
    /// # Ok::<(), methodical_codegen::Report>(())
    /// ```
    pub fn parse(bytes: &[u8], file: &str) -> Result<Self, Report> {
        parse("configuration", bytes, file, |cx, given: Given| Self {
            file: file.to_owned(),
            spec: given.spec.value.clone(),
            command: given.command.as_ref().map_or(COMMAND, |text| text).to_owned(),
            packages: packages(cx, &given.packages),
            documents: given.documents.iter().map(|(one, path)| (*one, path.to_string())).collect(),
        })
    }

    /// Returns the name of the service on the command line: `leads`, if its spec is `spec/leads/leads.toml`.
    pub fn service(&self) -> &str {
        let name = self.spec.rsplit_once('/').map_or(self.spec.as_str(), |(_, name)| name);
        name.strip_suffix(".toml").unwrap_or(name)
    }

    /// Returns the name of a crate in Rust code, such as `gateway_model`, or of its role if the crate is not generated.
    pub fn rust_name(&self, role: Role) -> String {
        let name = self.packages.get(&role).map_or_else(|| role.word(), |package| &package.name);
        name.replace('-', "_")
    }

    /// Returns the folder of a crate's generated modules. Their parent module is the file next to the folder.
    pub(crate) fn modules(&self, role: Role) -> String {
        let folder =
            self.packages.get(&role).map_or_else(|| role.word(), |package| &package.folder);
        format!("{folder}/src/generated")
    }

    /// Resolves a path that is relative to the folder of the spec.
    pub(crate) fn beside_spec(&self, path: &str) -> String {
        let folder = self.spec.rsplit_once('/').map(|(folder, _)| folder);
        folder.map_or_else(|| path.to_owned(), |folder| format!("{folder}/{path}"))
    }

    /// Returns the folders that contain only generated files.
    pub(crate) fn folders(&self) -> Vec<String> {
        let folders = [Document::Reference, Document::OpenApi, Document::JsonSchema];
        let documents = folders.into_iter().filter_map(|one| self.documents.get(&one)).cloned();
        self.packages.keys().map(|role| self.modules(*role)).chain(documents).collect()
    }
}

/// Default of the key `command`.
const COMMAND: &str = "methodical-codegen generate";

/// Checks that the crates are distinct, and that each crate that another one uses is also generated.
fn packages(cx: &mut Context<'_>, given: &BTreeMap<Role, At<Crate>>) -> BTreeMap<Role, Package> {
    let mut packages: BTreeMap<Role, Package> = BTreeMap::new();
    for (role, one) in given {
        let key = key_of(cx.text, &one.span).unwrap_or_else(|| one.span.clone());
        let name = one.name.value.clone();
        let folder = one.folder.as_ref().map(|folder| folder.value.clone());
        let folder = folder.unwrap_or_else(|| format!("crates/{name}"));
        if packages.values().any(|other| other.name == name || other.folder == folder) {
            say!(cx, key, "another crate has the name `{name}` or the folder `{folder}`"
                => "give each crate its own name and folder");
        }
        if let Some(used) = role.uses().filter(|used| !given.contains_key(used)) {
            let (role, used) = (role.word(), used.word());
            say!(cx, key, "the crate `{role}` uses the crate `{used}`, which is missing"
                => "add `{used} = {{ name = \"…\" }}`");
        }
        packages.insert(*role, Package { name, folder });
    }
    packages
}

tables! {
    /// The files that are generated from a spec, and their locations.
    struct Given {
        spec: Text<File>,
        command: Option<Text<Line>>,
        #[serde(rename = "crate", default)]
        packages: BTreeMap<Role, At<Crate>>,
        #[serde(default)]
        documents: BTreeMap<Document, Text<File>>,
    }

    /// A generated crate: its name in `Cargo.toml` and its folder, by default `crates/NAME`.
    struct Crate {
        name: Text<Kebab>,
        folder: Option<Text<File>>,
    }
}

words! {
    /// The role of a generated crate. Each role comes after those that it uses.
    #[derive(PartialOrd, Ord)]
    pub enum Role {
        /// Records, queries and scalars.
        Model = "model",
        /// The async and the blocking client.
        Client = "client",
        /// Typed mocks, and the examples of the spec as data.
        Testkit = "testkit",
        /// The operations and the records of a service.
        Server = "server",
        /// The commands of a program.
        Cli = "cli",
        /// The classes and calls of a Python package.
        Python = "python",
    }
}

words! {
    /// A kind of document to generate, such as the reference.
    #[derive(PartialOrd, Ord)]
    pub enum Document {
        /// The document, written by people, to which the reference links, such as `docs/service.md`.
        Contract = "contract",
        /// The folder of the reference pages.
        Reference = "reference",
        /// The folder of the OpenAPI documents.
        OpenApi = "openapi",
        /// The folder of the JSON Schemas of the models.
        JsonSchema = "json-schema",
        /// The path of the data contract of the records.
        DataContract = "data-contract",
        /// The path of the JSON Schema of the spec language, for editors.
        SpecSchema = "spec-schema",
    }
}

impl Role {
    /// Returns the role of the crate on which this role's crate directly depends, if any.
    pub(crate) fn uses(self) -> Option<Self> {
        match self {
            Self::Model => None,
            Self::Client | Self::Testkit | Self::Server => Some(Self::Model),
            Self::Cli | Self::Python => Some(Self::Client),
        }
    }
}

/// Returns the paths of a workspace's configurations, sorted.
///
/// # Errors
/// Fails if the folder `spec` exists but cannot be read.
pub(crate) fn files(root: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(root.join("spec")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = vec![FILE.to_owned()];
    for entry in entries {
        found.push(format!("spec/{}/codegen.toml", entry?.file_name().to_string_lossy()));
    }
    found.retain(|file| root.join(file).is_file());
    found.sort();
    Ok(found)
}

/// Reads all configurations of a workspace.
///
/// # Errors
/// Fails if a configuration is missing, invalid or unreadable.
pub(crate) fn read_all(root: &Path) -> Result<Vec<Config>, Report> {
    let failed =
        |error| Report::of_file(FILE, format_args!("cannot list the folder `spec`: {error}"));
    let mut files = files(root).map_err(failed)?;
    if files.is_empty() {
        // The error for a missing file says how to create one.
        files.push(FILE.to_owned());
    }
    files.iter().map(|file| Config::read(root, file)).collect()
}
