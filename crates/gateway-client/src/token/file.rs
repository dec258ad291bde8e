//! A token from a file that another program may replace.

use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use gateway_transport::{BoxError, BoxFuture};

use crate::lock::unpoisoned;
use crate::token::spawn_blocking::spawn_blocking;
use crate::token::text;
use crate::{AccessToken, TokenSource};

/// A token from a file, which is read again after it has changed. Surrounding whitespace is ignored.
///
/// Three files are refused:
///
/// - a file of more than 64 KiB;
/// - anything but a regular file, such as a pipe, which yields its token only once;
/// - on Unix, as `ssh` does, a file that you own and that other users can access.
///
/// A file of another owner, or on a read-only file system, is accepted with any permissions: platforms provide tokens to
/// containers that way, readable for every user of the container, and no user there could change that.
///
/// The file is read on a separate thread. Before each call the client checks whether the file has changed, which takes
/// about a microsecond; a file system that does not respond delays the call.
///
/// # Examples
///
/// ```no_run
/// use gateway_client::{Client, FileToken};
///
/// let client = Client::builder("https://gateway.example.com")
///     .token(FileToken::new("/run/secrets/gateway-token"))
///     .build()?;
/// # Ok::<(), gateway_client::Error>(())
/// ```
#[derive(Debug)]
pub struct FileToken {
    path: PathBuf,
    last: Mutex<Option<Version>>,
}

/// A token and the version of the file that it was read from.
#[derive(Debug)]
struct Version {
    token: AccessToken,
    stamp: Stamp,
}

type Stamp = (u64, Option<SystemTime>);

impl FileToken {
    /// Creates a source that reads this file whenever a token is needed.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), last: Mutex::new(None) }
    }

    async fn read(&self) -> Result<AccessToken, BoxError> {
        let path = self.path.clone();
        let version = spawn_blocking("gateway-token-file", move || read(&path)).await??;
        let token = version.token.clone();
        *unpoisoned(self.last.lock()) = Some(version);
        Ok(token)
    }
}

impl TokenSource for FileToken {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(self.read())
    }

    fn is_current(&self, token: &AccessToken) -> bool {
        let Ok(metadata) = fs::metadata(&self.path) else { return false };
        let last = unpoisoned(self.last.lock());
        last.as_ref().is_some_and(|last| last.stamp == stamp(&metadata) && last.token.is(token))
    }
}

fn read(path: &Path) -> Result<Version, BoxError> {
    let name = format!("the token file {}", path.display());
    let unreadable = |error| format!("cannot read {name}: {error}");
    // Checked before the file is opened, because opening a pipe waits for its writer.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(
            format!("{name} is not a regular file; use a regular file or a token command").into()
        );
    }
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if is_too_open(&file, &metadata) {
        return Err(format!("{name} is accessible to other users; run `chmod 600`").into());
    }
    let text = text::read(file).map_err(unreadable)?;
    let text = text.ok_or_else(|| format!("{name} exceeds 64 KiB"))?;
    let token = text::token(&text, || name)?;
    Ok(Version { token, stamp: stamp(&metadata) })
}

fn stamp(metadata: &Metadata) -> Stamp {
    (metadata.len(), metadata.modified().ok())
}

/// Returns whether other users can access a file whose permissions this user could change.
#[cfg(unix)]
fn is_too_open(file: &File, metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{StatVfsMountFlags, fstatvfs};

    let own = metadata.uid() == rustix::process::geteuid().as_raw();
    let mounted = fstatvfs(file).map(|system| system.f_flag);
    let fixed = mounted.is_ok_and(|flags| flags.contains(StatVfsMountFlags::RDONLY));
    metadata.mode() & 0o077 != 0 && own && !fixed
}

#[cfg(not(unix))]
fn is_too_open(_file: &File, _metadata: &Metadata) -> bool {
    false
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::process::Command;

    use tempfile::TempDir;

    use super::FileToken;
    use crate::TokenSource as _;
    use crate::token::text::MAX_LENGTH;

    fn token_file(text: &str, mode: u32) -> (TempDir, FileToken) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        (folder, FileToken::new(path))
    }

    #[test]
    fn a_changed_file_is_read_again() {
        let (_folder, source) = token_file("gwt_first\n", 0o600);
        let first = pollster::block_on(source.token(None)).unwrap();
        assert!(source.is_current(&first));

        fs::write(&source.path, "gwt_the_second\n").unwrap();
        assert!(!source.is_current(&first));
        let second = pollster::block_on(source.token(None)).unwrap();
        assert!(!second.is(&first));
        // Another client of this source may still use the first token.
        assert!(!source.is_current(&first));
        assert!(source.is_current(&second));
    }

    #[test]
    fn a_file_above_the_limit_is_an_error() {
        for length in [MAX_LENGTH - 1, MAX_LENGTH, MAX_LENGTH + 1] {
            let text = "x".repeat(length);
            let (_folder, source) = token_file(&text, 0o600);
            let token = pollster::block_on(source.token(None));
            assert_eq!(token.is_ok(), length <= MAX_LENGTH, "{length}");
        }
    }

    #[test]
    fn an_invalid_file_is_an_error() {
        for (mode, text) in [(0o640, "gwt_x"), (0o604, "gwt_x"), (0o600, ""), (0o600, "a b")] {
            let (_folder, source) = token_file(text, mode);
            assert!(pollster::block_on(source.token(None)).is_err(), "{mode:o} {text:?}");
        }
        let nowhere = FileToken::new("no-such-folder/token");
        let error = pollster::block_on(nowhere.token(None)).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("cannot read the token file no-such-folder/token: "), "{text}");
    }

    /// Platforms provide such files to containers.
    #[test]
    fn a_file_of_another_owner_may_be_readable_for_everyone() {
        let (_folder, source) = token_file("gwt_x", 0o444);
        let error = pollster::block_on(source.token(None)).unwrap_err();
        assert!(error.to_string().ends_with(" is accessible to other users; run `chmod 600`"));
        if chown(&source.path, Some(12345), None).is_ok() {
            assert!(pollster::block_on(source.token(None)).is_ok());
        } else {
            // Only root may change the owner. This file belongs to root; it has no token in it.
            let error = pollster::block_on(FileToken::new("/etc/passwd").token(None)).unwrap_err();
            assert!(!error.to_string().contains("accessible"), "{error}");
        }
    }

    #[test]
    fn only_a_regular_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let mkfifo = Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status();
        assert!(mkfifo.unwrap().success());
        for path in [folder.path(), &pipe] {
            let error = pollster::block_on(FileToken::new(path).token(None)).unwrap_err();
            assert!(
                error
                    .to_string()
                    .ends_with("is not a regular file; use a regular file or a token command")
            );
        }
    }
}
