//! `cargo xtask layers`, `cargo xtask transports` and `cargo xtask ci`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use methodical_codegen::cli::Outcome;

use crate::layers;

pub(super) fn layers(root: &Path) -> Outcome {
    match layers::violations(root) {
        Ok(violations) if violations.is_empty() => {
            Outcome::fine("all dependencies between crates are allowed\n")
        }
        Ok(violations) => {
            let mut stderr = "error: dependencies that are not allowed:\n".to_owned();
            for violation in violations {
                _ = writeln!(stderr, "  {violation}");
            }
            stderr.push_str(
                "\nARCHITECTURE.md explains the layers; xtask/src/layers.rs contains the rules\n",
            );
            Outcome::failed(1, stderr)
        }
        Err(error) => Outcome::failed(1, format!("error: {error}\n")),
    }
}

/// Runs the conformance tests on every transport, and writes the results to the document.
pub(super) fn transports(root: &Path) -> Outcome {
    let ran = Command::new("cargo")
        .args([
            "run",
            "--quiet",
            "--package",
            "gateway-transport",
            "--example",
            "conformance_matrix",
        ])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output();
    let (matrix, passed) = match ran {
        Ok(output) => {
            (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
        }
        Err(error) => return Outcome::failed(1, format!("error: cannot run cargo: {error}\n")),
    };
    let path = root.join(TRANSPORTS);
    let written = fs::read_to_string(&path).and_then(|old| {
        let text = between(&old, &matrix)
            .ok_or_else(|| io::Error::other(format!("`{BEGIN}` or `{END}` is missing")))?;
        fs::write(&path, text)
    });
    match written {
        Err(error) => Outcome::failed(1, format!("error: cannot update {TRANSPORTS}: {error}\n")),
        Ok(()) if passed => Outcome::fine(format!("all transports pass; wrote {TRANSPORTS}\n")),
        Ok(()) => {
            Outcome::failed(1, format!("error: a transport failed a test; see {TRANSPORTS}\n"))
        }
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

/// Runs the script of the continuous integration, which prints its own output.
pub(super) fn ci(root: &Path) -> Outcome {
    match Command::new("bash").arg(".ci/run").current_dir(root).status() {
        Ok(status) if status.success() => Outcome::default(),
        Ok(_) => Outcome::failed(1, ""),
        Err(error) => Outcome::failed(1, format!("error: cannot run .ci/run with bash: {error}\n")),
    }
}
