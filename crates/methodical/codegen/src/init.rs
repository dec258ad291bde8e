//! Starts a service, in a new workspace or in one that exists: the files that people own, around those that are
//! generated.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::config::Project;
use crate::diag::Report;
use crate::emit::GeneratedFile;
use crate::init::place::{Place, Runtime};
use crate::init::values::Values;
use crate::output::{Error, formatted, marked, unmarked};
use crate::spec::form::{Formed as _, Kebab, fits};
use crate::workspace::Workspace;
use crate::{config, ir, manifest, output, spec};

pub(crate) mod place;
mod templates;
mod values;

/// A service to start.
pub(crate) struct Init<'a> {
    /// The name of the service; the crates are `NAME-model` and so on.
    pub(crate) name: &'a str,
    /// The current folder.
    pub(crate) folder: &'a Path,
    /// A spec to copy, with its fixtures; without one, the service has a small spec to edit.
    pub(crate) spec: Option<&'a str>,
}

/// A new service, and the numbers of its files.
pub(crate) struct Started {
    pub(crate) workspace: Workspace,
    /// Files that people own.
    pub(crate) own: usize,
    pub(crate) generated: usize,
    /// A command of the program, for its mocks.
    pub(crate) command: String,
}

/// The reason why a service was not started.
pub(crate) enum Failure {
    /// An argument is not usable, for this reason.
    Argument(String),
    /// The spec is invalid.
    Spec(Report),
    /// A file could not be written or formatted.
    Output(Error),
}

impl Init<'_> {
    /// Creates a workspace in a folder with the name of the service. The folder has its name only when it is complete.
    pub(crate) fn workspace(&self, runtime: &Runtime<'_>) -> Result<Started, Failure> {
        let Self { name, folder, .. } = self;
        self.check_name()?;
        let root = folder.join(name);
        if root.exists() {
            return Err(Failure::Argument(format!("`{name}` exists already; choose another name")));
        }
        let staged = Staged(folder.join(format!(".{name}.{}", std::process::id())));
        let values = Values::new(name, &Place::workspace()).with_runtime(runtime);
        let started = self.fill(&staged.0, values, &[templates::WORKSPACE, templates::SERVICE])?;
        fs::rename(&staged.0, &root)
            .map_err(|error| failed(format!("cannot create `{}`", root.display()), error))?;
        Ok(started)
    }

    /// Adds the service to the workspace at a root. If that fails, the workspace is as it was.
    pub(crate) fn add(&self, root: &Path) -> Result<Started, Failure> {
        let name = self.name;
        self.check_name()?;
        let path = root.join("Cargo.toml");
        let manifest = fs::read_to_string(&path)
            .map_err(|error| failed(format!("cannot read `{}`", path.display()), error))?;
        let manifest = manifest::with_service(&manifest, name).map_err(Failure::Argument)?;
        let place = Place::folder(name);
        let folders = place.folders(name);
        if let Some(taken) = folders.iter().find(|folder| root.join(folder).exists()) {
            let message = format!("`{taken}` exists already; choose another name");
            return Err(Failure::Argument(message));
        }
        let staged = Staged(root.join(format!(".{name}.{}", std::process::id())));
        let started = self.fill(&staged.0, Values::new(name, &place), &[templates::SERVICE])?;
        let mut moved = Moved(Vec::new());
        for folder in folders {
            moved.add(&staged.0.join(&folder), root.join(&folder))?;
        }
        config::read_all(root).map_err(Failure::Spec)?;
        fs::write(&path, manifest)
            .map_err(|error| failed(format!("cannot write `{}`", path.display()), error))?;
        moved.0.clear();
        Ok(started)
    }

    fn check_name(&self) -> Result<(), Failure> {
        if fits::<Kebab>(self.name) {
            Ok(())
        } else {
            Err(Failure::Argument(format!("NAME must be {}", Kebab::FORM.expected)))
        }
    }

    /// Writes the files of the service below a new root.
    fn fill(
        &self,
        root: &Path,
        mut values: Values<'_>,
        templates: &[&[(&str, &str)]],
    ) -> Result<Started, Failure> {
        let mut own =
            vec![file(&values.fill("«configuration»"), values.fill(templates::CONFIGURATION))];
        let spec = values.fill("«spec»");
        if let Some(path) = self.spec {
            own.extend(copied(&self.folder.join(path), path, &spec)?);
        } else {
            let (path, text) = templates::FIXTURE;
            own.extend([file(&spec, values.fill(templates::SPEC)), file(&values.fill(path), text)]);
        }
        write(root, &own)?;
        let config = config::Config::read_file(root, &values.fill("«configuration»"));
        let workspace =
            config.and_then(|config| Workspace::of(root, config)).map_err(Failure::Spec)?;
        let Workspace { config, service, .. } = &workspace;
        values.add_service(&Project { service, config }).ok_or_else(|| {
            Failure::Argument(
                "no example of the spec is one for clients with records; add one".to_owned(),
            )
        })?;
        let filled = templates.iter().copied().flatten();
        let filled = filled.map(|(path, text)| file(&values.fill(path), values.fill(text)));
        let filled = formatted(&filled.collect::<Vec<_>>(), root).map_err(Failure::Output)?;
        write(root, &filled)?;
        // The generator fills a sample that has a mark.
        let samples = templates::SAMPLES.iter().map(|(path, _)| values.fill(path));
        let samples = samples.map(|path| file(&path, marked(config, &path, "")));
        write(root, &samples.collect::<Vec<_>>())?;
        let output = workspace.generate().map_err(Failure::Output)?;
        output.write(root).map_err(Failure::Output)?;
        let (own, generated) = (own.len() + filled.len(), output.files().len());
        let command = values.fill("«command»");
        Ok(Started { workspace, own, generated, command })
    }
}

/// Returns the samples of a service that `init` or `add` started, without those that people own: they lack the mark.
pub(crate) fn samples(project: &Project<'_>, root: &Path) -> Vec<GeneratedFile> {
    let name = project.config.service();
    let is_only = project.config.file == config::FILE;
    let place = if is_only { Place::workspace() } else { Place::folder(name) };
    let mut values = Values::new(name, &place);
    let has_values = values.add_service(project).is_some();
    let samples = templates::SAMPLES.iter().filter_map(|(path, template)| {
        let path = values.fill(path);
        let text = fs::read_to_string(root.join(&path)).ok()?;
        let original = unmarked(&text)?;
        // Without an example of the spec, a sample stays as it is.
        let text = if has_values { values.fill(template) } else { original.to_owned() };
        Some(file(&path, text))
    });
    samples.collect()
}

/// Returns the files of a spec elsewhere, with their new paths: the spec itself and its fixtures.
fn copied(path: &Path, shown: &str, spec: &str) -> Result<Vec<GeneratedFile>, Failure> {
    let reading = spec::read_file(path, shown).accepted(shown);
    let (ir::Service { examples, .. }, _) = reading.map_err(Failure::Spec)?;
    let text = fs::read_to_string(path)
        .map_err(|error| failed(format!("cannot read `{shown}`"), error))?;
    let folder = spec.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut files = vec![file(spec, text)];
    for example in examples {
        let fixture = file(&format!("{folder}/{}", example.path), example.body);
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
        output::write(&path, text)
            .map_err(|error| failed(format!("cannot write `{}`", path.display()), error))?;
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

/// Folders at their new places, which are removed unless the list is emptied.
struct Moved(Vec<PathBuf>);

impl Moved {
    fn add(&mut self, from: &Path, to: PathBuf) -> Result<(), Failure> {
        let parent = to.parent().map_or(Ok(()), fs::create_dir_all);
        parent
            .and_then(|()| fs::rename(from, &to))
            .map_err(|error| failed(format!("cannot create `{}`", to.display()), error))?;
        self.0.push(to);
        Ok(())
    }
}

impl Drop for Moved {
    fn drop(&mut self) {
        for folder in &self.0 {
            // The error that undoes the work is the one to report.
            fs::remove_dir_all(folder).ok();
        }
    }
}
