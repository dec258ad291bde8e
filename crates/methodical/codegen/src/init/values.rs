//! The values in the templates: names, and snippets of code for an example of the spec.

use std::path::Path;

use crate::config::{Role, Workspace};
use crate::emit::{example_query, marker, smallest_record};
use crate::init::Runtime;
use crate::ir::{Command, Example, Operation, Service};
use crate::text::{capitalized, inline, string};

/// The values by name. `«runtime NAME»` is the dependency on a runtime crate.
pub(super) struct Values<'a> {
    /// The source of the runtime crates, for the templates of a workspace.
    runtime: Option<Runtime<'a>>,
    values: Vec<(&'static str, String)>,
}

impl<'a> Values<'a> {
    /// Returns the values that the templates need before the service is known. In a workspace with several services,
    /// each has separate folders.
    pub(super) fn new(name: &str, is_only: bool, runtime: Option<Runtime<'a>>) -> Self {
        let either = |only: &str, further: String| if is_only { only.to_owned() } else { further };
        let spec = either("spec", format!("spec/{name}"));
        let mut values = vec![
            ("name", name.to_owned()),
            // The name for people: `photo-albums` is `Photo albums`.
            ("title", capitalized(name).replace('-', " ")),
            ("configuration", format!("{spec}/codegen.toml")),
            ("spec", format!("{spec}/{name}.toml")),
            ("folder", spec),
            ("reference", either("docs/reference", format!("docs/{name}"))),
            ("demo", either("demo", format!("{}_demo", name.replace('-', "_")))),
        ];
        let roles = ["model", "client", "testkit", "cli"];
        values.extend(roles.map(|role| (role, format!("{name}-{role}"))));
        values.extend(runtime.map(|runtime| ("install", runtime.install())));
        Self { runtime, values }
    }

    /// Adds the values of a service. `None` if it has no example for clients with records.
    pub(super) fn add_service(&mut self, workspace: &Workspace) -> Option<()> {
        let Workspace { config, service, .. } = workspace;
        let (operation, example) = plainest(service)?;
        let record = service.response_model(operation)?;
        let name = |role| config.rust_name(role);
        let is_list = operation.response.is_list;
        let command = command(operation, example);
        let arguments: Vec<_> = command.iter().map(|word| string(word)).collect();
        let beside = operation.response.beside.map(|id| service.model(id));
        let beside = beside.map(|model| format!(", &{}", smallest_record(workspace, model)));
        let beside = beside.unwrap_or_default();
        let either = |list: &str, object: &str| (if is_list { list } else { object }).to_owned();
        self.values.retain(|(name, _)| *name != "title");
        self.values.extend([
            ("title", inline(&service.title)),
            ("model_rust", name(Role::Model)),
            ("client_rust", name(Role::Client)),
            ("testkit_rust", name(Role::Testkit)),
            ("query_type", operation.rust.pascal()),
            ("query", example_query(operation, example)?),
            ("mock_type", operation.rust.preceded_by("mock").pascal()),
            ("mock_example", format!("like_{}", example.name.words())),
            ("record", smallest_record(workspace, record)),
            ("response", either("listing", "record")),
            ("secrets", secrets(service)),
            ("about", string(&service.title)),
            ("marker", marker(service)),
            ("mocks", for_clients(service).map(|(.., mock)| mock).collect::<Vec<_>>().join(", ")),
            ("calls", calls(workspace)),
            ("command", command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
            ("arguments", arguments.join(", ")),
            ("answer", either("std::slice::from_ref(&record)", "&record") + &beside),
            ("received", either("received.items", "received")),
            ("expected", either("[record]", "record")),
        ]);
        Some(())
    }

    /// Replaces all `«…»` in a template.
    pub(super) fn fill(&self, template: &str) -> String {
        let mut parts = template.split('«');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('»').unwrap_or((part, ""));
            match (name.strip_prefix("runtime "), self.runtime) {
                (Some(krate), Some(runtime)) => text.push_str(&runtime.dependency(krate)),
                _ => text.push_str(self.value(name)),
            }
            text.push_str(rest);
        }
        text
    }

    fn value(&self, name: &str) -> &str {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value)
    }
}

/// Returns the examples for clients with their operations and the expressions of their mocks.
fn for_clients(service: &Service) -> impl Iterator<Item = (&Operation, &Example, String)> {
    let examples = service.examples.iter().filter(|example| example.client);
    examples.filter_map(|example| {
        let operation = service.operations.get(example.operation)?;
        let mock = operation.rust.preceded_by("mock").pascal();
        Some((operation, example, format!("mocks::{mock}::like_{}()", example.name.words())))
    })
}

/// Returns the first example for clients, preferring one that has records and nothing unusual.
fn plainest(service: &Service) -> Option<(&Operation, &Example)> {
    let plainest = for_clients(service).min_by_key(|(operation, example, _)| {
        let has_records = operation.response.model().is_some();
        (!has_records, !example.rejected.is_empty(), !example.is_plain())
    });
    plainest.map(|(operation, example, _)| (operation, example))
}

/// Returns statements that send the query of each example to a mock and check the result.
fn calls(workspace: &Workspace) -> String {
    let calls = for_clients(&workspace.service).filter_map(|(operation, example, mock)| {
        let query = example_query(operation, example)?;
        let call = format!("client.send(&{query}).await?");
        let check = match example.rejected.len() {
            _ if !operation.response.is_list => format!("{call};"),
            0 => format!("let listing = {call}; assert!(listing.rejected.is_empty());"),
            rejected => {
                format!("let listing = {call}; assert_eq!(listing.rejected.len(), {rejected});")
            }
        };
        Some(format!("service.reset().await; {mock}.mount(&service).await; {check}"))
    });
    calls.collect::<Vec<_>>().join("\n\n")
}

/// Returns the arguments with which the program sends the query of an example.
fn command(operation: &Operation, example: &Example) -> Vec<String> {
    let Command { noun, verb, .. } = operation.command();
    let flags = operation.given(example).flat_map(|(param, value)| {
        let items = param.items(value).into_iter();
        items.map(|item| format!("--{}={}", param.flag(), param.argument(item)))
    });
    // The page after the example may not have an example.
    let first = operation.paging.as_ref().map(|_paging| "--limit=1".to_owned());
    std::iter::once(noun).chain(verb).chain(flags).chain(first).collect()
}

/// Quotes a word for a shell, if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '=' | '/' | '.' | '_');
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns the calls of the builder that set all secrets except the first one.
fn secrets(service: &Service) -> String {
    let others = service.auth.secrets().iter().skip(1);
    let calls = others.map(|one| {
        format!(
            "\n            .secret({}, AccessToken::secret(\"test-secret\")?)",
            string(&one.name)
        )
    });
    calls.collect()
}

impl Runtime<'_> {
    /// Returns the keys of a dependency on a runtime crate, for the manifest of the new workspace.
    fn dependency(self, krate: &str) -> String {
        match self {
            Self::Path(_) => {
                let below = krate.replace("methodical-", "methodical/");
                format!("path = {:?}", format!("{}/crates/{below}", self.folder()))
            }
            Self::Git(url) => format!("git = {url:?}"),
        }
    }

    /// Returns the arguments with which `cargo install` finds the generator.
    fn install(self) -> String {
        match self {
            Self::Path(_) => format!("--path {}/crates/methodical/codegen", self.folder()),
            Self::Git(url) => format!("--git {url} methodical-codegen"),
        }
    }

    /// Returns the folder of the runtime, from the folder of the new workspace.
    fn folder(self) -> String {
        let (Self::Path(text) | Self::Git(text)) = self;
        let text = text.trim_end_matches('/');
        if Path::new(text).is_absolute() { text.to_owned() } else { format!("../{text}") }
    }
}
