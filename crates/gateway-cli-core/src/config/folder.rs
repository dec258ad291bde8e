//! The settings folder, and private files in it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::atomic_file::{AtomicFile, prefix};
use crate::failure::Failure;
use crate::name::Name;

/// Returns the path of a settings file: in `$XDG_CONFIG_HOME/PROGRAM`, `~/.config/PROGRAM`, or `%APPDATA%\PROGRAM`.
///
/// `None` if the variables are not set, as in some containers and cron jobs. The settings are empty then.
pub(crate) fn find(program: Name, name: &str) -> Option<PathBuf> {
    let base = if cfg!(windows) {
        absolute("APPDATA")
    } else {
        absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))
    };
    Some(base?.join(program.as_str()).join(name))
}

/// Returns the path of a settings file, or fails without a settings folder.
pub(crate) fn path(program: Name, name: &str) -> Result<PathBuf, Failure> {
    let variables = if cfg!(windows) { "APPDATA" } else { "HOME or XDG_CONFIG_HOME" };
    find(program, name).ok_or_else(|| {
        Failure::usage("cannot find the settings folder").hint(format!("set {variables}"))
    })
}

/// Returns the folder of stored responses: in `$XDG_CACHE_HOME/PROGRAM`, `~/.cache/PROGRAM`, or `%LOCALAPPDATA%\PROGRAM`.
pub(crate) fn cache_folder(program: Name) -> Result<PathBuf, Failure> {
    let (base, variables) = if cfg!(windows) {
        (absolute("LOCALAPPDATA"), "LOCALAPPDATA")
    } else {
        let home = || absolute("HOME").map(|home| home.join(".cache"));
        (absolute("XDG_CACHE_HOME").or_else(home), "HOME or XDG_CACHE_HOME")
    };
    let base = base.ok_or_else(|| {
        Failure::usage("cannot find the folder for --cache").hint(format!("set {variables}"))
    })?;
    Ok(base.join(program.as_str()).join("responses"))
}

/// Returns the data folder: `$XDG_DATA_HOME/PROGRAM`, `~/.local/share/PROGRAM`, or `%LOCALAPPDATA%\PROGRAM`.
#[cfg(feature = "mirror")]
pub(crate) fn data_folder(program: Name) -> Result<PathBuf, Failure> {
    let (base, variables) = if cfg!(windows) {
        (absolute("LOCALAPPDATA"), "LOCALAPPDATA")
    } else {
        let home = || absolute("HOME").map(|home| home.join(".local").join("share"));
        (absolute("XDG_DATA_HOME").or_else(home), "HOME or XDG_DATA_HOME")
    };
    let base = base.ok_or_else(|| {
        Failure::usage("cannot find the data folder").hint(format!("set {variables}"))
    })?;
    Ok(base.join(program.as_str()))
}

/// Returns the absolute path in an environment variable. Another path would depend on the current folder.
fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Reads a file. Returns `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(unusable("read", path, &error)),
    }
}

/// A path below a file is missing too: accounts without a home have `/dev/null` as their home.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Writes a file atomically, readable only by its owner.
pub(crate) fn write(program: Name, path: &Path, text: &str) -> Result<(), Failure> {
    let put = || -> io::Result<()> {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        make_private(folder)?;
        // Its mode is 0600 from the start, so that others can never read it.
        let mut file = AtomicFile::create(folder, &prefix(program), "")?;
        file.write_all(text.as_bytes())?;
        file.persist(path)
    };
    put().map_err(|error| unusable("write", path, &error))
}

/// Refuses a file that others can read, as `ssh` does. A file that belongs to another user or is on a read-only file system
/// is accepted: the person cannot change its mode, and Docker and Kubernetes provide secrets that way. The hint names the
/// contents, such as `token`.
#[cfg(unix)]
pub(crate) fn check_private(path: &Path, contents: &str) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{StatVfsMountFlags, statvfs};

    let own = rustix::process::geteuid().as_raw();
    let open = |there: fs::Metadata| there.mode() & 0o077 != 0 && there.uid() == own;
    let fixed = |mounted: rustix::fs::StatVfs| mounted.f_flag.contains(StatVfsMountFlags::RDONLY);
    if !fs::metadata(path).is_ok_and(open) || statvfs(path).is_ok_and(fixed) {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::usage(format!("other users can read {path}")).hint(format!(
        "run `chmod 600 {path}`, and replace the {contents} if somebody may have read it"
    )))
}

/// Accepts every file: on Windows, only the person can read the files in their folder.
#[cfg(not(unix))]
pub(crate) fn check_private(_path: &Path, _contents: &str) -> Result<(), Failure> {
    Ok(())
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

fn unusable(verb: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot {verb} {}", path.display())).because(error.to_string())
}
