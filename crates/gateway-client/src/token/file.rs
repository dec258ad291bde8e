//! A token from a file that another program keeps fresh.

use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use gateway_transport::{BoxError, BoxFuture};

use crate::token::aside::aside;
use crate::token::text;
use crate::{AccessToken, TokenSource};

/// Takes the token from a file, and reads it again when the file has changed. White space around it is left out.
///
/// Refused are a file of more than 64 KiB, what is no regular file, such as a pipe, which gives its token only once, and on
/// Unix, as `ssh` does, a file of one's own that others can read. A file that belongs to somebody else, or that lies where
/// nothing can be written, is taken as it is: platforms provide tokens to containers that way, readable for everybody in
/// there, and nobody in there could change it.
///
/// The file is read beside the calls. Whether it has changed is looked up before each of them, in about a microsecond;
/// a file system that does not answer holds up the call.
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

/// What was read, and what tells it from the next version of the file.
#[derive(Debug)]
struct Version {
    token: AccessToken,
    stamp: Stamp,
}

type Stamp = (u64, Option<SystemTime>);

impl FileToken {
    /// Names the file. It is read when a token is needed.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), last: Mutex::new(None) }
    }

    async fn read(&self) -> Result<AccessToken, BoxError> {
        let path = self.path.clone();
        let version = aside("gateway-token-file", move || read(&path)).await??;
        let token = version.token.clone();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
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
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().is_some_and(|last| last.stamp == stamp(&metadata) && last.token.is(token))
    }
}

fn read(path: &Path) -> Result<Version, BoxError> {
    let name = format!("the token file {}", path.display());
    let unreadable = |error| format!("{name} cannot be read: {error}");
    // Before it is opened: to open a pipe is to wait for whoever writes to it.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(format!("{name} is no regular file: use a file, or a token command").into());
    }
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if is_left_open(&file, &metadata) {
        return Err(format!("others can read {name}: chmod 600 it").into());
    }
    let text = text::read(file).map_err(unreadable)?;
    let text = text.ok_or_else(|| format!("{name} is too long for a token"))?;
    let token = text::token(&text, || name)?;
    Ok(Version { token, stamp: stamp(&metadata) })
}

fn stamp(metadata: &Metadata) -> Stamp {
    (metadata.len(), metadata.modified().ok())
}

/// Returns whether others can read the file, although whoever runs this could close it to them.
#[cfg(unix)]
fn is_left_open(file: &File, metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{StatVfsMountFlags, fstatvfs};

    let own = metadata.uid() == rustix::process::geteuid().as_raw();
    let mounted = fstatvfs(file).map(|system| system.f_flag);
    let fixed = mounted.is_ok_and(|flags| flags.contains(StatVfsMountFlags::RDONLY));
    metadata.mode() & 0o077 != 0 && own && !fixed
}

#[cfg(not(unix))]
fn is_left_open(_file: &File, _metadata: &Metadata) -> bool {
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
    fn is_read_again_when_it_changes() {
        let (_folder, source) = token_file("gwt_first\n", 0o600);
        let first = pollster::block_on(source.token(None)).unwrap();
        assert!(source.is_current(&first));

        fs::write(&source.path, "gwt_the_second\n").unwrap();
        assert!(!source.is_current(&first));
        let second = pollster::block_on(source.token(None)).unwrap();
        assert!(!second.is(&first));
        // Another client of this source may still have it.
        assert!(!source.is_current(&first));
        assert!(source.is_current(&second));
    }

    #[test]
    fn is_no_longer_than_its_limit() {
        for length in [MAX_LENGTH - 1, MAX_LENGTH, MAX_LENGTH + 1] {
            let text = "x".repeat(length);
            let (_folder, source) = token_file(&text, 0o600);
            let token = pollster::block_on(source.token(None));
            assert_eq!(token.is_ok(), length <= MAX_LENGTH, "{length}");
        }
    }

    #[test]
    fn says_what_is_wrong_with_it() {
        for (mode, text) in [(0o640, "gwt_x"), (0o604, "gwt_x"), (0o600, ""), (0o600, "a b")] {
            let (_folder, source) = token_file(text, mode);
            assert!(pollster::block_on(source.token(None)).is_err(), "{mode:o} {text:?}");
        }
        let nowhere = FileToken::new("no-such-folder/token");
        let error = pollster::block_on(nowhere.token(None)).unwrap_err();
        assert!(
            error.to_string().starts_with("the token file no-such-folder/token cannot be read")
        );
    }

    /// As platforms provide it to containers.
    #[test]
    fn may_be_open_when_it_belongs_to_somebody_else() {
        let (_folder, source) = token_file("gwt_x", 0o444);
        let error = pollster::block_on(source.token(None)).unwrap_err();
        assert!(error.to_string().starts_with("others can read the token file "));
        if chown(&source.path, Some(12345), None).is_ok() {
            assert!(pollster::block_on(source.token(None)).is_ok());
        } else {
            // Only root gives a file away. Here is one of root's, if not with a token.
            let error = pollster::block_on(FileToken::new("/etc/passwd").token(None)).unwrap_err();
            assert!(!error.to_string().contains("others can read"), "{error}");
        }
    }

    #[test]
    fn is_a_regular_file() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let mkfifo = Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status();
        assert!(mkfifo.unwrap().success());
        for path in [folder.path(), &pipe] {
            let error = pollster::block_on(FileToken::new(path).token(None)).unwrap_err();
            assert!(error.to_string().ends_with("no regular file: use a file, or a token command"));
        }
    }
}
