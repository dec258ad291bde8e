//! Compares two specs: the changes, and the version that they require.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::{Outcome, usage};
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

/// `MAJOR.MINOR.PATCH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u64; 3]);

impl Version {
    /// Parses a version of three numbers.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers: Option<Vec<_>> = text.split('.').map(|number| number.parse().ok()).collect();
        numbers?.try_into().ok().map(Self)
    }

    /// Returns the lowest version that may contain a change of this class. Before 1.0.0, a breaking
    /// change raises the minor version, as in cargo.
    #[must_use]
    pub fn after(self, class: Class) -> Self {
        let Self([major, minor, patch]) = self;
        Self(match (class, major) {
            (Class::Breaking, 1..) => [major + 1, 0, 0],
            (Class::Breaking, 0) | (Class::Additive, 1..) => [major, minor + 1, 0],
            (Class::Additive, 0) | (Class::Documentation, _) => [major, minor, patch + 1],
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// Compares two specs of a service, for the command `spec diff`.
pub(crate) fn command(root: &Path, config: &Config, paths: &[&str]) -> Result<Outcome, Outcome> {
    let old =
        paths.first().map(PathBuf::from).or_else(|| released(root, config)).ok_or_else(|| {
            let folder = config.beside_spec("released");
            usage(&format!("{folder}/ contains no spec; pass the path of the old spec"))
        })?;
    let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let new = paths.get(1).map_or_else(|| root.join(&config.spec), PathBuf::from);
    let read = |path: &Path| -> Result<_, Report> {
        // The fixtures of a released spec are not kept.
        let bytes = spec::file(path, &shown(path))?;
        let service = spec::read_bytes(&bytes, None, &shown(path))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        Ok((text.trim_start_matches('\u{feff}').to_owned(), service))
    };
    let ((old_text, before), (new_text, after)) = (read(&old)?, read(&new)?);
    let changes = changes((&old_text, &before), (&new_text, &after));
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
    let (Some(was), Some(is)) = (Version::parse(&before.version), Version::parse(&after.version))
    else {
        return Ok(Outcome { stdout, stderr, code: 0 });
    };
    let asked = was.after(largest);
    _ = writeln!(
        stdout,
        "\nThe largest change is {largest}. After {was}, the version of the spec must be at least {asked}. It is {is}."
    );
    // All crates of a workspace are released together.
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    if let Some(version) = workspace_version(&manifest).and_then(Version::parse) {
        let asked = version.after(largest);
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
pub(crate) fn workspace_version(manifest: &str) -> Option<&str> {
    let (_, package) = manifest.split_once("[workspace.package]")?;
    let line = package.lines().find_map(|line| line.strip_prefix("version = \""))?;
    line.split_once('"').map(|(version, _)| version)
}

/// Returns the path of the latest released spec of a service.
pub(crate) fn released(root: &Path, config: &Config) -> Option<PathBuf> {
    let entries = fs::read_dir(root.join(config.beside_spec("released"))).ok()?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let version = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        Version::parse(name.strip_suffix(".toml")?)
    };
    paths.filter(|path| version(path).is_some()).max_by_key(version)
}

#[cfg(test)]
mod tests {
    use super::{Class, Version};

    #[track_caller]
    fn check(from: &str, class: Class, to: &str) {
        let from = Version::parse(from).expect("a version");
        assert_eq!(from.after(class).to_string(), to);
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

    #[test]
    fn malformed_versions_are_rejected() {
        for text in ["", "1", "1.2", "1.2.3.4", "1.2.x", "1.-2.3"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
