//! Every bad spec is rejected with a diagnostic at the mistake, without a panic.

use std::fs;
use std::path::Path;

use gateway_codegen::ir::Service;
use gateway_codegen::spec::{Reading, read_bytes, read_file};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad-specs"))
}

/// The diagnostics of each file in `bad-specs/` are a snapshot with the name of the file.
#[test]
fn each_bad_spec_has_its_diagnostics() {
    let mut specs: Vec<_> = fs::read_dir(folder())
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    specs.sort();
    assert!(specs.len() >= 70, "{} bad specs", specs.len());

    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("bad-specs/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for path in specs {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let reading = read_file(&path, "spec.toml");
        assert!(reading.service.is_none(), "{name} is accepted");
        assert!(reading.errors > 0, "{name} has no error");
        settings.bind(|| insta::assert_snapshot!(name, reading.report));
    }
}

/// Only a file that does not exist is reported as such. The text of the cause is that of the system.
#[test]
fn an_example_that_cannot_be_read_has_its_cause() {
    let spec = fs::read_to_string(folder().with_file_name("good-spec.toml")).expect("it is there");
    let spec = spec.replacen("fixtures/tools.json", "fixtures/tools.json/inside", 1);
    let parent = folder().parent().expect("it has one");
    let report = read_bytes(spec.as_bytes(), parent, "spec.toml").report;
    assert!(report.contains("cannot read `bad-specs/fixtures/tools.json/inside`: "), "{report}");
    assert!(!report.contains("no such file"), "{report}");
}

/// A spec that is truncated at any byte is read or rejected, without a panic.
#[test]
fn a_truncated_spec_does_not_panic() {
    let whole = fs::read(folder().with_file_name("good-spec.toml")).expect("it is there");
    let parent = folder().parent().expect("it has one");
    for end in 0..whole.len() {
        let reading = read_bytes(&whole[..end], parent, "spec.toml");
        assert_eq!(reading.service.is_some(), reading.errors == 0, "{end}: {}", reading.report);
    }
    let Reading { service, report, .. } = read_bytes(&whole, parent, "spec.toml");
    assert!(service.is_some(), "{report}");
    assert_eq!(report, "");
}

/// A spec of language 2 with only the features of language 1 describes the same service.
#[test]
fn both_languages_describe_the_same_service() {
    let read = |spec: &str, replacements: &[(&str, &str)]| {
        let mut text = fs::read_to_string(folder().with_file_name(spec)).expect("it is there");
        for (from, to) in replacements {
            assert!(text.contains(from), "{spec} has no `{from}`");
            text = text.replacen(from, to, 1);
        }
        let parent = folder().parent().expect("it has one");
        let reading = read_bytes(text.as_bytes(), parent, "spec.toml");
        assert_eq!(reading.report, "");
        Service { spec_hash: String::new(), ..reading.service.expect("it has no mistake") }
    };
    assert_eq!(read("good-spec.toml", &[]), read("good-spec-2.toml", &[]));

    let fixture = ("fixtures/tools.json", "fixtures/enveloped.json");
    let one = r#"envelope = { marker = "ok", success = "yes", items = "data", of = "Tool" }"#;
    let one = read("good-spec.toml", &[(r#"array = { of = "Tool" }"#, one), fixture]);
    let list = (r#"{ of = "Tool" }"#, r#"{ of = "Tool", at = "data", envelope = "marked" }"#);
    let default = (r#"{ of = "Tool" }"#, r#"{ of = "Tool", at = "data" }"#);
    let envelope = "[envelope.marked]\nsuccess = { at = \"ok\", is = [\"yes\"] }\n[dispatch]";
    let envelope = ("[dispatch]", envelope);
    let service = ("[service]", "[service]\nenvelope = \"marked\"");
    assert_eq!(one, read("good-spec-2.toml", &[list, envelope, fixture]));
    assert_eq!(one, read("good-spec-2.toml", &[default, service, envelope, fixture]));
}

/// The parser rejects deep nesting before any code recurses over it.
#[test]
fn deep_nesting_is_rejected() {
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(read_bytes(deep.as_bytes(), folder(), "spec.toml").errors > 0);
    let deep = format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read_bytes(deep.as_bytes(), folder(), "spec.toml").errors > 0);
    let dotted = format!("{}a = 1", "a.".repeat(100_000));
    assert!(read_bytes(dotted.as_bytes(), folder(), "spec.toml").errors > 0);
}

/// A spec of 50 MiB is rejected before it is parsed.
#[test]
fn a_huge_spec_is_rejected() {
    let large = vec![b'#'; 50 * 1024 * 1024];
    let Reading { report, .. } = read_bytes(&large, folder(), "spec.toml");
    assert_eq!(
        report,
        "spec.toml:1:1: error[GW001]: cannot read the spec: the file is larger than 4 MiB\n"
    );
}

/// A byte-order mark and Windows line endings do not change the result, including the hash.
#[test]
fn encodings_of_the_same_text_are_equal() {
    let text = fs::read_to_string(folder().with_file_name("good-spec.toml")).expect("it is there");
    let parent = folder().parent().expect("it has one");
    let plain = read_bytes(text.as_bytes(), parent, "spec.toml").service;
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert!(plain.is_some());
    assert_eq!(read_bytes(windows.as_bytes(), parent, "spec.toml").service, plain);
}
