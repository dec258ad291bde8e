//! The folder of the program's own files, and how a private file is written there.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::atomic_file::AtomicFile;
use crate::failure::Failure;
use crate::screen::variable;

/// Returns where a file of settings is: in `$XDG_CONFIG_HOME/gateway`, `~/.config/gateway`, or `%APPDATA%\gateway`.
///
/// A container or a cron job may have no such place, and no settings then.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        absolute("APPDATA")
    } else {
        absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))
    };
    Some(base?.join("gateway").join(name))
}

/// Returns where a file of settings is to be kept.
pub(crate) fn path(name: &str) -> Result<PathBuf, Failure> {
    let variables = if cfg!(windows) { "APPDATA" } else { "HOME or XDG_CONFIG_HOME" };
    find(name).ok_or_else(|| {
        Failure::usage("there is no folder for settings").hint(format!("set {variables}"))
    })
}

/// Reads a file that may not be there.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(unusable(path, "cannot be read", &error)),
    }
}

/// Accounts without a home have `/dev/null` for it: what is said to be below a file is not there either.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Puts a file in place whole or not at all, for its owner only.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let put = || -> io::Result<()> {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        make_private(folder)?;
        // Its mode is 0600 from the start: there is no moment in which others can read it.
        let mut file = AtomicFile::create(folder, "")?;
        file.write_all(text.as_bytes())?;
        file.persist(path)
    };
    put().map_err(|error| unusable(path, "cannot be written", &error))
}

/// Refuses a file that others can read, as `ssh` does; but one that the person cannot close to them, because it is somebody
/// else's or lies where nothing can be written, is as the platform means it, and is taken.
#[cfg(unix)]
pub(crate) fn check_private(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{StatVfsMountFlags, statvfs};

    let own = rustix::process::geteuid().as_raw();
    let open = |there: fs::Metadata| there.mode() & 0o077 != 0 && there.uid() == own;
    let fixed = |mounted: rustix::fs::StatVfs| mounted.f_flag.contains(StatVfsMountFlags::RDONLY);
    if !fs::metadata(path).is_ok_and(open) || statvfs(path).is_ok_and(fixed) {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::usage(format!("others can read {path}"))
        .hint(format!("chmod 600 {path}, and ask for another token if it may have been seen")))
}

/// Windows gives a file in the person's own folder to that person only.
#[cfg(not(unix))]
pub(crate) fn check_private(_path: &Path) -> Result<(), Failure> {
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

fn unusable(path: &Path, what: &str, error: &io::Error) -> Failure {
    Failure::usage(format!("{} {what}", path.display())).because(error.to_string())
}
