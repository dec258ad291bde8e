//! `cargo xtask layers` and `cargo xtask ci`.

use std::{fmt::Write as _, path::Path, process::Command};

use super::Outcome;
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

/// Runs the script that the continuous integration runs; its output is its own.
pub(super) fn ci(root: &Path) -> Outcome {
    match Command::new("bash").arg(".ci/run").current_dir(root).status() {
        Ok(status) if status.success() => Outcome::default(),
        Ok(_) => Outcome::failed(1, ""),
        Err(error) => Outcome::failed(1, format!("error: cannot run .ci/run with bash: {error}\n")),
    }
}
