//! Files that are written atomically, and the private files in the settings folder: the settings file, with one table
//! for each profile, and the file with the tokens that `auth login` stores.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use crate::failure::Failure;
use crate::program::Program;
use crate::settings::{Key, check_name, shown_value};

/// A temporary file that will replace its target. If it is dropped before that, it is removed.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    pub(crate) file: NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    /// Creates a temporary file in the folder of its target, readable only by its owner. Also removes old temporary
    /// files that killed processes left there.
    pub(crate) fn create(target: PathBuf, program: &Program) -> io::Result<Self> {
        let (folder, prefix) = (folder_of(&target), format!(".{}-", program.name));
        remove_leftovers(folder, &prefix, PART);
        let file = tempfile::Builder::new().prefix(&prefix).suffix(PART).tempfile_in(folder)?;
        Ok(Self { file, target })
    }

    /// Syncs the file to the disk and renames it to its target.
    pub(crate) fn persist(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(self.target)?;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Removes the temporary files with this prefix and suffix that earlier runs of this user left in a folder.
pub(crate) fn remove_leftovers(folder: &Path, prefix: &str, suffix: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_named = |name: &str| name.starts_with(prefix) && name.ends_with(suffix);
        let is_left = |there: fs::Metadata| {
            let age = there.modified().ok().and_then(|at| at.elapsed().ok());
            let is_old = age.is_some_and(|age| age >= LEFTOVER_AGE);
            is_old && there.is_file() && Access::of(&there).is_own()
        };
        // This is the metadata of the entry itself, even if the entry is a link.
        if entry.file_name().to_str().is_some_and(is_named) && entry.metadata().is_ok_and(is_left) {
            // Another process may remove it first.
            drop(fs::remove_file(entry.path()));
        }
    }
}

/// Suffix of unfinished files.
const PART: &str = ".part";

/// Minimum time since a leftover was last changed. A run that is still active writes its file more often.
const LEFTOVER_AGE: Duration = Duration::from_secs(24 * 3600);

/// Returns a file's folder: the current folder if the path does not name one.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Returns the path of a settings file: in `$XDG_CONFIG_HOME/PROGRAM`, `~/.config/PROGRAM`, or `%APPDATA%\PROGRAM`.
///
/// `None` if the variables are not set, as in some containers and cron jobs. The settings are empty then.
pub(crate) fn find(program: &Program, name: &str) -> Option<PathBuf> {
    Some(base("APPDATA", "XDG_CONFIG_HOME", ".config")?.join(program.name).join(name))
}

/// Returns the path of a settings file, or fails without a settings folder.
pub(crate) fn path(program: &Program, name: &str) -> Result<PathBuf, Failure> {
    find(program, name).ok_or_else(|| missing("settings", "APPDATA", "HOME or XDG_CONFIG_HOME", ""))
}

/// Adds the hint that the settings were not read, if their folder is unknown. It replaces an earlier hint.
pub(crate) fn with_unread(failure: Failure, program: &Program) -> Failure {
    match path(program, "") {
        Ok(_) => failure,
        Err(missing) => failure.hint(format!("the settings were not read: {}", missing.text())),
    }
}

/// Returns the data folder: `$XDG_DATA_HOME/PROGRAM`, `~/.local/share/PROGRAM`, or `%LOCALAPPDATA%\PROGRAM`. `more`
/// adds alternatives to the error's hint.
pub(crate) fn data_folder(program: &Program, more: &str) -> Result<PathBuf, Failure> {
    let missing = || missing("data", "LOCALAPPDATA", "HOME or XDG_DATA_HOME", more);
    let base = base("LOCALAPPDATA", "XDG_DATA_HOME", ".local/share").ok_or_else(missing)?;
    Ok(base.join(program.name))
}

/// Returns the folder that a variable names, or else a folder below the home. A path that is not absolute is ignored,
/// because it would depend on the current folder.
fn base(windows: &str, others: &str, below_home: &str) -> Option<PathBuf> {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return absolute(windows);
    }
    absolute(others).or_else(|| absolute("HOME").map(|home| home.join(below_home)))
}

fn missing(folder: &str, windows: &str, others: &str, more: &str) -> Failure {
    let variables = if cfg!(windows) { windows } else { others };
    Failure::usage(format!("cannot find the {folder} folder"))
        .hint(format!("set {variables} to an absolute path{more}"))
}

/// Reads a file. Returns `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(unusable("read", path, &error)),
    }
}

/// Reads a file that others must not be able to read: see [`check_private`].
pub(crate) fn read_private(path: &Path, contents: &str) -> Result<Option<String>, Failure> {
    check_private(path, contents)?;
    read(path)
}

/// Returns whether a file does not exist. A path below a file does not exist either: accounts without a home have
/// `/dev/null` as their home.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Who owns a file, and what others may do with it. On Windows, no other user can use the files in the user's folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) owner: u32,
    pub(crate) mode: u32,
}

impl Access {
    #[cfg(unix)]
    pub(crate) fn of(there: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;

        Self { owner: there.uid(), mode: there.mode() }
    }

    #[cfg(not(unix))]
    pub(crate) const fn of(_there: &fs::Metadata) -> Self {
        Self { owner: 0, mode: 0 }
    }

    /// Returns whether the file belongs to the user of this process.
    pub(crate) fn is_own(self) -> bool {
        #[cfg(unix)]
        return self.owner == rustix::process::geteuid().as_raw();
        #[cfg(not(unix))]
        true
    }
}

/// Refuses a file that others can read, as `ssh` does. A file that belongs to another user or is on a read-only file
/// system is accepted: its mode cannot be changed, and Docker and Kubernetes provide secrets that way. The hint names
/// the contents, such as `token`.
pub(crate) fn check_private(path: &Path, contents: &str) -> Result<(), Failure> {
    let access = fs::metadata(path).map(|there| Access::of(&there));
    if !access.is_ok_and(|access| access.is_own() && access.mode & 0o077 != 0) || is_read_only(path)
    {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::usage(format!("other users can read {path}")).hint(format!(
        "run `chmod 600 {path}`, and replace the {contents} if someone else may have read it"
    )))
}

/// Refuses settings, or their folder, if a user other than this one and root can change them: settings can start
/// programs. The mode does not matter on a read-only file system: Kubernetes mounts folders with mode 0777 that way.
fn check_trusted(path: &Path, there: &fs::Metadata) -> Result<(), Failure> {
    let access = Access::of(there);
    let (what, mend) = if !access.is_own() && access.owner != 0 {
        ("another user owns", "sudo chown $(id -u)")
    } else if access.mode & 0o022 != 0 && !is_read_only(path) {
        ("other users can change", "chmod go-w")
    } else {
        return Ok(());
    };
    let shown = path.display();
    Err(Failure::usage(format!("{what} {shown}"))
        .hint(format!("settings can start programs: check them, then run `{mend} {shown}`")))
}

#[cfg(unix)]
fn is_read_only(path: &Path) -> bool {
    use rustix::fs::{StatVfsMountFlags, statvfs};

    statvfs(path).is_ok_and(|mounted| mounted.f_flag.contains(StatVfsMountFlags::RDONLY))
}

#[cfg(not(unix))]
const fn is_read_only(_path: &Path) -> bool {
    false
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Name of the file that is locked while settings or tokens change.
const LOCK: &str = "config.lock";

/// Reads a file whose settings can start programs. Refuses a file that another user can change, as `ssh` does.
pub(crate) fn read_trusted(path: &Path) -> Result<Option<String>, Failure> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(unusable("read", path, &error)),
    };
    let folder = folder_of(path);
    let opened = file.metadata().and_then(|there| Ok((there, fs::metadata(folder)?)));
    let (there, above) = opened.map_err(|error| unusable("read", path, &error))?;
    check_trusted(path, &there)?;
    check_trusted(folder, &above)?;
    io::read_to_string(file).map(Some).map_err(|error| unusable("read", path, &error))
}

/// A lock of the settings folder. Take it before reading a file that will be changed: otherwise the changes that
/// another process makes in between are lost.
#[derive(Debug)]
pub(crate) struct Lock {
    program: Program,
    _file: File,
}

impl Lock {
    /// Waits until no other process is changing the settings.
    pub(crate) fn take(program: &Program) -> Result<Self, Failure> {
        let path = path(program, LOCK)?;
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        // Only its owner can read the file.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = make_private(folder_of(&path)).and_then(|()| options.open(&path));
        let file = file.map_err(|error| unusable("write", &path, &error))?;
        match file.lock() {
            // Some file systems have no locks.
            Err(error) if error.kind() != io::ErrorKind::Unsupported => {
                Err(unusable("lock", &path, &error))
            }
            _ => Ok(Self { program: *program, _file: file }),
        }
    }

    /// Writes a file atomically. Its mode is 0600 from the start, so that others can never read it.
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        let put = || {
            make_private(folder_of(path))?;
            let mut file = AtomicFile::create(path.to_owned(), &self.program)?;
            file.write_all(text.as_bytes())?;
            file.persist()
        };
        put().map_err(|error| unusable("write", path, &error))
    }
}

fn unusable(verb: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot {verb} {}", path.display())).because(error)
}

/// The contents of `config.toml`, checked.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    pub(crate) program: Program,
    /// `None` without a settings folder.
    path: Option<PathBuf>,
    document: DocumentMut,
    /// The contents of the file when it was read.
    text: String,
}

impl ConfigFile {
    /// Reads the file. If the file or its folder does not exist, the settings are empty.
    pub(crate) fn read(program: &Program) -> Result<Self, Failure> {
        let Some(path) = find(program, CONFIG) else { return Ok(Self::empty(program)) };
        let text = read_trusted(&path)?.unwrap_or_default();
        let document = text.parse::<DocumentMut>().map_err(|error| {
            Failure::usage(format!("{} is not valid TOML", path.display()))
                .because(place(&text, &error))
        })?;
        check(&document)
            .map_err(|failure| failure.because(format!("it is in {}", path.display())))?;
        Ok(Self { program: *program, path: Some(path), document, text })
    }

    pub(crate) fn empty(program: &Program) -> Self {
        Self { program: *program, path: None, document: DocumentMut::new(), text: String::new() }
    }

    /// Returns the path of the file, which may not exist yet.
    pub(crate) fn path(&self) -> Result<PathBuf, Failure> {
        self.path.clone().map_or_else(|| path(&self.program, CONFIG), Ok)
    }

    pub(crate) fn profiles(&self) -> impl Iterator<Item = &str> {
        let profiles = self.document.get("profile").and_then(Item::as_table_like);
        profiles.into_iter().flat_map(|profiles| profiles.iter().map(|(name, _)| name))
    }

    /// Returns the profile to use if neither a flag nor the environment names one.
    pub(crate) fn default_profile(&self) -> Option<&str> {
        self.document.get(DEFAULT)?.as_str()
    }

    pub(crate) fn set_default_profile(&mut self, name: Option<&str>) {
        match name {
            Some(name) => self.document.insert(DEFAULT, value(name)),
            None => self.document.remove(DEFAULT),
        };
    }

    /// Removes a profile in memory; [`Self::save`] writes the change. If the profile was the default, it no longer is.
    pub(crate) fn remove_profile(&mut self, name: &str) {
        if self.default_profile() == Some(name) {
            self.set_default_profile(None);
        }
        if let Some(profiles) = self.profiles_mut() {
            profiles.remove(name);
        }
    }

    fn profiles_mut(&mut self) -> Option<&mut dyn TableLike> {
        self.document.get_mut("profile")?.as_table_like_mut()
    }

    pub(crate) fn get(&self, profile: &str, key: &str) -> Option<String> {
        shown_value(self.document.get("profile")?.get(profile)?.get(key)?.as_value()?)
    }

    /// Changes a setting of a profile in memory; [`Self::save`] writes the change.
    pub(crate) fn set(&mut self, profile: &str, key: &str, text: &str) -> Result<(), Failure> {
        let text = Key::find(key)?.parse(text)?;
        let table = self.document.entry("profile").or_insert_with(|| {
            let mut profiles = Table::new();
            profiles.set_implicit(true);
            Item::Table(profiles)
        });
        let settings = table.as_table_like_mut().and_then(|profiles| {
            let settings = profiles.entry(profile).or_insert_with(|| Item::Table(Table::new()));
            settings.as_table_like_mut()
        });
        let settings = settings.ok_or_else(|| {
            Failure::usage(format!("cannot set {key}: `profile.{profile}` is not a table"))
        })?;
        settings.insert(key, value(text));
        Ok(())
    }

    /// Removes a setting of a profile in memory; [`Self::save`] writes the change. Returns whether the setting was set.
    pub(crate) fn unset(&mut self, profile: &str, key: &str) -> bool {
        // `Item::get_mut` would insert an empty item for an absent profile.
        let settings = self.profiles_mut().and_then(|profiles| profiles.get_mut(profile));
        settings.and_then(Item::as_table_like_mut).and_then(|found| found.remove(key)).is_some()
    }

    /// Writes the file if a setting has changed. The caller must have taken the lock before it read the file.
    pub(crate) fn save(&self, lock: &Lock) -> Result<(), Failure> {
        let text = self.document.to_string();
        if text == self.text { Ok(()) } else { lock.write(&self.path()?, &text) }
    }
}

/// Describes the error and its position, without the line itself, which may contain a token.
fn place(text: &str, error: &toml_edit::TomlError) -> String {
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let before = error.span().and_then(|span| text.get(..span.start));
    let Some(before) = before else { return message };
    let begun = before.rsplit('\n').next().unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("line {line}, column {}: {message}", begun.chars().count() + 1)
}

const DEFAULT: &str = "default-profile";

/// Refuses unknown keys: a typo must not be ignored.
fn check(document: &DocumentMut) -> Result<(), Failure> {
    let wrong = |what: String| move || Failure::usage(what);
    for (key, item) in document.iter() {
        if key == DEFAULT {
            check_name(item.as_str().ok_or_else(wrong(format!("`{DEFAULT}` must be text")))?)?;
            continue;
        }
        let profiles = item.as_table_like().filter(|_| key == "profile").ok_or_else(|| {
            Failure::usage(format!("unexpected key `{key}`"))
                .hint("settings belong in a table [profile.NAME]")
        })?;
        for (name, settings) in profiles.iter() {
            check_name(name)?;
            let settings = settings.as_table_like();
            let settings =
                settings.ok_or_else(wrong(format!("`profile.{name}` must be a table")))?;
            for (key, value) in settings.iter() {
                let text = value.as_value().and_then(shown_value);
                // A list or table counts as an empty string, which no setting accepts; the error lists valid values.
                let checked = Key::find(key)?.check(&text.unwrap_or_default());
                checked.map_err(|failure| failure.because(format!("it is in profile `{name}`")))?;
            }
        }
    }
    Ok(())
}

/// A token that `auth login` stored.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StoredToken {
    pub(crate) token: String,
    /// The origin of the service that the token is for.
    pub(crate) service: String,
}

/// Returns whether a profile has a stored token. True if the file cannot be read: [`stored_token`] explains the error.
pub(crate) fn has_token(program: &Program, profile: &str) -> bool {
    stored_token(program, profile).map_or(true, |token| token.is_some())
}

/// Returns the names of all profiles in order, including those that have only a token.
pub(crate) fn profile_names(file: &ConfigFile) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> =
        tokens(&file.program)?.iter().map(|(name, _)| name.to_owned()).collect();
    names.extend(file.profiles().map(str::to_owned));
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

pub(crate) fn stored_token(
    program: &Program,
    profile: &str,
) -> Result<Option<StoredToken>, Failure> {
    let document = tokens(program)?;
    let Some(entry) = document.get(profile) else { return Ok(None) };
    parse_token(entry).map(Some).ok_or_else(|| {
        Failure::usage(format!("the stored token of profile {profile} is incomplete"))
            .hint(format!("log in again with `{} --profile {profile} auth login`", program.name))
    })
}

fn parse_token(entry: &Item) -> Option<StoredToken> {
    let text = |key| entry.get(key).and_then(Item::as_str).map(str::to_owned);
    Some(StoredToken { token: text("token")?, service: text("service")? })
}

/// Stores a profile's token, or removes it. Returns the former token.
pub(crate) fn set_token(
    lock: &Lock,
    program: &Program,
    profile: &str,
    token: Option<&StoredToken>,
) -> Result<Option<StoredToken>, Failure> {
    let mut document = tokens(program)?;
    let former = match token {
        Some(StoredToken { token, service }) => {
            let entry = Table::from_iter([("service", service), ("token", token)]);
            document.insert(profile, Item::Table(entry))
        }
        None => document.remove(profile),
    };
    if former.is_some() || token.is_some() {
        lock.write(&tokens_path(program)?, &document.to_string())?;
    }
    Ok(former.as_ref().and_then(parse_token))
}

pub(crate) fn tokens_path(program: &Program) -> Result<PathBuf, Failure> {
    path(program, TOKENS)
}

fn tokens(program: &Program) -> Result<DocumentMut, Failure> {
    let Some(path) = find(program, TOKENS) else { return Ok(DocumentMut::new()) };
    let text = read_private(&path, "token")?.unwrap_or_default();
    // The parser's error would quote the line, and with it the token.
    text.parse().map_err(|_quotes| {
        Failure::usage(format!("{} is not valid TOML", path.display())).hint(format!(
            "remove it, and log in again for each profile: `{} --profile NAME auth login`",
            program.name
        ))
    })
}

const CONFIG: &str = "config.toml";

const TOKENS: &str = "tokens.toml";

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::SystemTime;

    use super::{AtomicFile, LEFTOVER_AGE};
    use crate::program::Program;

    #[cfg(unix)]
    #[test]
    fn only_old_files_of_the_program_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now().checked_sub(LEFTOVER_AGE * 2).unwrap();
        for name in [".gw-1.part", ".gw-1.csv", "mine.part", ".gw-young.part"] {
            let file = File::create(folder.path().join(name)).unwrap();
            if !name.contains("young") {
                file.set_modified(old).unwrap();
            }
        }
        fs::create_dir(folder.path().join(".gw-folder.part")).unwrap();
        // Only root can change the owner of a file, so only root can test this.
        let theirs = folder.path().join(".gw-theirs.part");
        File::create(&theirs).unwrap().set_modified(old).unwrap();
        if std::os::unix::fs::chown(&theirs, Some(65_534), None).is_err() {
            fs::remove_file(&theirs).unwrap();
        }
        let has_theirs = theirs.exists();
        AtomicFile::create(folder.path().join("new"), &Program::new("gw", "1.0.0")).unwrap();
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names.retain(|name| name != ".gw-theirs.part");
        assert_eq!(theirs.exists(), has_theirs);
        let kept = [".gw-1.csv", ".gw-folder.part", ".gw-young.part", "mine.part"];
        assert_eq!(names, kept);
    }
}
