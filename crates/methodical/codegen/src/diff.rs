//! Compares two specs: the changes, and the version that they require.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use semver::Version;
use toml::Table;

use crate::cli::Outcome;
use crate::config::Config;
use crate::diag::Report;
use crate::spec;

mod compare;

pub use self::compare::changes;

/// The effect of a change on users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Only descriptions, sources and examples changed.
    Documentation,
    /// Something was added, and existing code and calls still work.
    Additive,
    /// Existing code may fail to compile, or an existing call may fail.
    Breaking,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Documentation => "documentation",
            Self::Additive => "additive",
            Self::Breaking => "breaking",
        })
    }
}

/// One difference between two versions of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The effect on users.
    pub class: Class,
    /// The changed declaration, such as `model.Photo.field.title`.
    pub place: String,
    /// A description of the change.
    pub what: String,
}

/// Returns the lowest version that may contain a change of this class after a version. Before 1.0.0, a breaking change
/// raises the minor version, as in cargo.
fn after(version: &Version, class: Class) -> Version {
    let &Version { major, minor, patch, .. } = version;
    match (class, major) {
        (Class::Breaking, 1..) => Version::new(major + 1, 0, 0),
        (Class::Breaking, 0) | (Class::Additive, 1..) => Version::new(major, minor + 1, 0),
        (Class::Additive, 0) | (Class::Documentation, _) => Version::new(major, minor, patch + 1),
    }
}

/// Compares two specs of a service, for the command `spec diff`.
pub(crate) fn command(root: &Path, config: &Config, paths: &[&str]) -> Result<Outcome, Outcome> {
    let Some(old) = paths.first().map(PathBuf::from).or_else(|| released(root, config)) else {
        let folder = config.beside_spec("released");
        return Ok(Outcome::fine(format!("no spec was released: {folder}/ contains none\n")));
    };
    let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let new = paths.get(1).map_or_else(|| root.join(&config.spec), PathBuf::from);
    let read = |path: &Path| -> Result<_, Report> {
        // The fixtures of a released spec are not kept.
        let bytes = spec::file(path, &shown(path))?;
        let service = spec::read_bytes(&bytes, None, &shown(path))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        Ok((text.trim_start_matches('\u{feff}').to_owned(), service))
    };
    let ((old_text, before), (new_text, new_service)) = (read(&old)?, read(&new)?);
    let changes = changes((&old_text, &before), (&new_text, &new_service));
    let Some(largest) = changes.iter().map(|change| change.class).max() else {
        return Ok(Outcome::fine(format!("no changes from {} to {}\n", shown(&old), shown(&new))));
    };
    let (mut stdout, mut stderr) = (String::new(), String::new());
    for Change { class, place, what } in &changes {
        _ = writeln!(stdout, "{class:13}  {place}: {what}");
        // Such a change compiles everywhere, so only this warning points it out.
        if what == compare::PUBLISHED {
            _ = writeln!(stderr, "\nwarning: {place}: {what}");
        }
    }
    let (Ok(was), Ok(is)) = (Version::parse(&before.version), Version::parse(&new_service.version))
    else {
        return Ok(Outcome { stdout, stderr, code: 0 });
    };
    let asked = after(&was, largest);
    _ = writeln!(
        stdout,
        "\nThe largest change is {largest}. After {was}, the version of the spec must be at least {asked}. It is {is}."
    );
    // All crates of a workspace are released together.
    if let Some(version) = workspace_version(root) {
        let asked = after(&version, largest);
        _ = writeln!(
            stdout,
            "After {version}, the version of the crates must be at least {asked}."
        );
    }
    if is < asked {
        _ = writeln!(stderr, "\nerror: raise `version` in {} to {asked}", shown(&new));
        return Err(Outcome { stdout, stderr, code: 1 });
    }
    Ok(Outcome { stdout, stderr, code: 0 })
}

/// Returns the common version of all crates of a workspace, from its manifest.
fn workspace_version(root: &Path) -> Option<Version> {
    let manifest: Table =
        toml::from_str(&fs::read_to_string(root.join("Cargo.toml")).ok()?).ok()?;
    let package = manifest.get("workspace")?.get("package")?;
    Version::parse(package.get("version")?.as_str()?).ok()
}

/// Returns the path of the latest released spec of a service.
fn released(root: &Path, config: &Config) -> Option<PathBuf> {
    let entries = fs::read_dir(root.join(config.beside_spec("released"))).ok()?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let version = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        Version::parse(name.strip_suffix(".toml")?).ok()
    };
    paths.filter(|path| version(path).is_some()).max_by_key(version)
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::{Class, after};

    #[track_caller]
    fn check(from: &str, class: Class, to: &str) {
        let from = Version::parse(from).expect("a version");
        assert_eq!(after(&from, class).to_string(), to);
    }

    #[test]
    fn each_class_raises_its_part_of_the_version() {
        check("1.4.2", Class::Breaking, "2.0.0");
        check("1.4.2", Class::Additive, "1.5.0");
        check("1.4.2", Class::Documentation, "1.4.3");
        check("0.4.2", Class::Breaking, "0.5.0");
        check("0.4.2", Class::Additive, "0.4.3");
        check("0.4.2", Class::Documentation, "0.4.3");
    }
}
