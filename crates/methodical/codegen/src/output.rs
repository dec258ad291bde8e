//! Generated files on disk: formats, marks, compares and replaces them.
//!
//! The mark is the first line of a file. It names the command that generates the file and the path of the spec. All
//! files have the same mark, so a change to the spec changes only the files whose content it affects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::{fmt, fs, io};

use crate::config::{Config, Workspace};
use crate::emit::{GeneratedFile, MARK};

/// All files that are generated from a spec: their expected content, by path.
#[derive(Debug)]
pub struct Output {
    files: BTreeMap<String, String>,
    /// Folders that contain only generated files.
    folders: Vec<String>,
}

/// How a file on disk differs from the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Drift {
    /// The file does not exist.
    Missing,
    /// The file was generated from another spec or by another generator, or was edited by hand.
    Outdated,
    /// The file was generated earlier but no longer is.
    Orphan,
}

impl Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Outdated => "out of date, or edited by hand",
            Self::Orphan => "no longer generated",
        })
    }
}

impl Workspace {
    /// Generates all files in memory: runs the emitters, formats the files and marks them.
    ///
    /// # Errors
    /// Fails if rustfmt cannot be run or rejects a file.
    pub fn generate(&self) -> io::Result<Output> {
        let mut emitted = crate::emit::all(self);
        emitted.extend(crate::init::samples(self));
        let files = formatted(&emitted, &self.root)?.into_iter();
        let files = files.map(|GeneratedFile { path, text }| {
            let text = marked(&self.config, &path, &text);
            (path, text)
        });
        Ok(Output { files: files.collect(), folders: self.config.folders() })
    }
}

impl Output {
    /// Combines the files of all services in a workspace. Fails if two services generate the same file.
    pub(crate) fn merged(outputs: Vec<Self>) -> io::Result<Self> {
        let mut all = Self { files: BTreeMap::new(), folders: Vec::new() };
        for Self { files, folders } in outputs {
            all.folders.extend(folders);
            for (path, text) in files {
                if all.files.insert(path.clone(), text).is_some() {
                    let why = "give each service its own crates and folders";
                    return Err(io::Error::other(format!("two services write `{path}`; {why}")));
                }
            }
        }
        Ok(all)
    }

    /// Returns the expected content of each file by path, sorted.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// Returns the differences between these files and the ones below a root, sorted by path.
    ///
    /// # Errors
    /// Fails if a file or folder cannot be read.
    pub fn compare(&self, root: &Path) -> io::Result<Vec<(String, Drift)>> {
        let mut drifts = BTreeMap::new();
        for (path, text) in &self.files {
            match read(&root.join(path))? {
                None => _ = drifts.insert(path.clone(), Drift::Missing),
                Some(found) if found == *text => {}
                Some(_) => _ = drifts.insert(path.clone(), Drift::Outdated),
            }
        }
        let mut found = BTreeSet::new();
        for folder in &self.folders {
            below(root, folder, &mut found).map_err(|error| {
                failed(format_args!("cannot read `{}`", root.join(folder).display()), &error)
            })?;
        }
        for path in found.into_iter().filter(|path| !self.files.contains_key(path)) {
            let text = read(&root.join(&path))?.unwrap_or_default();
            if is_marked(&text) {
                drifts.insert(path, Drift::Orphan);
            }
        }
        Ok(drifts.into_iter().collect())
    }

    /// Updates the generated files below a root: writes those that differ and removes those that are no longer
    /// generated. Returns the differences that it found, sorted by path.
    ///
    /// # Errors
    /// Fails if a file cannot be read, written or removed.
    pub fn write(&self, root: &Path) -> io::Result<Vec<(String, Drift)>> {
        let drifts = self.compare(root)?;
        for (path, _) in &drifts {
            let place = root.join(path);
            let (done, what) = match self.files.get(path) {
                Some(text) => (write(&place, text), "write"),
                None => (fs::remove_file(place), "remove"),
            };
            done.map_err(|error| failed(format_args!("cannot {what} `{path}`"), &error))?;
        }
        Ok(drifts)
    }
}

/// Returns the text with its mark, as a comment in the syntax of the file type.
pub(crate) fn marked(config: &Config, path: &str, text: &str) -> String {
    let mark = format!("{START}{} from {}{END}", config.command, config.spec);
    match Path::new(path).extension().and_then(|one| one.to_str()) {
        Some("rs") => format!("//! {mark}\n//!\n{text}"),
        Some("md") => format!("<!-- {mark} -->\n\n{text}"),
        _ => text.replacen(MARK, &mark, 1),
    }
}

/// Returns whether the content of a file has a mark.
fn is_marked(text: &str) -> bool {
    text.lines().take(5).any(|line| line.contains(START) && line.contains(END))
}

/// Returns the text of a Rust file without its mark, or `None` if the mark is missing.
pub(crate) fn unmarked(text: &str) -> Option<&str> {
    let (mark, rest) = text.split_once('\n')?;
    is_marked(mark).then(|| rest.strip_prefix("//!\n").unwrap_or(rest))
}

const START: &str = "Generated by ";
const END: &str = "; do not edit.";

/// The options that the templates rely on in every workspace. Stable rustfmt accepts the import options only on the
/// command line, as in the `xfmt` alias.
const OPTIONS: &str =
    "group_imports=StdExternalCrate,imports_granularity=Module,use_field_init_shorthand=true";

/// Formats only the Rust files among these, concurrently, as `cargo fmt` does in the workspace at a root.
pub(crate) fn formatted(files: &[GeneratedFile], root: &Path) -> io::Result<Vec<GeneratedFile>> {
    let is_rust = |file: &GeneratedFile| Path::new(&file.path).extension() == Some("rs".as_ref());
    let start = |file| if is_rust(file) { rustfmt(file, root).map(Some) } else { Ok(None) };
    let running = files.iter().map(|file| Ok((file, start(file)?)));
    let done = running.collect::<io::Result<Vec<_>>>()?.into_iter().map(|(file, child)| {
        let (Some(child), path) = (child, &file.path) else { return Ok(file.clone()) };
        let output = child
            .wait_with_output()
            .map_err(|error| failed(format_args!("cannot format `{path}`"), &error))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            let what = format!(
                "cannot format `{path}`: rustfmt failed; a syntax error is a bug in its emitter"
            );
            return Err(io::Error::other(format!("{what}:\n{}", why.trim_end())));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(GeneratedFile { path: path.clone(), text })
    });
    done.collect()
}

/// Starts rustfmt on a file.
fn rustfmt(file: &GeneratedFile, root: &Path) -> io::Result<Child> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config", OPTIONS])
        // The folder in which rustfmt looks for its options, as `cargo fmt` does.
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            failed("cannot run rustfmt (`rustup component add rustfmt` installs it)", &error)
        })?;
    // rustfmt reads all of its input before it writes. If it stops reading, its exit status and messages are reported.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(file.text.as_bytes()).ok();
    }
    Ok(child)
}

/// Writes a file and the folders that contain it.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// Reads a file; `None` if it does not exist. Windows line endings become Unix line endings.
fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(format_args!("cannot read `{}`", path.display()), &error)),
    }
}

/// Adds the paths of all files below a folder, which need not exist.
fn below(root: &Path, folder: &str, found: &mut BTreeSet<String>) -> io::Result<()> {
    let entries = match fs::read_dir(root.join(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            below(root, &path, found)?;
        } else {
            found.insert(path);
        }
    }
    Ok(())
}

/// Returns an error that says what could not be done, with its cause.
pub(crate) fn failed(what: impl Display, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::{is_marked, marked};
    use crate::config::Config;
    use crate::emit::MARK;

    #[test]
    fn each_file_type_has_a_mark() {
        let json = format!("{{\n  \"$comment\": \"{MARK}\",\n  \"a\": 1\n}}\n");
        let config =
            Config::parse(b"spec = 'spec/a.toml'", "spec/codegen.toml").expect("it is valid");
        for (path, text) in [("a.rs", "//! A.\n"), ("a.md", "# A\n"), ("a.json", &json)] {
            let whole = marked(&config, path, text);
            assert!(is_marked(&whole), "{whole}");
        }
        assert!(!is_marked("//! Written by hand.\n"));
    }
}
