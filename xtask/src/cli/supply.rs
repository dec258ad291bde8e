//! `cargo xtask sbom` and `cargo xtask notices`.

use std::path::Path;

use methodical_codegen::cli::Outcome;

use crate::components::{Component, components};
use crate::{notices, sbom};

pub(super) fn sbom(root: &Path, package: &str, selection: &[&str]) -> Outcome {
    print(root, package, selection, sbom::bill_of_materials)
}

pub(super) fn notices(root: &Path, package: &str, selection: &[&str]) -> Outcome {
    print(root, package, selection, notices::notices)
}

fn print(
    root: &Path,
    package: &str,
    selection: &[&str],
    write: fn(&str, &[Component]) -> Result<String, String>,
) -> Outcome {
    let selection: Vec<String> = selection.iter().map(|word| (*word).to_owned()).collect();
    let written =
        components(root, package, &selection).and_then(|components| write(package, &components));
    match written {
        Ok(text) => Outcome::fine(text),
        Err(error) => Outcome::failed(1, format!("error: {error}\n")),
    }
}
