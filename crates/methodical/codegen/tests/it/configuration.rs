//! The configuration: which crates and documents are generated, and what is wrong with a bad one.

use std::fs;
use std::path::Path;

use methodical_codegen::config::Config;
use methodical_codegen::emit::GeneratedFile;

use crate::{good, read, service};

#[track_caller]
fn config(text: &str) -> Config {
    Config::parse(text.as_bytes(), "spec/codegen.toml")
        .unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Generates all files of a small service.
fn files(config: Config) -> Vec<GeneratedFile> {
    crate::files(service(read(good())), config)
}

#[test]
fn only_configured_crates_and_documents_are_generated() {
    assert_eq!(files(config("spec = 'spec/shed.toml'")), []);
    let openapi = config("spec = 'spec/shed.toml'\n[documents]\nopenapi = 'openapi'");
    let paths: Vec<_> = files(openapi).into_iter().map(|file| file.path).collect();
    assert_eq!(paths, ["openapi/list-tools.json"]);
}

/// A generated file names no crate, folder or command of this workspace.
#[test]
fn all_names_are_those_of_the_configuration() {
    let shed = config(
        "spec = 'api/shed.toml'
        command = 'make code'
        [crate]
        model = { name = 'shed-types', folder = 'types' }
        client = { name = 'shed-http' }
        testkit = { name = 'shed-fakes', folder = 'test/fakes' }
        server = { name = 'shed-service' }
        cli = { name = 'shed' }
        [documents]
        contract = 'CONTRACT.md'
        reference = 'book/api'
        openapi = 'openapi'
        json-schema = 'book/api/schema'
        data-contract = 'api/contract.yaml'
        spec-schema = 'api/schema.json'",
    );
    let files = files(shed);
    let folders = ["api/", "book/", "crates/shed", "openapi/", "test/fakes/", "types/"];
    for GeneratedFile { path, text } in &files {
        assert!(folders.iter().any(|folder| path.starts_with(folder)), "{path}");
        let gateway = ["gateway-model", "gateway_model::", "gateway_client::", "xtask", "spec/"];
        for name in gateway {
            assert!(!text.contains(name), "{path} contains `{name}`");
        }
    }
    let text = |path: &str| {
        &files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}")).text
    };
    assert!(text("types/src/generated/queries.rs").contains("use shed_types::{ListTools,"));
    assert!(text("crates/shed/src/generated/commands.rs").contains("use shed_http::{model};"));
    assert!(text("types/src/generated/service.rs").contains("concat!(\"shed-http/\""));
    assert!(text("test/fakes/src/generated/mocks.rs").contains("use shed_types::{ListTools};"));
    let index = text("book/api/README.md");
    assert!(index.contains("the [contract](../../CONTRACT.md)"));
    assert!(index.contains("the [OpenAPI documents](../../openapi)"));
    assert!(index.contains("the [JSON Schemas](schema)"));
    assert!(index.contains("the [data contract](../../api/contract.yaml)"));
    assert!(text("api/contract.yaml").contains("\"name\": \"tool\""));
}

#[track_caller]
fn rejects(text: &str, expected: &str) {
    let rejected = Config::parse(text.as_bytes(), "spec/codegen.toml").expect_err("it is bad");
    assert_eq!(rejected.text.trim_end(), expected.trim_start(), "{}", rejected.text);
}

#[test]
fn mistakes_are_reported_with_their_place() {
    rejects(
        "command = 'make'",
        "
error: missing key `spec`
 --> spec/codegen.toml:1:1
  |
1 | command = 'make'
  | ^",
    );
    rejects(
        "spec = 'spec/a.toml'\n[crate]\nmodle = { name = 'a-model' }",
        "
error: unknown key `modle` in `crate`
 --> spec/codegen.toml:3:1
  |
3 | modle = { name = 'a-model' }
  | ^^^^^
  |
  = help: did you mean `model`?",
    );
    rejects(
        "spec = 'spec/a.toml'\n[crate]\nmodel = { name = 'a-model', folder = '../a' }",
        "
error: `folder` must be a relative path without `..` or spaces, such as `fixtures/credits.json`
 --> spec/codegen.toml:3:38
  |
3 | model = { name = 'a-model', folder = '../a' }
  |                                      ^^^^^^",
    );
    rejects(
        "spec = 'spec/a.toml'\n[crate]\nclient = { name = 'a' }\ncli = { name = 'a' }",
        "
error: the crate `client` uses the crate `model`, which is missing
 --> spec/codegen.toml:3:1
  |
3 | client = { name = 'a' }
  | ^^^^^^
  |
  = help: add `model = { name = \"…\" }`

error: another crate has the name `a` or the folder `crates/a`
 --> spec/codegen.toml:4:1
  |
4 | cli = { name = 'a' }
  | ^^^
  |
  = help: give each crate its own name and folder",
    );
}

/// The guide shows the configuration of this workspace.
#[test]
fn the_example_of_the_guide_is_ours() {
    let spec = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../spec"));
    let guide = fs::read_to_string(spec.join("README.md")).expect("it is there");
    let section = guide.split("\n## Configuration\n").nth(1).expect("the section");
    let block = section.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let ours = fs::read_to_string(spec.join("codegen.toml")).expect("it is there");
    assert_eq!(config(block.expect("an example")), config(&ours));
}
