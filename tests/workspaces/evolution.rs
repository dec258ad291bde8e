//! A change of the spec reaches everything generated from it, without an edit by hand.
//!
//! Each test copies the workspace, changes or replaces the spec, runs the generator, and checks the result with cargo.
//! The copies share our target directory, so that dependencies are not built again. Cargo distinguishes packages by
//! their path in the workspace, so each copy is one folder deeper in its workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::output;

/// Adds fields, a value of an open enum, and an operation with a model. The fields need no edit: everything compiles,
/// tests included. The operation needs one.
#[test]
fn an_addition_reaches_every_crate() {
    let scratch = Scratch::new("addition");
    scratch.edit("spec/gateway.toml", "phone_mobile = {", &format!("{FIELD}\nphone_mobile = {{"));
    scratch.edit(
        "spec/gateway.toml",
        "project = {",
        &format!("{FIELDS_OF_VACANCIES}\nproject = {{"),
    );
    scratch.edit(
        "spec/gateway.toml",
        "currency = {",
        &format!("{FIELD_OF_CREDITS}\ncurrency = {{"),
    );
    scratch.edit("spec/gateway.toml", "Person = {", &format!("{VALUE}\nPerson = {{"));
    scratch.regenerate();
    scratch.lints(&["-p", "gateway-server", "--all-features"]);
    scratch.checks(&["--workspace", "--all-features", "--tests"]);

    scratch.edit(
        "spec/gateway.toml",
        "\n# ---- Examples",
        &format!("{OPERATION}\n# ---- Examples"),
    );
    scratch.write("spec/fixtures/portals.json", r#"[{"id":"3","name":"Northwind Jobs"}]"#);
    scratch.regenerate();

    // A crate that calls the addition from both clients, with the parameter that needs another.
    scratch.write("crates/apps/probe/Cargo.toml", PROBE_MANIFEST);
    scratch.write("crates/apps/probe/src/lib.rs", PROBE);
    scratch.lacks_only_the_call();
    // The table has the new column, and the new list has a table.
    scratch.write("crates/apps/probe/tests/mirror.rs", MIRROR);
    scratch.tests(&["-p", "probe"]);
    // The program with sample data needs the server.
    scratch.checks(&["-p", "gateway-cli", "--no-default-features"]);

    // A command in the program, a selector of the server.
    scratch.contains("crates/apps/gateway-cli/src/generated/commands.rs", "ListPortals");
    scratch.contains("crates/apps/gateway-server/src/generated/operations.rs", "\"portals/list\"");
    scratch.contains(
        "docs/generated/operations/list-portals.md",
        "method=portals/list&country=31&region=4",
    );
    scratch.contains("docs/generated/openapi/list-portals.json", "\"const\": \"portals/list\"");
}

/// A copy of this workspace.
struct Scratch {
    root: PathBuf,
}

impl Scratch {
    fn new(name: &str) -> Self {
        let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evolution").join(name);
        let to = workspace.join(name);
        for folder in ["crates", "xtask", "tests", "spec", "docs"] {
            copy(&root().join(folder), &to.join(folder));
        }
        for file in [".rustfmt.toml", ".clippy.toml", "README.md"] {
            write_if_new(&to.join(file), &fs::read(root().join(file)).unwrap());
        }
        write_if_new(&workspace.join("Cargo.lock"), &fs::read(root().join("Cargo.lock")).unwrap());
        let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let (start, rest) = manifest.split_once("members = [").unwrap();
        let (_, end) = rest.split_once(']').unwrap();
        let members = ["apps/*", "gateway-*", "methodical/*"];
        let members = members.map(|folder| format!("\"{name}/crates/{folder}\"")).join(", ");
        let manifest = format!("{start}members = [{members}]{end}")
            .replace("default-members = [\"crates/apps/gateway-cli\"]\n", "")
            .replace("\"crates/", &format!("\"{name}/crates/"));
        write_if_new(&workspace.join("Cargo.toml"), manifest.as_bytes());
        Self { root: to }
    }

    fn write(&self, path: &str, text: &str) {
        write_if_new(&self.root.join(path), text.as_bytes());
    }

    #[track_caller]
    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.root.join(path)).unwrap();
        assert!(text.contains(from), "no `{from}` in {path}");
        self.write(path, &text.replacen(from, to, 1));
    }

    #[track_caller]
    fn contains(&self, path: &str, text: &str) {
        let found = fs::read_to_string(self.root.join(path)).unwrap();
        assert!(found.contains(text), "no `{text}` in {path}");
    }

    #[track_caller]
    fn regenerate(&self) {
        let outcome = methodical_codegen::cli::run(&["generate".to_owned()], &self.root);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    }

    #[track_caller]
    fn checks(&self, arguments: &[&str]) {
        let (passed, stderr) = self.cargo("check", arguments);
        assert!(passed, "cargo check {}:\n{stderr}", arguments.join(" "));
    }

    #[track_caller]
    fn tests(&self, arguments: &[&str]) {
        let (passed, stderr) = self.cargo("test", arguments);
        assert!(passed, "cargo test {}:\n{stderr}", arguments.join(" "));
    }

    #[track_caller]
    fn lints(&self, arguments: &[&str]) {
        let strict = ["--", "-D", "warnings"];
        let (passed, stderr) = self.cargo("clippy", &[arguments, &strict].concat());
        assert!(passed, "cargo clippy {}:\n{stderr}", arguments.join(" "));
    }

    /// Checks that the workspace has one error: the server, which is written by hand, does not call the new operation.
    #[track_caller]
    fn lacks_only_the_call(&self) {
        let (_, stderr) = self.cargo("check", &["--workspace", "--all-features", "--keep-going"]);
        let errors: Vec<_> = stderr.lines().filter(|line| line.contains(": error")).collect();
        let [error] = errors[..] else { panic!("{stderr}") };
        assert!(error.contains("crates/apps/gateway-server/src/storage.rs:"), "{error}");
        assert!(error.contains("Operation::ListPortals` not covered"), "{error}");
    }

    fn cargo(&self, command: &str, arguments: &[&str]) -> (bool, String) {
        let build = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args([command, "--offline", "--quiet", "--message-format", "short"])
            .args(arguments)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", build)
            .env("CARGO_INCREMENTAL", "1");
        let output = output(&mut cargo, CARGO_LIMIT);
        let text = [output.stderr, output.stdout].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Copies the changed files of one folder to another. Unchanged files keep their modification time, so that nothing is
/// built again.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(to).unwrap() {
        let entry = entry.unwrap();
        if !from.join(entry.file_name()).exists() {
            let is_folder = entry.file_type().unwrap().is_dir();
            let remove = if is_folder { fs::remove_dir_all } else { fs::remove_file };
            remove(entry.path()).unwrap();
        }
    }
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        // A nested workspace, such as the fuzz targets, may have been built.
        if entry.file_name() == "target" {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            write_if_new(&target, &fs::read(entry.path()).unwrap());
        }
    }
}

fn write_if_new(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if fs::read(path).ok().as_deref() != Some(content) {
        fs::write(path, content).unwrap();
    }
}

/// Maximum time of a cargo command: on a busy machine, the first one builds the dependencies for minutes.
const CARGO_LIMIT: Duration = Duration::from_secs(30 * 60);

const FIELD: &str = r#"language = { type = "text", presence = "optional", doc = "The language." }"#;

const FIELDS_OF_VACANCIES: &str = r#"
since = { type = "CivilDateTime", presence = "optional", doc = "The date." }
size = { type = "integer", presence = "optional", doc = "The number of positions." }"#;

const FIELD_OF_CREDITS: &str =
    r#"reserved = { type = "DecimalText", presence = "optional", doc = "The reserved part." }"#;

const VALUE: &str = r#"Company = { wire = "company", doc = "A company." }"#;

const OPERATION: &str = r#"
[model.Country]
identity = "id"
doc = "A country with portals."
[model.Country.field]
id = { type = "PortalId", presence = "required", doc = "The identifier." }
name = { type = "text", presence = "optional", doc = "The name." }

[operation.list_portals]
select = "portals/list"
doc = "Lists the portals."
response.list = { of = "Country" }
[operation.list_portals.param]
country = { type = "integer", doc = "Only portals of this country." }
open = { type = "boolean", doc = "Only portals that are open." }
region = { type = "integer", needs = ["country"], doc = "Only portals of this region." }

[[example]]
name = "portals"
operation = "list_portals"
doc = "Portals of a region."
params = { country = 31, region = 4 }
query = "method=portals/list&country=31&region=4"
response = "fixtures/portals.json"
"#;

const PROBE_MANIFEST: &str = r#"
[package]
name = "probe"
version = "0.0.0"
edition = "2024"

[dependencies]
gateway-client.workspace = true
gateway-testkit = { workspace = true, features = ["mocks"] }
wiremock.workspace = true

[dev-dependencies]
gateway-client = { workspace = true, features = ["reqwest", "ureq"] }
methodical-mirror.workspace = true
serde_json.workspace = true
tempfile.workspace = true
tokio = { workspace = true, features = ["macros", "rt"] }
"#;

const MIRROR: &str = include_str!("../mirror/addition.rs");

const PROBE: &str = r#"//! Calls the additions.
use gateway_client::model::{Candidate, CandidateKind, Country, ListPortals};
use gateway_client::{Client, Error, blocking};
use gateway_testkit::mocks::{Mock, MockedCall};

pub async fn ask(client: &Client) -> Result<Vec<Country>, Error> {
    Ok(client.send(&ListPortals::new().country_region(31, 4)).await?.items)
}

pub fn ask_and_wait(client: &blocking::Client) -> Result<Vec<Country>, Error> {
    Ok(client.send(&ListPortals::new().country(31))?.items)
}

pub fn mock() -> MockedCall {
    Mock::of(&ListPortals::new().country(31)).only().answers(&[Country::new("3")])
}

pub fn additions(candidate: &Candidate) -> (Option<&str>, CandidateKind) {
    (candidate.language.as_deref(), CandidateKind::Company)
}
"#;
