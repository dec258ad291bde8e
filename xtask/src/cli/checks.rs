//! `cargo xtask layers`, `cargo xtask transports` and `cargo xtask ci`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use crate::cli::outcome::Outcome;
use crate::layers;

pub(super) fn layers(root: &Path) -> Outcome {
    match layers::violations(root) {
        Ok(violations) if violations.is_empty() => {
            Outcome::fine("every crate uses only what it may\n")
        }
        Ok(violations) => {
            let mut stderr = "error: a crate uses what it must not:\n".to_owned();
            for violation in violations {
                _ = writeln!(stderr, "  {violation}");
            }
            stderr.push_str("\nARCHITECTURE.md says why; the rules stand in xtask/src/layers.rs\n");
            Outcome::failed(1, stderr)
        }
        Err(error) => Outcome::failed(1, format!("error: {error}\n")),
    }
}

/// Runs the conformance kit on every transport, and writes which of them passes what into its document.
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
        let text =
            between(&old, &matrix).ok_or_else(|| io::Error::other("it has lost its marks"))?;
        fs::write(&path, text)
    });
    match written {
        Err(error) => Outcome::failed(1, format!("error: {TRANSPORTS}: {error}\n")),
        Ok(()) if passed => {
            Outcome::fine(format!("every transport passes; {TRANSPORTS} written\n"))
        }
        Ok(()) => {
            Outcome::failed(1, format!("error: a transport fails a check; see {TRANSPORTS}\n"))
        }
    }
}

/// Replaces what stands between the two marks.
fn between(old: &str, new: &str) -> Option<String> {
    let (head, rest) = old.split_once(BEGIN)?;
    let (_, tail) = rest.split_once(END)?;
    Some(format!("{head}{BEGIN}\n\n{}\n\n{END}{tail}", new.trim()))
}

const TRANSPORTS: &str = "docs/transports.md";
const BEGIN: &str = "<!-- begin: matrix -->";
const END: &str = "<!-- end: matrix -->";

/// Runs the script that the continuous integration runs; its output is its own.
pub(super) fn ci(root: &Path) -> Outcome {
    match Command::new("bash").arg(".ci/run").current_dir(root).status() {
        Ok(status) if status.success() => Outcome::default(),
        Ok(_) => Outcome::failed(1, ""),
        Err(error) => Outcome::failed(1, format!("error: cannot run .ci/run with bash: {error}\n")),
    }
}
