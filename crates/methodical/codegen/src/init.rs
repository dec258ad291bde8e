//! Starts a service in a new or an existing workspace: writes the files that people edit, and the generated ones. Each
//! `«…»` in a template is replaced with a value.

use std::fs;
use std::path::Path;

use crate::cli::{Outcome, usage};
use crate::config::{self, Role, Workspace};
use crate::emit::{GeneratedFile, example_query, marker};
use crate::ir::Service;
use crate::output::{failed, formatted, marked, unmarked, write};
use crate::spec::form::{Formed as _, Kebab};
use crate::text::{capitalized, string};

/// Creates a workspace in a folder named after its service. `runtime` is the folder or the Git repository that contains
/// the runtime crates, which are not on a registry yet.
pub(crate) fn workspace(name: &str, folder: &Path, runtime: &str) -> Result<Outcome, Outcome> {
    check_name(name)?;
    let is_checkout = folder.join(runtime).join("crates/methodical/model/Cargo.toml").is_file();
    if !is_checkout && !is_git(runtime) {
        return Err(usage(
            "the folder of `--runtime` has no crates/methodical/model; pass a checkout of the runtime",
        ));
    }
    let root = folder.join(name);
    if root.exists() {
        return Err(usage(&format!("`{name}` already exists; choose another name")));
    }
    let next = format!(
        "  cd {name}\n  cargo run --example demo\n  cargo run -- --demo {COMMAND}\n  cargo test"
    );
    let values = Values::new(name, true, runtime);
    start(&root, values, &[WORKSPACE, SERVICE].concat(), &format!("created {name}/"), &next)
        .inspect_err(|_| _ = fs::remove_dir_all(&root).ok())
}

/// Adds a service to the workspace at a root.
pub(crate) fn add(name: &str, root: &Path) -> Result<Outcome, Outcome> {
    check_name(name)?;
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    if !manifest.contains("\nmethodical-client = ") {
        let why = "`add` needs a workspace that `init` started; no Cargo.toml here depends on `methodical-client`";
        return Err(usage(why));
    }
    let crates = ["model", "client", "testkit", "cli"].map(|role| format!("crates/{name}-{role}"));
    let folders = [crates.as_slice(), &[format!("spec/{name}"), format!("docs/{name}")]].concat();
    if let Some(taken) = folders.iter().find(|folder| root.join(folder).exists()) {
        return Err(usage(&format!("`{taken}` already exists; choose another name")));
    }
    let next = format!(
        "  cargo run --bin {name} -- --demo {COMMAND}\n  cargo test --package {name}-client"
    );
    start(root, Values::new(name, false, ""), SERVICE, &format!("added {name}"), &next).inspect_err(
        |_| folders.iter().for_each(|folder| _ = fs::remove_dir_all(root.join(folder)).ok()),
    )
}

fn check_name(name: &str) -> Result<(), Outcome> {
    Kebab::FORM.check(name).map_err(|why| usage(&format!("NAME {why}")))
}

/// The command that calls the operation of the initial spec.
const COMMAND: &str = "items list --shelf=3";

/// Writes the files of a service below a root and returns what to do next.
fn start(
    root: &Path,
    mut values: Values,
    templates: &[(&str, &str)],
    what: &str,
    next: &str,
) -> Result<Outcome, Outcome> {
    let write_all = |values: &Values, templates: &[(&str, &str)]| -> Result<(), Outcome> {
        let files = templates
            .iter()
            .map(|(path, text)| GeneratedFile { path: values.fill(path), text: values.fill(text) });
        for GeneratedFile { path, text } in formatted(&files.collect::<Vec<_>>(), root)? {
            write(&root.join(&path), &text)
                .map_err(|error| failed(format_args!("cannot write `{path}`"), &error))?;
        }
        Ok(())
    };
    write_all(&values, SPEC)?;
    let workspace = Workspace::read(root, &values.fill("«folder»/codegen.toml"))?;
    values.add_service(&workspace);
    write_all(&values, templates)?;
    // The generator updates samples that have a mark.
    let mark = marked(&workspace.config, "sample.rs", "");
    write_all(&values, &SAMPLES.map(|(path, _)| (path, mark.as_str())))?;
    let output = workspace.generate()?;
    output.write(root)?;
    let (own, generated) = (SPEC.len() + templates.len(), output.files().len());
    let (spec, command) = (&workspace.config.spec, &workspace.config.command);
    Ok(Outcome::fine(format!(
        "{what} with {own} files of yours and {generated} generated files\n\n\
         Next:\n{next}\n\nThen edit {spec}, and run: {command}\n"
    )))
}

/// Returns the samples of a service that `init` or `add` started, except those without the mark, which people have
/// taken over.
pub(crate) fn samples(workspace: &Workspace) -> Vec<GeneratedFile> {
    let is_only = workspace.config.file == config::FILE;
    let mut values = Values::new(workspace.config.service(), is_only, "");
    let has_values = values.add_service(workspace).is_some();
    let samples = SAMPLES.iter().filter_map(|(path, template)| {
        let path = values.fill(path);
        let text = fs::read_to_string(workspace.root.join(&path)).ok()?;
        let original = unmarked(&text)?;
        // Without an example in the spec, a sample is left unchanged.
        let text = if has_values { values.fill(template) } else { original.to_owned() };
        Some(GeneratedFile { path, text })
    });
    samples.collect()
}

/// The values in the templates, by name: names, and code snippets for an example of the spec.
struct Values(Vec<(&'static str, String)>);

impl Values {
    /// Returns the values that do not depend on the spec. In a workspace with several services, each has separate
    /// folders.
    fn new(name: &str, is_only: bool, runtime: &str) -> Self {
        let either = |only: &str, further: String| if is_only { only.to_owned() } else { further };
        let source = runtime.trim_end_matches('/');
        let up = if Path::new(source).is_absolute() { "" } else { "../" };
        let (install, dependency) = if is_git(runtime) {
            (format!("--git {runtime} methodical-codegen"), format!("git = {runtime:?}"))
        } else {
            let path = format!("{up}{source}/crates/methodical");
            (format!("--path {path}/codegen"), format!("path = \"{path}/CRATE\""))
        };
        let mut values = vec![
            ("name", name.to_owned()),
            // The name for people, such as `Photo albums` for `photo-albums`.
            ("title", capitalized(name).replace('-', " ")),
            ("folder", either("spec", format!("spec/{name}"))),
            ("reference", either("docs/reference", format!("docs/{name}"))),
            ("demo", either("demo", format!("{}_demo", name.replace('-', "_")))),
            ("install", install),
            ("runtime", dependency),
        ];
        let roles = ["model", "client", "testkit", "cli"];
        values.extend(roles.map(|role| (role, format!("{name}-{role}"))));
        Self(values)
    }

    /// Adds the values that depend on the spec. Returns `None` if the service has no example for clients.
    fn add_service(&mut self, workspace: &Workspace) -> Option<()> {
        let Workspace { config, service, .. } = workspace;
        let names = [
            ("model_rust", Role::Model),
            ("client_rust", Role::Client),
            ("testkit_rust", Role::Testkit),
        ];
        self.0.extend(names.map(|(key, role)| (key, config.rust_name(role))));
        self.0.push(("marker", marker(service)));
        // An example that has nothing unusual, if possible.
        let (operation, example) =
            service.client_examples().min_by_key(|(operation, example)| {
                let has_records = operation.response.model().is_some();
                (!has_records, !example.rejected.is_empty(), !example.is_plain())
            })?;
        self.0.extend([
            ("query_type", operation.rust.pascal()),
            ("query", example_query(operation, example)?),
            ("mock_example", format!("like_{}", example.name.words())),
            ("secrets", secrets(service)),
            ("calls", calls(service)),
        ]);
        Some(())
    }

    /// Replaces all `«…»` in a template. `«runtime NAME»` becomes the dependency on the runtime crate `NAME`.
    fn fill(&self, template: &str) -> String {
        let mut parts = template.split('«');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('»').unwrap_or((part, ""));
            let (name, krate) = name.split_once(' ').unwrap_or((name, "CRATE"));
            let found = self.0.iter().find(|(known, _)| *known == name);
            text.extend(found.map(|(_, value)| value.replace("CRATE", krate)));
            text.push_str(rest);
        }
        text
    }
}

/// Returns whether the runtime crates come from a URL, which must be that of a Git repository.
fn is_git(runtime: &str) -> bool {
    runtime.contains("://")
}

/// Returns statements that send the query of each example to a mock and check the result.
fn calls(service: &Service) -> String {
    let calls = service.client_examples().filter_map(|(operation, example)| {
        let query = example_query(operation, example)?;
        let mount = format!("mocks::like_{}().mount(&service).await", example.name.words());
        let call = format!("client.send(&{query}).await?");
        let check = match example.rejected.len() {
            rejected if operation.response.is_list => {
                format!("let listing = {call}; assert_eq!(listing.rejected.len(), {rejected});")
            }
            _ => format!("{call};"),
        };
        Some(format!("service.reset().await; {mount}; {check}"))
    });
    calls.collect::<Vec<_>>().join("\n\n")
}

/// Returns the builder calls that set all secrets except the first one.
fn secrets(service: &Service) -> String {
    let others = service.auth.secrets().iter().skip(1);
    let secret =
        |name: &str| format!(".secret({}, AccessToken::secret(\"test-secret\")?)", string(name));
    others.map(|one| secret(&one.name)).collect()
}

/// The configuration of the generator, and a spec to edit, with its fixture.
const SPEC: &[(&str, &str)] = &[
    ("«folder»/codegen.toml", include_str!("init/spec/codegen.toml")),
    ("«folder»/«name».toml", include_str!("init/spec/spec.toml")),
    ("«folder»/fixtures/items-of-a-shelf.json", include_str!("init/spec/items-of-a-shelf.json")),
];

/// The other files of a workspace: paths and contents.
const WORKSPACE: &[(&str, &str)] = &[
    (".gitignore", include_str!("init/workspace/gitignore")),
    ("Cargo.toml", include_str!("init/workspace/manifest.toml")),
    ("README.md", include_str!("init/workspace/README.md")),
];

/// The files of a service that name its operations. The generator updates them until their mark is deleted.
const SAMPLES: [(&str, &str); 2] = [
    ("crates/«client»/examples/«demo».rs", include_str!("init/client/demo.rs")),
    ("crates/«client»/tests/round_trip.rs", include_str!("init/client/round_trip.rs")),
];

/// The other files of a service.
const SERVICE: &[(&str, &str)] = &[
    ("crates/«cli»/Cargo.toml", include_str!("init/cli/manifest.toml")),
    ("crates/«cli»/src/demo.rs", include_str!("init/cli/demo.rs")),
    ("crates/«cli»/src/main.rs", include_str!("init/cli/main.rs")),
    ("crates/«client»/Cargo.toml", include_str!("init/client/manifest.toml")),
    ("crates/«client»/src/lib.rs", include_str!("init/client/lib.rs")),
    ("crates/«model»/Cargo.toml", include_str!("init/model/manifest.toml")),
    ("crates/«model»/src/lib.rs", include_str!("init/model/lib.rs")),
    ("crates/«model»/tests/generated.rs", include_str!("init/model/generated.rs")),
    ("crates/«testkit»/Cargo.toml", include_str!("init/testkit/manifest.toml")),
    ("crates/«testkit»/src/lib.rs", include_str!("init/testkit/lib.rs")),
];
