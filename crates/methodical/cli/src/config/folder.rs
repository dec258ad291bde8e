//! The settings folder, and private files in it.

use std::fs::File;
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

/// Reads a file whose settings can start programs. Refuses a file that another user can change, as `ssh` does.
pub(crate) fn read_trusted(path: &Path) -> Result<Option<String>, Failure> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(unusable("read", path, &error)),
    };
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let opened = file.metadata().and_then(|there| Ok((there, fs::metadata(folder)?)));
    let (there, above) = opened.map_err(|error| unusable("read", path, &error))?;
    check_trusted(path, &there)?;
    check_trusted(folder, &above)?;
    io::read_to_string(file).map(Some).map_err(|error| unusable("read", path, &error))
}

/// A path below a file is missing too: accounts without a home have `/dev/null` as their home.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A lock of the settings folder. Take it before reading a file that will be changed: otherwise the changes that another process
/// makes in between are lost.
#[derive(Debug)]
pub(crate) struct Lock {
    program: Name,
    /// `None` if the folder cannot have files. Nothing can be written then.
    _file: Option<File>,
}

impl Lock {
    /// Waits until no other process changes the settings.
    pub(crate) fn take(program: Name) -> Result<Self, Failure> {
        let Some(path) = find(program, LOCK) else { return Ok(Self { program, _file: None }) };
        let open = || {
            make_private(path.parent().unwrap_or_else(|| Path::new(".")))?;
            private().open(&path)
        };
        let file = match open() {
            Ok(file) => file,
            // `write` explains why.
            Err(_) if !path.exists() => return Ok(Self { program, _file: None }),
            Err(error) => return Err(unusable("lock", &path, &error)),
        };
        match file.lock() {
            // Some file systems have no locks.
            Err(error) if error.kind() != io::ErrorKind::Unsupported => {
                Err(unusable("lock", &path, &error))
            }
            _ => Ok(Self { program, _file: Some(file) }),
        }
    }

    /// Writes a file atomically, readable only by its owner.
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        let put = || -> io::Result<()> {
            let folder = path.parent().unwrap_or_else(|| Path::new("."));
            make_private(folder)?;
            // Its mode is 0600 from the start, so that others can never read it.
            let mut file = AtomicFile::create(folder, &prefix(self.program), "")?;
            file.write_all(text.as_bytes())?;
            file.persist(path)
        };
        put().map_err(|error| unusable("write", path, &error))
    }
}

/// Refuses a file that others can read, as `ssh` does. A file that belongs to another user or is on a read-only file system
/// is accepted: the person cannot change its mode, and Docker and Kubernetes provide secrets that way. The hint names the
/// contents, such as `token`.
#[cfg(unix)]
pub(crate) fn check_private(path: &Path, contents: &str) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt as _;

    let own = rustix::process::geteuid().as_raw();
    let open = |there: fs::Metadata| there.mode() & 0o077 != 0 && there.uid() == own;
    if !fs::metadata(path).is_ok_and(open) || is_read_only(path) {
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

/// Refuses settings, or their folder, if a user other than this one and root can change them: settings can start programs. The
/// mode does not matter on a read-only file system: Kubernetes mounts folders with mode 0777 that way.
#[cfg(unix)]
fn check_trusted(path: &Path, there: &fs::Metadata) -> Result<(), Failure> {
    use std::os::unix::fs::MetadataExt as _;

    let is_own = [0, rustix::process::geteuid().as_raw()].contains(&there.uid());
    let what = if is_own && there.mode() & 0o022 != 0 && !is_read_only(path) {
        "other users can change"
    } else if is_own {
        return Ok(());
    } else {
        "another user owns"
    };
    let (shown, mend) = (path.display(), if is_own { "chmod go-w" } else { "chown $(id -u)" });
    Err(Failure::usage(format!("{what} {shown}"))
        .hint(format!("settings can start programs: check them, then run `{mend} {shown}`")))
}

/// Accepts every file: on Windows, only the person can change the files in their folder.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "fails on Unix")]
fn check_trusted(_path: &Path, _there: &fs::Metadata) -> Result<(), Failure> {
    Ok(())
}

#[cfg(unix)]
fn is_read_only(path: &Path) -> bool {
    use rustix::fs::{StatVfsMountFlags, statvfs};

    statvfs(path).is_ok_and(|mounted| mounted.f_flag.contains(StatVfsMountFlags::RDONLY))
}

/// Returns the options of a file that only its owner can read.
fn private() -> fs::OpenOptions {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
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

/// Name of the file that is locked while settings or tokens change.
const LOCK: &str = "config.lock";
