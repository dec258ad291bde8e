//! Workspaces for other services, which `init` creates outside this one: they compile without warnings, with other
//! crate names. One follows the guide "Use it for your own API", up to a program of ten lines that calls a service.

use std::fs;
use std::path::Path;

use tokio::runtime::Runtime;
use wiremock::matchers::{header, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::new_workspace::{STRICT, Workspace, passes};

const GUIDE: &str = include_str!("../../docs/another-service.md");

#[test]
fn the_guide_leads_to_a_program_that_calls_the_service() {
    let parent = tempfile::tempdir().unwrap();
    let workspace = Workspace::start(parent.path(), "photos");
    workspace.passes("fmt", &["--check"]);
    let demo = workspace.passes("run", &["--example", "demo"]);
    assert!(demo.contains("\"Hammer\"") && demo.contains("\"Saw\""), "{demo}");
    let items = workspace.passes("run", &["--", "--demo", "items", "list", "--shelf=3"]);
    assert!(items.contains("\"Hammer\""), "{items}");

    let spec = fs::read_to_string(workspace.root.join("spec/photos.toml")).unwrap();
    workspace.write("spec/photos.toml", &format!("{spec}\n{}", block("toml")));
    workspace.write("spec/fixtures/a-shelf.json", block("json"));
    workspace.write("crates/photos-client/examples/shelf.rs", block("rust"));
    workspace.generator(&["generate"]);
    workspace.passes("clippy", STRICT);
    workspace.passes("test", &["--all-features"]);

    let service = Runtime::new().unwrap().block_on(service());
    let mut program = workspace.cargo("run", &["--example", "shelf"]);
    program.env("PHOTOS_URL", service.uri()).env("PHOTOS_TOKEN", "secret");
    assert_eq!(passes(&mut program), "2 items on the shelf Tools\n");
}

/// A service with every feature of the spec language and with hostile text.
#[test]
fn another_service_compiles() {
    compiles("tool-shed");
}

/// A service with every type of language 2 in its records. Its decoders accept what its JSON Schemas accept.
#[test]
fn the_types_of_language_2_compile_and_keep_their_values() {
    let parent = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recipe-box");
    let workspace = workspace_of("recipe-box", parent.path());
    for test in ["models.rs", "schemas.rs"] {
        let text = fs::read_to_string(fixture.join(test)).unwrap();
        workspace.write(&format!("crates/recipe-box-model/tests/{test}"), &text);
    }
    let shared = include_str!("../it/schemas/agree.rs");
    workspace.write("crates/recipe-box-model/tests/support/agree.rs", shared);
    let manifest = "crates/recipe-box-model/Cargo.toml";
    let text = fs::read_to_string(workspace.root.join(manifest)).unwrap();
    workspace.write(manifest, &(text + DEPENDENCIES));
    let config = fs::read_to_string(workspace.root.join("spec/codegen.toml")).unwrap();
    workspace.write("spec/codegen.toml", &config.replace("# json-schema =", "json-schema ="));
    workspace.generator(&["generate"]);
    workspace.passes("clippy", STRICT);
    workspace.passes("test", &["--all-features"]);
}

/// A service whose bodies report failures, with data in all places and lists in pages: its client understands its
/// mocks.
#[test]
fn a_service_with_failures_in_its_bodies_works() {
    let parent = tempfile::tempdir().unwrap();
    let workspace = workspace_of("photo-finder", parent.path());
    for (name, test) in [
        ("failures", include_str!("../fixtures/photo-finder/failures.rs")),
        ("pages", include_str!("../fixtures/photo-finder/pages.rs")),
        ("values", include_str!("../fixtures/photo-finder/values.rs")),
    ] {
        workspace.write(&format!("crates/photo-finder-client/tests/{name}.rs"), test);
    }
    workspace.passes("clippy", STRICT);
    workspace.passes("test", &["--all-features", "--package", "photo-finder-client"]);
}

/// A minimal service, which uses little of the runtime.
#[test]
fn the_smallest_service_compiles() {
    compiles("one-thing");
}

/// A service in language 2 whose operations two parameters select, with constants.
#[test]
fn a_service_with_two_selectors_compiles() {
    compiles("ledger");
}

/// A service in language 2 whose operations the path selects, with lists in pages by offset.
#[test]
fn a_service_with_operations_in_the_path_works() {
    let parent = tempfile::tempdir().unwrap();
    let workspace = workspace_of("lead-desk", parent.path());
    let test = include_str!("../fixtures/lead-desk/pages.rs");
    workspace.write("crates/lead-desk-client/tests/pages.rs", test);
    workspace.passes("clippy", STRICT);
    workspace.passes("test", &["--all-features", "--package", "lead-desk-client"]);
}

/// A service in language 2 whose calls are all by POST, with the selector and the secrets in the form.
#[test]
fn a_service_called_by_post_compiles() {
    compiles("box-office");
}

/// A service whose names are all in use in the generated code.
#[test]
fn taken_names_compile() {
    compiles("taken-names");
}

/// Compiles all crates, tests and examples of a service without warnings.
#[track_caller]
fn compiles(service: &str) {
    let parent = tempfile::tempdir().unwrap();
    workspace_of(service, parent.path()).passes("clippy", STRICT);
}

/// Starts a workspace with the spec of a fixture.
fn workspace_of(service: &str, parent: &Path) -> Workspace {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let workspace = Workspace::start(parent, service);
    let spec = fixtures.join(service).join("spec.toml");
    workspace.describe(&format!("spec/{service}.toml"), &spec);
    workspace
}

/// Starts a service that sends the guide's responses.
async fn service() -> MockServer {
    let service = MockServer::start().await;
    let items = r#"[{"id":"i-1"},{"id":"i-2"}]"#;
    for (method, body) in [("shelves/get", block("json")), ("items/list", items)] {
        Mock::given(query_param("method", method))
            .and(header("authorization", "Bearer secret"))
            .respond_with(ResponseTemplate::new(200).set_body_raw(body, "application/json"))
            .mount(&service)
            .await;
    }
    service
}

/// Returns the first block of code of the guide in a language.
fn block(language: &str) -> &'static str {
    let (_, rest) = GUIDE.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

/// The last lines of the development dependencies. Our own tests use the same features, so no crate is built again.
const DEPENDENCIES: &str = r#"arbitrary = "1"
jsonschema = { version = "0.60", default-features = false }
proptest = { version = "1", default-features = false, features = ["std"] }
serde = { version = "1", default-features = false }
"#;
