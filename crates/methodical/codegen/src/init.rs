//! Starts a service, in a new or an existing workspace: hand-written files, around the generated ones. `«…»` in a
//! template is replaced with a value.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::cli::{Outcome, usage};
use crate::config::{self, Config, Workspace};
use crate::diff::workspace_version;
use crate::emit::GeneratedFile;
use crate::init::values::Values;
use crate::output::{self, formatted, marked, unmarked};
use crate::spec;
use crate::spec::form::{Formed as _, Kebab};

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

/// The source of the runtime crates, which are not on a registry yet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Runtime<'a> {
    /// The folder of their workspace, relative to the parent of the new workspace or absolute.
    Path(&'a str),
    /// The URL of their Git repository.
    Git(&'a str),
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

impl Init<'_> {
    /// Creates a workspace in a folder named after the service. If that fails, the folder is removed.
    pub(crate) fn workspace(&self, runtime: Runtime<'_>) -> Result<Started, Outcome> {
        let Self { name, folder, .. } = self;
        if let Runtime::Path(path) = runtime
            && !folder.join(path).join("crates/methodical/model/Cargo.toml").is_file()
        {
            return Err(usage("the folder of `--runtime-path` has no crates/methodical/model"));
        }
        self.check_name()?;
        let root = folder.join(name);
        if root.exists() {
            return Err(usage(&format!("`{name}` already exists; choose another name")));
        }
        let mut new = New(vec![root.clone()]);
        let values = Values::new(name, true, Some(runtime));
        let started = self.fill(&root, values, &[WORKSPACE, SERVICE])?;
        new.0.clear();
        Ok(started)
    }

    /// Adds the service to the workspace at a root. If that fails, the workspace is unchanged.
    pub(crate) fn add(&self, root: &Path) -> Result<Started, Outcome> {
        let name = self.name;
        self.check_name()?;
        let path = root.join("Cargo.toml");
        let manifest = fs::read_to_string(&path).map_err(|error| failed("read", &path, &error))?;
        let manifest = with_service(&manifest, name).map_err(|why| usage(&why))?;
        let crates = ["model", "client", "testkit", "cli"];
        let mut folders: Vec<_> =
            crates.iter().map(|role| format!("crates/{name}-{role}")).collect();
        folders.extend([format!("spec/{name}"), format!("docs/{name}")]);
        if let Some(taken) = folders.iter().find(|folder| root.join(folder).exists()) {
            return Err(usage(&format!("`{taken}` already exists; choose another name")));
        }
        let mut new = New(folders.iter().map(|folder| root.join(folder)).collect());
        let started = self.fill(root, Values::new(name, false, None), &[SERVICE])?;
        fs::write(&path, manifest).map_err(|error| failed("write", &path, &error))?;
        new.0.clear();
        Ok(started)
    }

    fn check_name(&self) -> Result<(), Outcome> {
        Kebab::FORM.check(self.name).map_err(|why| usage(&format!("NAME {why}")))
    }

    /// Writes the files of the service below a root.
    fn fill(
        &self,
        root: &Path,
        mut values: Values<'_>,
        templates: &[&[(&str, &str)]],
    ) -> Result<Started, Outcome> {
        let file = |values: &Values<'_>, path: &str, text: &str| GeneratedFile {
            path: values.fill(path),
            text: values.fill(text),
        };
        let mut own = vec![file(&values, "«configuration»", CONFIGURATION)];
        if let Some(path) = self.spec {
            own.extend(copied(&self.folder.join(path), path, &values.fill("«spec»"))?);
        } else {
            own.extend([file(&values, "«spec»", SPEC), file(&values, FIXTURE.0, FIXTURE.1)]);
        }
        write(root, &own)?;
        // No other service may write the same files.
        config::read_all(root)?;
        let config = Config::read(root, &values.fill("«configuration»"))?;
        let workspace = Workspace::of(root, config)?;
        values.add_service(&workspace).ok_or_else(|| {
            usage("the spec has no client example whose response has records; add one")
        })?;
        let filled = templates.iter().copied().flatten();
        let filled: Vec<_> = filled.map(|(path, text)| file(&values, path, text)).collect();
        let filled = formatted(&filled, root)?;
        write(root, &filled)?;
        // The generator updates samples that have a mark.
        let samples = SAMPLES.iter().map(|(path, _)| {
            let path = values.fill(path);
            GeneratedFile { text: marked(&workspace.config, &path, ""), path }
        });
        write(root, &samples.collect::<Vec<_>>())?;
        let output = workspace.generate()?;
        output.write(root)?;
        let (own, generated) = (own.len() + filled.len(), output.files().len());
        let command = values.fill("«command»");
        Ok(Started { workspace, own, generated, command })
    }
}

/// Returns the samples of a service that `init` or `add` started, except those without the mark, which people have
/// taken over.
pub(crate) fn samples(workspace: &Workspace) -> Vec<GeneratedFile> {
    let is_only = workspace.config.file == config::FILE;
    let mut values = Values::new(workspace.config.service(), is_only, None);
    let has_values = values.add_service(workspace).is_some();
    let samples = SAMPLES.iter().filter_map(|(path, template)| {
        let path = values.fill(path);
        let text = fs::read_to_string(workspace.root.join(&path)).ok()?;
        let original = unmarked(&text)?;
        // Without an example in the spec, a sample is left unchanged.
        let text = if has_values { values.fill(template) } else { original.to_owned() };
        Some(GeneratedFile { path, text })
    });
    samples.collect()
}

/// Returns the files of a spec to copy, with their new paths: the spec itself and its fixtures.
fn copied(path: &Path, shown: &str, spec: &str) -> Result<Vec<GeneratedFile>, Outcome> {
    let service = spec::read_file(path, shown)?;
    let text =
        fs::read_to_string(path).map_err(|error| failed("read", Path::new(shown), &error))?;
    let folder = spec.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut files = vec![GeneratedFile { path: spec.to_owned(), text }];
    for example in service.examples {
        let fixture =
            GeneratedFile { path: format!("{folder}/{}", example.path), text: example.body };
        if !files.contains(&fixture) {
            files.push(fixture);
        }
    }
    Ok(files)
}

/// Returns the manifest with the crates of a further service among the dependencies of the workspace, or the reason why
/// the service cannot be added.
fn with_service(manifest: &str, name: &str) -> Result<String, String> {
    let header = "[workspace.dependencies]\n";
    let needed = [
        ("\"crates/*\"", "members `crates/*`"),
        ("\nmethodical-client = ", "dependency on `methodical-client`"),
        ("[workspace.package]\nversion = \"", "version in `[workspace.package]`"),
        (header, "`[workspace.dependencies]`"),
    ];
    if let Some((_, what)) = needed.iter().find(|(text, _)| !manifest.contains(text)) {
        return Err(format!(
            "Cargo.toml has no {what}; `add` needs a workspace that `methodical-codegen init` started"
        ));
    }
    let version = workspace_version(manifest).unwrap_or_default();
    let crates = ["client", "model", "testkit"].map(|role| {
        format!("{name}-{role} = {{ path = \"crates/{name}-{role}\", version = \"={version}\" }}\n")
    });
    Ok(manifest.replacen(header, &format!("{header}{}", crates.concat()), 1))
}

fn write(root: &Path, files: &[GeneratedFile]) -> Result<(), Outcome> {
    for GeneratedFile { path, text } in files {
        let path = root.join(path);
        output::write(&path, text).map_err(|error| failed("write", &path, &error))?;
    }
    Ok(())
}

fn failed(verb: &str, path: &Path, error: &io::Error) -> Outcome {
    output::failed(format_args!("cannot {verb} `{}`", path.display()), error).into()
}

/// Folders that did not exist before. Dropping this removes them, unless the list has been emptied.
struct New(Vec<PathBuf>);

impl Drop for New {
    fn drop(&mut self) {
        for folder in &self.0 {
            // It may not exist yet. Report the original error, not one from undoing the work.
            fs::remove_dir_all(folder).ok();
        }
    }
}

/// The configuration of the generator.
const CONFIGURATION: &str = include_str!("init/spec/codegen.toml");

/// The spec of a service that was started without one.
const SPEC: &str = include_str!("init/spec/spec.toml");

/// The path and the text of the fixture of that spec.
const FIXTURE: (&str, &str) =
    ("«folder»/fixtures/items-of-a-shelf.json", include_str!("init/spec/items-of-a-shelf.json"));

/// The other files of a workspace: paths and contents.
const WORKSPACE: &[(&str, &str)] = &[
    (".gitignore", include_str!("init/workspace/gitignore")),
    ("Cargo.toml", include_str!("init/workspace/manifest.toml")),
    ("README.md", include_str!("init/workspace/README.md")),
];

/// The files of a service that name its operations. The generator updates them until their mark is deleted.
const SAMPLES: &[(&str, &str)] = &[
    ("crates/«cli»/src/demo.rs", include_str!("init/cli/demo.rs")),
    ("crates/«cli»/tests/program.rs", include_str!("init/cli/program.rs")),
    ("crates/«client»/examples/«demo».rs", include_str!("init/client/demo.rs")),
    ("crates/«client»/tests/round_trip.rs", include_str!("init/client/round_trip.rs")),
];

/// The other files of a service.
const SERVICE: &[(&str, &str)] = &[
    ("crates/«cli»/Cargo.toml", include_str!("init/cli/manifest.toml")),
    ("crates/«cli»/src/main.rs", include_str!("init/cli/main.rs")),
    ("crates/«client»/Cargo.toml", include_str!("init/client/manifest.toml")),
    ("crates/«client»/src/lib.rs", include_str!("init/client/lib.rs")),
    ("crates/«model»/Cargo.toml", include_str!("init/model/manifest.toml")),
    ("crates/«model»/src/lib.rs", include_str!("init/model/lib.rs")),
    ("crates/«model»/tests/generated.rs", include_str!("init/model/generated.rs")),
    ("crates/«testkit»/Cargo.toml", include_str!("init/testkit/manifest.toml")),
    ("crates/«testkit»/src/lib.rs", include_str!("init/testkit/lib.rs")),
];

#[cfg(test)]
mod tests {
    use super::with_service;

    const MANIFEST: &str = "\
[workspace]
members = [\"crates/*\"]

[workspace.package]
version = \"0.2.0\"

[workspace.dependencies]
photos-client = { path = \"crates/photos-client\", version = \"=0.2.0\" }
methodical-client = \"1\"
";

    #[test]
    fn the_crates_of_a_service_are_added_to_the_dependencies() {
        let (before, after) = MANIFEST.split_once("photos-client").unwrap();
        assert_eq!(
            with_service(MANIFEST, "leads").unwrap(),
            format!(
                "{before}\
leads-client = {{ path = \"crates/leads-client\", version = \"=0.2.0\" }}
leads-model = {{ path = \"crates/leads-model\", version = \"=0.2.0\" }}
leads-testkit = {{ path = \"crates/leads-testkit\", version = \"=0.2.0\" }}
photos-client{after}"
            )
        );
    }

    #[test]
    fn a_manifest_of_another_kind_is_refused() {
        for missing in
            ["crates/*", "methodical-client", "version = \"0.2.0\"", "[workspace.dependencies]"]
        {
            let why = with_service(&MANIFEST.replace(missing, ""), "leads").unwrap_err();
            assert!(why.starts_with("Cargo.toml has no "), "{why}");
        }
    }
}
