//! The command line of `cargo xtask`: the generator's commands, and the documents of this workspace.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use methodical_codegen::cli::{self as generator, Outcome};

use crate::components::components;
use crate::{notices, sbom};

/// Runs the command in the arguments, which do not include the name of the program.
pub fn run(args: &[String], root: &Path) -> Outcome {
    let words: Vec<_> = args.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        [.., "-h" | "--help" | "help"] => Ok(HELP.to_owned()),
        ["transports"] => transports(root),
        ["sbom", package, selection @ ..] => components(root, package, selection)
            .and_then(|crates| sbom::bill_of_materials(package, &crates)),
        ["notices", package, selection @ ..] => components(root, package, selection)
            .and_then(|crates| notices::notices(package, &crates)),
        [] | ["--check"] => {
            return generator::run(&[&["generate".to_owned()], args].concat(), root);
        }
        ["spec", ..] => return generator::run(args, root),
        [other, ..] => return generator::unknown(other, COMMANDS),
    };
    match result {
        Ok(text) => Outcome::fine(text),
        Err(error) => Outcome::failed(1, format!("error: {error}\n")),
    }
}

const COMMANDS: &[&str] = &["--check", "spec", "transports", "sbom", "notices", "help"];

const HELP: &str = "\
Tasks of this workspace. Without a command, write all generated files from spec/gateway.toml.

Usage: cargo xtask [COMMAND]

  (none)                  check the spec and write the generated files
  --check                 check the spec and compare the generated files; write nothing

  spec diff [OLD [NEW]]   list the changes since OLD (default: the last released spec), and
                          the versions that they require; fail if the version of the spec is
                          too low

  transports              run the conformance tests of all transports; write docs/transports.md
  sbom PACKAGE            print the bill of materials of a program (CycloneDX); further
                          arguments, such as --all-features, are those of cargo tree
  notices PACKAGE         print the licenses of the crates in a program, with the same arguments

Options:
  -h, --help              print this help

Exit codes: 0 success; 1 a check failed or a file could not be read or written; 2 the spec or the
command line is invalid, and no file was changed.
";

/// Runs the conformance tests on every transport, and writes the results to the document.
fn transports(root: &Path) -> Result<String, String> {
    let ran = Command::new("cargo")
        .args(["run", "--quiet", "--package", "gateway-transport"])
        .args(["--example", "conformance_matrix"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let (path, matrix) = (root.join(TRANSPORTS), String::from_utf8_lossy(&ran.stdout));
    let written = fs::read_to_string(&path).map_err(|error| error.to_string()).and_then(|old| {
        let text = between(&old, &matrix);
        let text = text.ok_or_else(|| format!("`{BEGIN}` or `{END}` is missing"))?;
        fs::write(&path, text).map_err(|error| error.to_string())
    });
    written.map_err(|error| format!("cannot update {TRANSPORTS}: {error}"))?;
    if ran.status.success() {
        Ok(format!("all transports pass; wrote {TRANSPORTS}\n"))
    } else {
        Err(format!("a test failed or did not run; see {TRANSPORTS}"))
    }
}

/// Replaces the text between the two marks.
fn between(old: &str, new: &str) -> Option<String> {
    let (head, rest) = old.split_once(BEGIN)?;
    let (_, tail) = rest.split_once(END)?;
    Some(format!("{head}{BEGIN}\n\n{}\n\n{END}{tail}", new.trim()))
}

const TRANSPORTS: &str = "docs/transports.md";
const BEGIN: &str = "<!-- begin: matrix -->";
const END: &str = "<!-- end: matrix -->";
