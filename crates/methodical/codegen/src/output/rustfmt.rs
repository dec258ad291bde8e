//! Formats Rust with rustfmt, several files concurrently.

use std::io::Write as _;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::emit::GeneratedFile;
use crate::output::{Error, extension};

/// The options that the templates rely on in every workspace. Stable rustfmt accepts those for imports only on the
/// command line, as in the `xfmt` alias.
const OPTIONS: &str =
    "group_imports=StdExternalCrate,imports_granularity=Module,use_field_init_shorthand=true";

/// Formats the Rust files among some files, as `cargo fmt` does in the workspace at a root.
pub(crate) fn formatted(files: &[GeneratedFile], root: &Path) -> Result<Vec<GeneratedFile>, Error> {
    // A spec may have thousands of models, and each has a file.
    let workers = 2 * thread::available_parallelism().map_or(2, NonZero::get);
    let format = |files: &[GeneratedFile]| -> Result<Vec<_>, Error> {
        files.iter().map(|file| one(file, root)).collect()
    };
    thread::scope(|scope| {
        let chunks = files.chunks(files.len().div_ceil(workers).max(1));
        let running: Vec<_> = chunks.map(|chunk| scope.spawn(move || format(chunk))).collect();
        let mut done = Vec::new();
        for worker in running {
            let panicked = |_panic| Err(Error::new("cannot format the files: a thread panicked"));
            done.extend(worker.join().unwrap_or_else(panicked)?);
        }
        Ok(done)
    })
}

fn one(file: &GeneratedFile, root: &Path) -> Result<GeneratedFile, Error> {
    let GeneratedFile { path, text } = file;
    if extension(path) != "rs" {
        return Ok(file.clone());
    }
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config", OPTIONS])
        // The folder in which rustfmt looks for its options, as `cargo fmt` does.
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            Error::io("cannot run rustfmt; install it with `rustup component add rustfmt`", error)
        })?;
    // rustfmt reads all of its input before it writes. If it stops reading, its exit status and messages are reported.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes()).ok();
    }
    let output = child
        .wait_with_output()
        .map_err(|error| Error::io(format!("cannot format `{path}`"), error))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!(
            "rustfmt rejects `{path}`, which is a mistake of its emitter:\n{}",
            stderr.trim_end()
        )));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(GeneratedFile { path: path.clone(), text })
}
