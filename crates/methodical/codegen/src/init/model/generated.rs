//! The generated files match the spec.

use std::error::Error;
use std::path::Path;

use methodical_codegen::Workspace;

#[test]
fn generated_files_match_the_spec() -> Result<(), Box<dyn Error>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let drifts = Workspace::read(root, "«folder»/codegen.toml")?.generate()?.compare(root)?;
    assert_eq!(drifts, [], "run `methodical-codegen generate`");
    Ok(())
}
