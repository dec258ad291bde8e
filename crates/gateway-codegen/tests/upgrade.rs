//! A spec of language 1 is rewritten in language 2 and describes the same service.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot start has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use gateway_codegen::ir::Service;
use gateway_codegen::spec::{Reading, read_alone, read_bytes, read_file, upgrade, upgrade_file};
use gateway_codegen::{Config, Project, cli, diff, emit};

fn here() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

/// The specs of language 1 in this repository.
fn specs() -> Vec<PathBuf> {
    let root = here().join("../../..");
    let mut specs = vec![here().join("good-spec.toml")];
    for service in fs::read_dir(root.join("tests/fixtures")).expect("a folder") {
        specs.push(service.expect("an entry").path().join("spec.toml"));
    }
    let is_older = |path: &PathBuf| {
        fs::read_to_string(path).is_ok_and(|text| text.contains("\nspec-language = 1\n"))
            || path.ends_with("good-spec.toml")
    };
    specs.retain(is_older);
    specs
}

fn service(reading: Reading) -> Service {
    reading.service.unwrap_or_else(|| panic!("{}", reading.report))
}

#[test]
fn everything_that_is_generated_is_the_same() {
    let config = include_bytes!("../../../spec/codegen.toml");
    let config = Config::parse(config).expect("it is valid");
    let specs = specs();
    assert!(specs.len() >= 5, "{specs:?}");
    for path in specs {
        let folder = path.parent().expect("a folder");
        let old = service(read_file(&path, "spec.toml"));
        let new = upgrade_file(&path, "spec.toml").expect("it is valid").expect("it is older");
        assert!(new.contains("spec-language = 2\n"), "{new}");
        let new = service(read_bytes(new.as_bytes(), folder, "spec.toml"));
        assert!(diff::changes(&old, &new).is_empty());
        assert_ne!(old.spec_hash, new.spec_hash);
        let all = |service| emit::all(&Project { service, config: &config });
        let files = all(&old).into_iter().zip(all(&new));
        for (old, new) in files {
            assert_eq!((old.path, old.text), (new.path, new.text));
        }
    }
}

/// A released spec stays in its language. A later one is compared with it.
#[test]
fn a_released_spec_is_compared_across_languages() {
    let released = here().join("../../../spec/released/1.0.0.toml");
    let bytes = fs::read(&released).expect("a spec");
    let new = upgrade(&bytes, None, "spec.toml").expect("it is valid").expect("it is older");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("spec.toml");
    let read_new = |text: &str| {
        fs::write(&path, text).expect("a file");
        service(read_alone(&path, "spec.toml"))
    };
    let old = service(read_alone(&released, "spec.toml"));
    assert!(diff::changes(&old, &read_new(&new)).is_empty());
    let changed = new.replace("is = [\"success\"]", "is = [\"ok\"]");
    assert_eq!(diff::changes(&old, &read_new(&changed)).len(), 1);
}

#[test]
fn a_rewritten_spec_is_not_rewritten_again() {
    let old = fs::read(here().join("good-spec.toml")).expect("a spec");
    let new = upgrade(&old, Some(here()), "spec.toml").expect("it is valid").expect("it is older");
    assert_eq!(upgrade(new.as_bytes(), Some(here()), "spec.toml"), Ok(None));
}

/// The head of a spec in one layout, and the rest of it.
fn in_layout(head: &str, response: &str) -> String {
    let good = fs::read_to_string(here().join("good-spec.toml")).expect("a spec");
    let rest = good.split_once("[scalar.ToolId]").expect("a scalar").1;
    let rest = rest.replace("response.array = { of = \"Tool\" }\n", response);
    format!("{head}[scalar.ToolId]{rest}")
}

const HEAD: &str = r#"# The shed.
spec-language = 1 # old

[service]
name = "tool-shed"
title = "Tool shed"
version = "1.0.0"
api-version = "v2"
path = "/api/v2"
# The parameter that selects.
selector = "call" # not `method`
accept = "application/json"
auth = "bearer"
doc = "Lends tools to neighbours."
# source = "1"

# ---- Scalars

"#;

const ENVELOPED: &str = "response.envelope = { marker = \"ok\", success = \"yes\", items = \"tools\", of = \"Tool\" } # a list\n";

#[test]
fn comments_and_layout_are_kept() {
    let old = in_layout(HEAD, "response.array = { of = \"Tool\" } # all\n");
    let new = upgrade(old.as_bytes(), Some(here()), "spec.toml").expect("it is valid");
    insta::assert_snapshot!(new.expect("it is older"));
}

#[test]
fn every_layout_is_rewritten() {
    let inline = HEAD.split_once("[service]").expect("a table").0.to_owned()
        + r#"service = { name = "tool-shed", title = "Tool shed", version = "1.0.0", api-version = "v2", path = "/api/v2", accept = "application/json", doc = "Lends.", selector = "call", auth = "bearer" }
"#;
    let (top, lines) = HEAD.split_once("[service]\n").expect("a table");
    let mut dotted = top.to_owned();
    for line in lines.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        dotted.extend(["service.", line, "\n"]);
    }
    let table = "[operation.list_tools.response.envelope]\nmarker = \"ok\"\nsuccess = \"yes\" # or no\nitems = \"tools\"\nof = \"Tool\"\n";
    let nested = "response = { envelope = { of = \"Tool\", items = \"tools\", marker = \"ok\", success = \"yes\" } }\n";
    let by_key = "response.envelope.marker = \"ok\"\nresponse.envelope.items = \"tools\"\nresponse.envelope.success = 'yes'\nresponse.envelope.of = \"Tool\"\n";
    for head in [HEAD, &inline, &dotted, &HEAD.replace('\n', "\r\n")] {
        for response in [ENVELOPED, table, nested, by_key] {
            let old = in_layout(head, response).replace("bad-specs/fixtures/tools.json", FIXTURE);
            let folder = tempfile::tempdir().expect("a folder");
            fs::write(folder.path().join(FIXTURE), BODY).expect("a file");
            let new = upgrade(old.as_bytes(), Some(folder.path()), "spec.toml");
            let new = new.unwrap_or_else(|report| panic!("{report}\n{old}")).expect("it is older");
            let new = new.replace("\r\n", "\n");
            assert!(new.contains("\n[envelope.ok]\nsuccess = { at = \"ok\", is = ["), "{new}");
        }
    }
}

const FIXTURE: &str = "tools.json";
const BODY: &str = r#"{"ok":"yes","tools":[{"id":"7"}]}"#;

#[test]
fn a_key_with_a_dot_is_refused() {
    let response = ENVELOPED.replace("\"tools\"", "\"all.tools\"");
    let old = in_layout(HEAD, &response).replace("bad-specs/fixtures/tools.json", FIXTURE);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(FIXTURE), BODY.replace("tools", "all.tools")).expect("a file");
    let refused = upgrade(old.as_bytes(), Some(folder.path()), "spec.toml").unwrap_err();
    insta::assert_snapshot!(refused.text);
}

#[test]
fn the_command_rewrites_the_spec_of_a_workspace() {
    let root = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &[u8]| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let album = here().join("../../../tests/fixtures/photo-album");
    let old = fs::read_to_string(album.join("spec.toml")).expect("a spec");
    write("spec/codegen.toml", b"spec = \"spec/album.toml\"\ncommand = \"gateway-codegen generate\"\n\n[crate]\nmodel = { name = \"album-model\" }\n");
    write("spec/album.toml", old.as_bytes());
    for fixture in fs::read_dir(album.join("fixtures")).expect("a folder") {
        let path = fixture.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        write(&format!("spec/fixtures/{name}"), &fs::read(&path).expect("a fixture"));
    }
    let run = |args: &[&str]| {
        let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        cli::run("gateway-codegen", &args, root.path())
    };
    let spec = || fs::read_to_string(root.path().join("spec/album.toml")).expect("a spec");

    let printed = run(&["spec", "upgrade", "--print"]);
    assert_eq!((printed.code, printed.stderr.as_str(), spec()), (0, "", old));
    let written = run(&["spec", "upgrade"]);
    assert_eq!((written.code, spec()), (0, printed.stdout));
    let again = run(&["spec", "upgrade"]);
    let print_again = run(&["spec", "upgrade", "--print"]);
    insta::assert_snapshot!([written.stdout, again.stdout, print_again.stderr].join("---\n"));
}

/// A marker of language 2 is also the boolean or the number with its text.
#[test]
fn a_marker_that_is_only_a_string_stays_in_its_language() {
    let path = here().join("good-spec.toml");
    let spec = fs::read_to_string(&path).expect("a spec");
    let list = r#"response.array = { of = "Tool" }"#;
    assert!(spec.contains(list), "{spec}");
    let marked =
        r#"response.envelope = { marker = "ok", success = "1", items = "tools", of = "Tool" }"#;
    let spec = spec.replace(list, marked);
    let report = upgrade(spec.as_bytes(), None, "spec.toml").expect_err("it is not the same");
    let message = "language 2 cannot express a marker that must be the string `1`";
    assert!(report.text.contains(message), "{report}");
}
