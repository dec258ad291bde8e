//! The generated files of a service with every feature that our own lacks: a few whole, the others by a hash.
//! `cargo xtask --check` compares the files of this workspace.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use methodical_codegen::output::Output;
use methodical_codegen::spec::read_file;

use crate::{ROOT, config, service, workspace};

/// After a change, the new files are in `target/tmp/every-feature`; compare them with those of the commit before.
#[test]
fn files_of_a_service_with_every_feature() {
    let spec = Path::new(ROOT).join("tests/fixtures/every-feature/spec.toml");
    let workspace = workspace(service(read_file(&spec, "spec.toml")), config());
    let output = workspace.generate().expect("rustfmt runs");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/generated");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let mut hashes = String::new();
        for (path, text) in output.files() {
            assert!(is_declared(&output, path), "no root declares the module {path}");
            let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("every-feature").join(path);
            fs::create_dir_all(copy.parent().expect("a folder")).expect("created");
            fs::write(copy, text).expect("written");
            let name = path.rsplit_once("generated/").map_or("", |(_, name)| name);
            if WHOLE.contains(&name) {
                insta::assert_snapshot!(path.as_str(), text);
            } else if HASHED.contains(&name) {
                writeln!(hashes, "{:016x} {path}", hash(text)).expect("memory");
            }
        }
        insta::assert_snapshot!("hashes", hashes);
    });
}

/// Returns whether the root of the generated modules of a crate declares a file, if that is one of them.
fn is_declared(output: &Output, path: &str) -> bool {
    let Some((krate, module)) = path.split_once("/src/generated/") else { return true };
    let root = output.files().get(&format!("{krate}/src/generated.rs"));
    root.is_some_and(|root| root.contains(&format!("mod {};", module.trim_end_matches(".rs"))))
}

/// Returns the hash of a text by FNV-1a.
fn hash(text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The files that show the features at a glance.
const WHOLE: [&str; 5] = [
    "datacontract.yaml",
    "json-schema/photo.json",
    "operations/search-photos.md",
    "service.rs",
    "tables.rs",
];

/// The files of this workspace show the others, which do not depend on the features. No server can have all of them.
const HASHED: [&str; 7] = [
    "commands.rs",
    "contract.rs",
    "mocks.rs",
    "openapi/add-photo.json",
    "queries.rs",
    "types.md",
    "types.rs",
];
