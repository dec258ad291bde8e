//! What must hold of this workspace at any time: the same checks as on the command line.

#![expect(clippy::expect_used, reason = "a test that cannot start has failed")]

use std::path::Path;

use xtask::{cli, layers};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

#[test]
fn generated_files_are_what_the_spec_says() {
    let outcome = cli::run(&["--check".to_owned()], root());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

#[test]
fn every_crate_uses_only_what_it_may() {
    assert_eq!(layers::violations(root()).expect("cargo metadata runs"), [""; 0]);
}
