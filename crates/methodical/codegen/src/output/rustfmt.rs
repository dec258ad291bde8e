//! Formats Rust with rustfmt, several files concurrently.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::emit::GeneratedFile;
use crate::output::error::Error;
use crate::output::file;

/// The options that the templates rely on in every workspace. Stable rustfmt accepts those for imports only on the
/// command line, as in the `xfmt` alias.
const OPTIONS: &str =
    "group_imports=StdExternalCrate,imports_granularity=Module,use_field_init_shorthand=true";

/// Formats the Rust files among some files, as `cargo fmt` does in the workspace at a root.
pub(crate) fn formatted(
    files: Vec<GeneratedFile>,
    root: &Path,
) -> Result<Vec<GeneratedFile>, Error> {
    // A spec may have thousands of models, and each has a file.
    let most = 2 * thread::available_parallelism().map_or(2, NonZero::get);
    let finish = |(worker, file): (Option<Worker>, GeneratedFile)| match worker {
        Some(worker) => Ok(GeneratedFile { text: worker.finish(&file.path)?, ..file }),
        None => Ok(file),
    };
    let (mut running, mut done) = (VecDeque::new(), Vec::new());
    for file in files {
        let is_rust = file::extension(&file.path) == "rs";
        let worker = is_rust.then(|| Worker::start(&file, root)).transpose()?;
        running.push_back((worker, file));
        if running.len() > most {
            done.extend(running.pop_front().map(finish).transpose()?);
        }
    }
    for last in running {
        done.push(finish(last)?);
    }
    Ok(done)
}

/// A running rustfmt. A thread writes its input while this one reads its output, so that full pipes
/// cannot block both processes.
struct Worker {
    child: Child,
    feeder: thread::JoinHandle<()>,
}

impl Worker {
    fn start(file: &GeneratedFile, root: &Path) -> Result<Self, Error> {
        let mut child = Command::new("rustfmt")
            .args(["--edition", "2024", "--config", OPTIONS])
            // The folder in which rustfmt looks for its options, as `cargo fmt` does.
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Error::io(
                    "cannot run rustfmt; install it with `rustup component add rustfmt`",
                    error,
                )
            })?;
        let stdin = child.stdin.take();
        let text = file.text.clone();
        let feeder = thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                // If rustfmt stops reading, its exit status and messages are reported.
                stdin.write_all(text.as_bytes()).ok();
            }
        });
        Ok(Self { child, feeder })
    }

    fn finish(mut self, path: &str) -> Result<String, Error> {
        let failed = |error| Error::io(format!("cannot format `{path}`"), error);
        let mut text = String::new();
        if let Some(stdout) = &mut self.child.stdout {
            stdout.read_to_string(&mut text).map_err(failed)?;
        }
        let output = self.child.wait_with_output().map_err(failed)?;
        self.feeder.join().ok();
        if output.status.success() {
            return Ok(text);
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(Error::new(format!(
            "rustfmt rejects `{path}`, which is a mistake of its emitter:\n{}",
            stderr.trim_end()
        )))
    }
}
