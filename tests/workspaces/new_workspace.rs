//! Workspaces that the generator creates outside this one.
//!
//! They share our target directory, its `Cargo.lock` and the settings of our profile, so that most dependencies are not
//! built again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::output;

/// A workspace that `init` created.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
}

impl Workspace {
    pub(crate) fn start(parent: &Path, name: &str) -> Self {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let workspace = Self { root: parent.join(name) };
        generator(parent, &["init", name, "--runtime", ours.to_str().unwrap()]);
        fs::copy(ours.join("Cargo.lock"), workspace.root.join("Cargo.lock")).unwrap();
        workspace
    }

    /// Replaces the spec of a service, and generates its files. The fixtures of the spec are in its folder.
    pub(crate) fn describe(&self, path: &str, spec: &Path) {
        let (folder, _) = path.rsplit_once('/').unwrap();
        let copy = |from: &Path, to: &str| {
            self.write(to, &fs::read_to_string(from).unwrap());
        };
        copy(spec, path);
        let fixtures = fs::read_dir(spec.with_file_name("fixtures")).unwrap();
        for fixture in fixtures.map(|entry| entry.unwrap()) {
            let name = fixture.file_name().into_string().unwrap();
            copy(&fixture.path(), &format!("{folder}/fixtures/{name}"));
        }
        self.generator(&["generate"]);
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub(crate) fn generator(&self, args: &[&str]) {
        generator(&self.root, args);
    }

    #[track_caller]
    pub(crate) fn passes(&self, command: &str, args: &[&str]) -> String {
        passes(&mut self.cargo(command, args))
    }

    pub(crate) fn cargo(&self, command: &str, args: &[&str]) -> Command {
        let build = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.arg(command);
        if command != "fmt" {
            cargo.args(["--offline", "--quiet"]).args(PROFILE);
        }
        cargo.args(args).current_dir(&self.root).env("CARGO_TARGET_DIR", build);
        cargo
    }
}

/// Runs a command, which must neither fail nor print a warning, and returns its standard output.
#[track_caller]
pub(crate) fn passes(command: &mut Command) -> String {
    let output = output(command, CARGO_LIMIT);
    let stderr = String::from_utf8_lossy(&output.stderr);
    // A test that fails writes its message to standard output.
    let stdout = String::from_utf8_lossy(&output.stdout);
    let passed = output.status.success() && !stderr.contains("warning");
    assert!(passed, "{command:?}:\n{stdout}\n{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn generator(folder: &Path, args: &[&str]) {
    let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let outcome = methodical_codegen::cli::run(&args, folder);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
}

/// The arguments with which clippy refuses warnings.
pub(crate) const STRICT: &[&str] = &["--all-targets", "--all-features", "--", "-Dwarnings"];

/// The setting of our profile that determines how dependencies are built.
const PROFILE: [&str; 2] = ["--config", "profile.dev.debug=false"];

/// Maximum time of a cargo command: on a busy machine, the first one builds dependencies for minutes.
const CARGO_LIMIT: Duration = Duration::from_secs(30 * 60);
