//! A token from a file that another program may replace.

use std::fs::{self, File, Metadata};
use std::future::ready;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use gateway_transport::{BoxError, BoxFuture, Instant};

use crate::token::text;
use crate::{AccessToken, TokenSource, unpoisoned};

/// A token from a file that another program may replace, such as a mounted secret. Surrounding whitespace is ignored.
///
/// Three kinds of files are refused:
///
/// - a file of more than 64 KiB;
/// - anything but a regular file, such as a pipe, which yields its token only once;
/// - on Unix, as `ssh` does, a file that you own and that other users can access.
///
/// A file that belongs to another user, or is on a read-only file system, is accepted with any permissions. Platforms
/// provide tokens to containers that way: every user in the container can read such a file, but cannot change its
/// permissions.
///
/// A call reads the file if the last read started more than a second ago, or if the service refuses the token, so a
/// replaced token is used for at most one more second. The file is read on the call's thread, which blocks if the file
/// system does not respond.
///
/// # Examples
///
/// ```no_run
#[doc = include_str!("../../doctests/photos.txt")]
/// use methodical_client::{Client, FileToken};
///
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(FileToken::new("/run/secrets/gateway-token"))
///     .build()?;
/// # Ok::<(), methodical_client::Error>(())
/// ```
#[derive(Debug)]
pub struct FileToken {
    path: PathBuf,
    last: Mutex<Option<Read>>,
    max_age: Duration,
}

/// A token, and the time at which reading its file began.
#[derive(Clone, Debug)]
struct Read {
    token: AccessToken,
    start: Instant,
}

impl FileToken {
    /// Creates a source that reads the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), last: Mutex::default(), max_age: MAX_AGE }
    }

    fn read(&self) -> Result<AccessToken, BoxError> {
        let start = Instant::now();
        let name = format!("the token file {}", self.path.display());
        let unreadable = |error| format!("cannot read {name}: {error}");
        // Checked before the file is opened, because opening a pipe waits for its writer.
        if !fs::metadata(&self.path).map_err(unreadable)?.is_file() {
            return Err(format!(
                "{name} is not a regular file; use a regular file or a token command"
            )
            .into());
        }
        let file = File::open(&self.path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if is_too_open(&file, &metadata) {
            return Err(format!("{name} is accessible to other users; run `chmod 600`").into());
        }
        let text = text::read(file).map_err(unreadable)?;
        let text = text.ok_or_else(|| format!("{name} exceeds 64 KiB"))?;
        let token = text::token(&text, || name)?;
        *unpoisoned(self.last.lock()) = Some(Read { token: token.clone(), start });
        Ok(token)
    }
}

impl TokenSource for FileToken {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(ready(self.read()))
    }

    /// Does not access the file, because the client asks before every call.
    fn is_current(&self, token: &AccessToken) -> bool {
        let last = unpoisoned(self.last.lock());
        last.as_ref()
            .is_some_and(|read| read.token == *token && read.start.elapsed() < self.max_age)
    }
}

/// Maximum time that a token is used without reading the file again.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Returns whether other users can access the file although this user could change its permissions.
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
    use std::fs::{self, File};
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::process::Command;
    use std::time::Duration;

    use gateway_transport::MemoryTransport;
    use http::Response;
    use tempfile::TempDir;

    use super::FileToken;
    use crate::tests::{BlockingClient, any_json};
    use crate::token::text::MAX_LENGTH;
    use crate::{AccessToken, TokenSource as _};

    fn token_file(text: &str, mode: u32) -> (TempDir, FileToken) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        (folder, FileToken::new(path))
    }

    #[test]
    fn a_replaced_file_is_read_even_if_its_size_and_time_are_the_same() {
        let (folder, mut source) = token_file("gwt_1", 0o600);
        source.max_age = Duration::ZERO;
        let transport = MemoryTransport::new([(); 2].map(|()| Ok(Response::new("[]".into()))));
        let client = BlockingClient::builder("https://gateway.example.com");
        let path = source.path.clone();
        let client = client.token(source).transport(transport.clone()).build().unwrap();
        let call = || client.stream_raw(&any_json()).unwrap();
        call();

        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "gwt_2").unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
        File::options().write(true).open(&other).unwrap().set_modified(modified).unwrap();
        fs::rename(&other, &path).unwrap();
        call();
        let sent = transport.requests();
        let sent = sent.iter().map(|request| request.headers()["authorization"].to_str().unwrap());
        assert_eq!(sent.collect::<Vec<_>>(), ["Bearer gwt_1", "Bearer gwt_2"]);
    }

    #[test]
    fn a_token_is_current_for_a_second() {
        let (_folder, mut source) = token_file("gwt_1", 0o600);
        assert_eq!(source.max_age, Duration::from_secs(1));
        source.max_age = Duration::from_secs(1000);
        let first = pollster::block_on(source.token(None)).unwrap();
        fs::write(&source.path, "gwt_2").unwrap();
        assert!(source.is_current(&first));
        let second = pollster::block_on(source.token(Some(&first))).unwrap();
        assert_eq!(second, AccessToken::new("gwt_2").unwrap());
        // Another client of this source may still use the first token.
        assert!(!source.is_current(&first));
        assert!(source.is_current(&second));
        source.max_age = Duration::ZERO;
        assert!(!source.is_current(&second));
    }

    #[test]
    fn an_invalid_file_is_an_error() {
        let longest = "x".repeat(MAX_LENGTH);
        for (mode, text, is_valid) in [
            (0o640, "gwt_x", false),
            (0o604, "gwt_x", false),
            (0o600, "", false),
            (0o600, "a b", false),
            (0o600, &longest, true),
            (0o600, &format!("{longest}x"), false),
        ] {
            let (_folder, source) = token_file(text, mode);
            let token = pollster::block_on(source.token(None));
            assert_eq!(token.is_ok(), is_valid, "{mode:o}, {} bytes", text.len());
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
            // Only root may change the owner. This file belongs to root, and contains no token.
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
