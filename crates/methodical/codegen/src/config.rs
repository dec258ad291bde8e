//! The configuration of the generator, `spec/codegen.toml`: where the spec is, and which crates and documents are generated.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::diag::{Report, code};
use crate::ir::Service;
use crate::spec::context::Context;
use crate::spec::form::{File, Kebab, Line};
use crate::spec::language::tables;
use crate::spec::value::{At, Text};
use crate::spec::{Parsed, content, parse};
use crate::words::words;

/// The path of the configuration, from the root of the workspace.
pub const FILE: &str = "spec/codegen.toml";

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
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "`[documents]`")]
pub struct Documents {
    /// The document to which the reference links: `docs/service.md`.
    #[schemars(with = "Option<Text<File>>")]
    pub contract: Option<String>,
    /// The folder of the reference pages.
    #[schemars(with = "Option<Text<File>>")]
    pub reference: Option<String>,
    /// The folder of the OpenAPI documents.
    #[schemars(with = "Option<Text<File>>")]
    pub openapi: Option<String>,
    /// The folder of the JSON Schemas of the models.
    #[schemars(with = "Option<Text<File>>")]
    pub json_schema: Option<String>,
    /// The path of the JSON Schema of the spec language, for editors.
    #[schemars(with = "Option<Text<File>>")]
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
            let mut report = rejected(Parsed::rejected(NAME, &format!("{file}:1:1"), &why), file);
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
    /// use methodical_codegen::config::{Config, Role};
    ///
    /// let config = Config::parse(b"
    ///     spec = 'spec/photos.toml'
    ///     [crate]
    ///     model = { name = 'photos-model' }
    /// ")?;
    /// assert_eq!(config.command, "methodical-codegen generate");
    /// assert_eq!(config.packages[&Role::Model].folder, "crates/photos-model");
    /// # Ok::<(), methodical_codegen::Report>(())
    /// ```
    pub fn parse(bytes: &[u8]) -> Result<Self, Report> {
        Self::parse_file(bytes, FILE)
    }

    fn parse_file(bytes: &[u8], file: &str) -> Result<Self, Report> {
        let mut parsed = parse(NAME, bytes, file, |cx, given: &Given| Self::lower(file, cx, given));
        parsed.value.take().ok_or_else(|| rejected(parsed, file))
    }

    fn lower(file: &str, cx: &mut Context<'_>, given: &Given) -> Self {
        Self {
            file: file.to_owned(),
            spec: given.spec.value.clone(),
            command: given
                .command
                .as_ref()
                .map_or_else(|| COMMAND.to_owned(), |text| text.value.clone()),
            packages: given.packages.as_ref().map(|given| packages(cx, given)).unwrap_or_default(),
            documents: given.documents.clone(),
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
        self.packages.get(&role).map_or_else(|| role.word(), |package| &package.name)
    }

    /// Returns the name of a crate in Rust code: `gateway_model`.
    pub fn rust_name(&self, role: Role) -> String {
        self.name(role).replace('-', "_")
    }

    /// Returns the folder of the generated modules of a crate. The module itself is next to it.
    pub(crate) fn modules(&self, role: Role) -> String {
        let folder =
            self.packages.get(&role).map_or_else(|| role.word(), |package| &package.folder);
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
fn packages(cx: &mut Context<'_>, given: &Crates) -> BTreeMap<Role, Package> {
    let mut packages: BTreeMap<Role, Package> = BTreeMap::new();
    for role in Role::ALL {
        let Some(one) = given.of(*role) else { continue };
        let span = cx.key_of(&one.span);
        let name = one.name.value.clone();
        let folder = one
            .folder
            .as_ref()
            .map_or_else(|| format!("crates/{name}"), |folder| folder.value.clone());
        if packages.values().any(|other| other.name == name || other.folder == folder) {
            let message = format!("another crate has the name `{name}` or the folder `{folder}`");
            cx.say(&code::NAMES_COLLIDE, &span, message, "give each crate its own name and folder");
        }
        if let Some(used) = role.uses().filter(|used| given.of(*used).is_none()) {
            let used = used.word();
            let message =
                format!("the crate `{}` uses the crate `{used}`, which is missing", role.word());
            cx.say(
                &code::MISSING_KEY,
                &span,
                message,
                &format!("add `{used} = {{ name = \"…\" }}`"),
            );
        }
        packages.insert(*role, Package { name, folder });
    }
    packages
}

tables! {
    /// The files that are generated from a spec, and their locations.
    Given "configuration" {
        /// The path of the spec.
        spec: Text<File>,
        /// The command that generates the files again.
        command: Option<Text<Line>>,
        /// The generated crates.
        #[serde(rename = "crate")]
        packages: Option<Crates>,
        /// The generated documents.
        #[serde(default)]
        documents: Documents,
    }

    /// The generated crates.
    Crates "`[crate]`" {
        /// Records, queries and scalars.
        model: Option<At<Crate>>,
        /// One method for each operation, on an async and a blocking client.
        client: Option<At<Crate>>,
        /// Typed mocks, and the examples of the spec as data.
        testkit: Option<At<Crate>>,
        /// The operations and the records of a service.
        server: Option<At<Crate>>,
        /// The commands of a program.
        cli: Option<At<Crate>>,
    }

    /// A generated crate.
    Crate "crate" {
        /// The name in its `Cargo.toml`.
        name: Text<Kebab>,
        /// Its folder; `crates/NAME` by default.
        folder: Option<Text<File>>,
    }
}

impl Crates {
    fn of(&self, role: Role) -> Option<&At<Crate>> {
        let Self { model, client, testkit, server, cli } = self;
        match role {
            Role::Model => model,
            Role::Client => client,
            Role::Testkit => testkit,
            Role::Server => server,
            Role::Cli => cli,
        }
        .as_ref()
    }
}

/// The name of the file in messages.
const NAME: &str = "configuration";

/// The default of `command`.
const COMMAND: &str = "methodical-codegen generate";

const MISSING: &str = " = help: `methodical-codegen init NAME` starts a workspace that has one\n";

fn rejected(parsed: Parsed<Config>, file: &str) -> Report {
    let Parsed { report: text, errors, warnings, .. } = parsed;
    Report { path: file.to_owned(), text, errors, warnings }
}

words! {
    /// The purpose of a generated crate. Each follows the ones that it uses.
    #[derive(PartialOrd, Ord)]
    pub enum Role {
        /// Records, queries and scalars.
        Model = "model",
        /// One method for each operation, on an async and a blocking client.
        Client = "client",
        /// Typed mocks, and the examples of the spec as data.
        Testkit = "testkit",
        /// The operations and the records of a service.
        Server = "server",
        /// The commands of a program.
        Cli = "cli",
    }
}

impl Role {
    /// Returns the role whose crate this one depends on, directly.
    pub(crate) fn uses(self) -> Option<Self> {
        match self {
            Self::Model => None,
            Self::Client | Self::Testkit | Self::Server => Some(Self::Model),
            Self::Cli => Some(Self::Client),
        }
    }
}

/// A generated crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name: `gateway-model`.
    pub name: String,
    /// The folder of its `Cargo.toml`, from the root of the workspace: `crates/gateway-model`.
    pub folder: String,
}

/// The folder of the configurations, from the root of the workspace.
const FOLDER: &str = "spec";

/// The file name of a configuration.
const FILE_NAME: &str = "codegen.toml";

/// Returns the path of the configuration of a service with its own folder: `spec/leads/codegen.toml`.
pub(crate) fn file_of(service: &str) -> String {
    format!("{FOLDER}/{service}/{FILE_NAME}")
}

/// Returns the paths of all configurations of a workspace, sorted.
///
/// # Errors
/// If the folder `spec` exists but cannot be read.
pub(crate) fn files(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    if root.join(FILE).is_file() {
        found.push(FILE.to_owned());
    }
    let entries = match fs::read_dir(root.join(FOLDER)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let file = file_of(&entry?.file_name().to_string_lossy());
        if root.join(&file).is_file() {
            found.push(file);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads all configurations of a workspace.
///
/// # Errors
/// If a configuration is missing, invalid or unreadable, or if two of them write the same files.
pub(crate) fn read_all(root: &Path) -> Result<Vec<Config>, Report> {
    let files = files(root).map_err(|error| {
        Report::of_file(FILE, &format!("cannot list the folder `{FOLDER}`: {error}"))
    })?;
    // The error of a missing file says how to create one.
    let files = if files.is_empty() { vec![FILE.to_owned()] } else { files };
    let configs: Vec<_> =
        files.iter().map(|file| Config::read_file(root, file)).collect::<Result<_, _>>()?;
    let mut earlier: Vec<(&Config, Vec<&str>)> = Vec::new();
    for config in &configs {
        let own = written(config);
        for (other, theirs) in &earlier {
            if let Some(path) =
                own.iter().find(|own| theirs.iter().any(|their| overlap(own, their)))
            {
                let why = format!(
                    "cannot generate into `{path}`: {} does so, too; give each service its own crates and folders",
                    other.file
                );
                return Err(Report::of_file(&config.file, &why));
            }
        }
        earlier.push((config, own));
    }
    Ok(configs)
}

/// Returns the folders and files that are generated from a configuration.
fn written(config: &Config) -> Vec<&str> {
    let Documents { reference, openapi, json_schema, spec_schema, .. } = &config.documents;
    let documents = [reference, openapi, json_schema, spec_schema].into_iter().flatten();
    let folders = config.packages.values().map(|package| package.folder.as_str());
    folders.chain(documents.map(String::as_str)).collect()
}

/// Returns whether two paths are equal or one is within the other.
fn overlap(a: &str, b: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(a, b) || within(b, a)
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn a_folder_contains_what_is_below_it() {
        assert!(overlap("docs", "docs") && overlap("docs/a", "docs") && overlap("docs", "docs/a"));
        assert!(!overlap("docs-of-leads", "docs") && !overlap("docs/a", "docs/b"));
    }
}
