//! Sample services in one workspace: only their specs and the responses of their examples were written by hand. Their
//! crates compile without warnings, and their clients and programs read what their mocks send.

use std::fmt::Write as _;
use std::path::Path;

use crate::new_workspace::{STRICT, Workspace};

#[test]
fn the_samples_share_a_workspace_and_work() {
    let parent = tempfile::tempdir().unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let spec = |name: &str| samples.join(name).join("spec.toml");
    let workspace = Workspace::start(parent.path(), "photo-share");
    workspace.describe("spec/photo-share.toml", &spec("photo-share"));
    for name in ["wiki", "crm", "campus"] {
        workspace.generator(&["add", name]);
        workspace.describe(&format!("spec/{name}/{name}.toml"), &spec(name));
    }
    workspace.generator(&["generate", "--check"]);
    workspace.write("crates/mirror/Cargo.toml", &MANIFEST.replace("«root»", ROOT));
    workspace.write("crates/mirror/tests/mirror.rs", MIRROR);
    workspace.write("crates/mirror/src/lib.rs", "//! Has only tests.\n");
    workspace.passes("clippy", STRICT);
    workspace.passes("test", &["--all-features"]);

    let mut printed = String::new();
    for command in [
        "photo-share photos search --text=sea --per-page=2",
        "photo-share photos search --text=sea --per-page=2 --limit=1",
        "photo-share api photos.search -f text=sea -f per_page=2 --jq .photos.pages",
        "photo-share photos search --text=hut --tags=alps,snow",
        "photo-share photos getInfo --photo-id=53201",
        "wiki query allpages --aplimit=2",
        "wiki query pages --titles=Sea",
        "crm crm.lead list",
        "crm crm.lead list --limit=1",
        "crm crm.lead get --id=17",
        "crm crm.lead add --title=Attic --value=900",
        "crm crm.lead add --title=Attic --value=900 -o csv",
        "crm crm.lead tags",
        "crm crm.lead tags -o csv",
        "crm crm.lead stages",
        "crm crm.lead stages -o ndjson",
        "crm crm.lead stages --jq .NEW",
        "crm crm.lead delete --id=17",
        "crm crm.lead delete --id=17 -o raw",
        "campus core_user_get_users_by_field --field=id --values=7,8",
        "campus core_user_get_users --key=lastname --value=Sm%",
        "campus core_course_delete_modules --cmids=41,42",
    ] {
        let (program, arguments) = command.split_once(' ').unwrap();
        let arguments = arguments.split(' ');
        let arguments: Vec<_> =
            ["--bin", program, "--", "--demo"].into_iter().chain(arguments).collect();
        let output = workspace.passes("run", &arguments);
        writeln!(printed, "$ {command}\n{output}").unwrap();
    }
    insta::assert_snapshot!(printed);
}

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const MIRROR: &str = include_str!("../mirror/samples.rs");

/// The crate with the tests of a mirror.
const MANIFEST: &str = r#"
[package]
name = "mirror-of-samples"
version = "0.0.0"
edition = "2024"

[dev-dependencies]
crm-client = { path = "../crm-client", features = ["ureq"] }
crm-model = { path = "../crm-model" }
crm-testkit = { path = "../crm-testkit" }
methodical-mirror = { path = "«root»/crates/methodical/mirror" }
tempfile = "3"
tokio.workspace = true
wiki-client = { path = "../wiki-client", features = ["ureq"] }
wiki-model = { path = "../wiki-model" }
wiki-testkit = { path = "../wiki-testkit" }
wiremock.workspace = true
"#;
