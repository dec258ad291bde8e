//! Starts a workspace for a service: the files that people own, around those that are generated.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::emit::GeneratedFile;
use crate::init::runtime::Runtime;
use crate::init::values::Values;
use crate::output::{Error, formatted};
use crate::report::Report;
use crate::spec::grammar::Form;
use crate::workspace::Workspace;
use crate::{config, ir, spec};

pub(crate) mod runtime;
mod templates;
mod values;

/// A workspace to start.
pub(crate) struct Init<'a> {
    /// The name of the workspace and of its folder; the crates are `NAME-model` and so on.
    pub(crate) name: &'a str,
    /// The folder in which the folder of the workspace is created.
    pub(crate) parent: &'a Path,
    /// A spec to copy, with its fixtures; without one, the workspace has a small spec to edit.
    pub(crate) spec: Option<&'a str>,
    /// The source of the runtime crates.
    pub(crate) runtime: Runtime<'a>,
}

/// A new workspace, and the numbers of its files.
pub(crate) struct Started {
    pub(crate) workspace: Workspace,
    /// Files that people own.
    pub(crate) own: usize,
    pub(crate) generated: usize,
    /// A command of the program, for its mocks.
    pub(crate) command: String,
}

/// The reason why a workspace was not started.
pub(crate) enum Failure {
    /// An argument is not usable, for this reason.
    Argument(String),
    /// The spec is invalid.
    Spec(Report),
    /// A file could not be written or formatted.
    Output(Error),
}

impl Init<'_> {
    /// Creates the folder with all files. It has its name only when it is complete.
    pub(crate) fn start(&self) -> Result<Started, Failure> {
        let Self { name, parent, .. } = self;
        if !Form::Kebab.fits(name) {
            return Err(Failure::Argument(format!("NAME must be {}", Form::Kebab.expected())));
        }
        let folder = parent.join(name);
        if folder.exists() {
            return Err(Failure::Argument(format!("`{name}` exists already; choose another name")));
        }
        let staged = Staged(parent.join(format!(".{name}.{}", std::process::id())));
        let started = self.fill(&staged.0)?;
        fs::rename(&staged.0, &folder)
            .map_err(|error| failed(format!("cannot create `{}`", folder.display()), error))?;
        Ok(started)
    }

    fn fill(&self, root: &Path) -> Result<Started, Failure> {
        let mut values = Values::new(self.name, &self.runtime);
        let mut own = vec![file(config::FILE, values.fill(templates::CONFIGURATION))];
        let spec = format!("spec/{}.toml", self.name);
        if let Some(path) = self.spec {
            own.extend(copied(&self.parent.join(path), path, &spec)?);
        } else {
            let (path, text) = templates::FIXTURE;
            own.extend([file(&spec, values.fill(templates::SPEC)), file(path, text)]);
        }
        write(root, &own)?;
        let workspace = Workspace::read(root).map_err(Failure::Spec)?;
        values.add_service(&workspace).ok_or_else(|| {
            Failure::Argument("no example of the spec is one for clients; add one".to_owned())
        })?;
        let filled = templates::FILES.iter();
        let filled = filled.map(|(path, text)| file(&values.fill(path), values.fill(text)));
        let filled = formatted(filled.collect(), root).map_err(Failure::Output)?;
        write(root, &filled)?;
        let output = workspace.generate().map_err(Failure::Output)?;
        output.write(root).map_err(Failure::Output)?;
        let (own, generated) = (own.len() + filled.len(), output.files().len());
        let command = values.fill("«command»");
        Ok(Started { workspace, own, generated, command })
    }
}

/// Returns the files of a spec elsewhere, with their new paths: the spec itself and its fixtures.
fn copied(path: &Path, shown: &str, spec: &str) -> Result<Vec<GeneratedFile>, Failure> {
    let reading = spec::read_file(path, shown).accepted(shown);
    let (ir::Service { examples, .. }, _) = reading.map_err(Failure::Spec)?;
    let text = fs::read_to_string(path)
        .map_err(|error| failed(format!("cannot read `{shown}`"), error))?;
    let mut files = vec![file(spec, text)];
    for example in examples {
        let fixture = file(&format!("spec/{}", example.path), example.body);
        if !files.contains(&fixture) {
            files.push(fixture);
        }
    }
    Ok(files)
}

fn file(path: &str, text: impl Into<String>) -> GeneratedFile {
    GeneratedFile { path: path.to_owned(), text: text.into() }
}

fn write(root: &Path, files: &[GeneratedFile]) -> Result<(), Failure> {
    for GeneratedFile { path, text } in files {
        let path = root.join(path);
        let written = match path.parent() {
            Some(folder) => fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)),
            None => Err(io::ErrorKind::InvalidFilename.into()),
        };
        written.map_err(|error| failed(format!("cannot write `{}`", path.display()), error))?;
    }
    Ok(())
}

fn failed(what: String, error: io::Error) -> Failure {
    Failure::Output(Error::io(what, error))
}

/// A folder that is removed unless it was renamed.
struct Staged(PathBuf);

impl Drop for Staged {
    fn drop(&mut self) {
        // It does not exist if it was renamed or not created.
        fs::remove_dir_all(&self.0).ok();
    }
}
