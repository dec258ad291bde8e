//! The command line of `cargo xtask`: the generator's commands, and the checks of this workspace.

use std::path::Path;

use methodical_codegen::cli::{self as generator, Outcome};

use crate::components::{Component, components};
use crate::{notices, sbom};

mod checks;

/// Runs the command in the arguments, which do not include the name of the program.
pub fn run(args: &[String], root: &Path) -> Outcome {
    let words: Vec<_> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        [.., "-h" | "--help" | "help"] => Outcome::fine(HELP),
        ["layers"] => checks::layers(root),
        ["transports"] => checks::transports(root),
        ["ci"] => checks::ci(root),
        ["sbom", package, selection @ ..] => {
            program(root, package, selection, sbom::bill_of_materials)
        }
        ["notices", package, selection @ ..] => program(root, package, selection, notices::notices),
        [] | ["--check"] => generator::run(&[&["generate".to_owned()], args].concat(), root),
        ["spec", ..] => generator::run(args, root),
        [other, ..] => generator::unknown(other, COMMANDS),
    }
}

/// Writes a document about the crates in a program.
fn program(
    root: &Path,
    package: &str,
    selection: &[&str],
    document: fn(&str, &[Component]) -> Result<String, String>,
) -> Outcome {
    match components(root, package, selection).and_then(|crates| document(package, &crates)) {
        Ok(text) => Outcome::fine(text),
        Err(error) => Outcome::failed(1, format!("error: {error}\n")),
    }
}

const COMMANDS: &[&str] =
    &["--check", "spec", "layers", "transports", "sbom", "notices", "ci", "help"];

const HELP: &str = "\
Tasks of this workspace. Without a command, write all generated files from spec/gateway.toml.

Usage: cargo xtask [COMMAND]

  (none)                  check the spec and write the generated files
  --check                 check the spec and compare the generated files; write nothing

  spec check              check only the spec
  spec diff [OLD [NEW]]   list the changes since OLD (default: the last released spec), and
                          the versions that they require; fail if the version of the spec is
                          too low

  layers                  check the dependencies between the crates
  transports              run the conformance tests of all transports; write docs/transports.md
  sbom PACKAGE            print the bill of materials of a program (CycloneDX); further
                          arguments, such as --all-features, are those of cargo tree
  notices PACKAGE         print the licences of the crates in a program, with the same arguments
  ci                      run all checks that a change must pass (.ci/run)

Options:
  -h, --help              print this help

Exit codes: 0 success; 1 a check failed or a file could not be read or written; 2 the spec or the
command line is invalid, and no file was changed.
";
