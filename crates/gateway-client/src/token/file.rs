//! A token from a file that another program keeps fresh.

use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use gateway_transport::{BoxError, BoxFuture};
use zeroize::Zeroizing;

use crate::{AccessToken, TokenSource};

/// Takes the token from a file, and reads it again when the file has changed. White space around it is left out.
///
/// On Unix, a file that others than its owner can read is refused, as `ssh` does; so is one of more than 64 KiB,
/// everywhere.
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
    read: Mutex<Option<Stamp>>,
}

/// What tells one version of a file from the next.
type Stamp = (u64, Option<SystemTime>);

impl FileToken {
    /// Names the file. It is read when a token is needed.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Mutex::new(None) }
    }

    fn read(&self) -> Result<AccessToken, BoxError> {
        let shown = self.path.display();
        let unreadable = |error| format!("the token file {shown} cannot be read: {error}");
        let file = File::open(&self.path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if is_open_to_others(&metadata) {
            return Err(format!("others can read the token file {shown}: chmod 600 it").into());
        }
        if metadata.len() > MAX_LENGTH {
            return Err(format!("the token file {shown} is too long for a token").into());
        }
        let mut text = Zeroizing::new(String::new());
        file.take(MAX_LENGTH).read_to_string(&mut text).map_err(unreadable)?;
        let token = AccessToken::new(text.trim())?;
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some(stamp(&metadata));
        Ok(token)
    }
}

impl TokenSource for FileToken {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(std::future::ready(self.read()))
    }

    fn is_current(&self, _token: &AccessToken) -> bool {
        let now = fs::metadata(&self.path).ok().map(|metadata| stamp(&metadata));
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) == now
    }
}

fn stamp(metadata: &Metadata) -> Stamp {
    (metadata.len(), metadata.modified().ok())
}

#[cfg(unix)]
fn is_open_to_others(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_metadata: &Metadata) -> bool {
    false
}

/// Longer than any header that a server takes.
const MAX_LENGTH: u64 = 64 * 1024;

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::TempDir;

    use super::{FileToken, MAX_LENGTH};
    use crate::TokenSource as _;

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
        assert!(source.is_current(&second));
    }

    #[test]
    fn is_no_longer_than_its_limit() {
        for length in [MAX_LENGTH - 1, MAX_LENGTH, MAX_LENGTH + 1] {
            let text = "x".repeat(length.try_into().unwrap());
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
}
