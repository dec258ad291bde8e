//! Outputs outside the file system, such as in an object store.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// An output that appears under its name when it is complete. If it is dropped before, nothing appears.
pub trait Upload: Write + Send + fmt::Debug {
    /// Completes the output.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be completed. Nothing appears then.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// The output of an [`Uploader`].
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "uploaders create it")]
pub enum UploadTarget {
    /// An upload.
    Upload(Box<dyn Upload>),
    /// The URL names this file, which the program replaces atomically.
    File(PathBuf),
}

/// Opens output files that are named by a URL: [`Program::uploader`](crate::Program::uploader).
///
/// # Examples
///
/// ```
/// use methodical_cli::{Failure, Program, UploadTarget, Uploader};
///
/// const UPLOADER: Uploader = Uploader::new(|url| match url.strip_prefix("file://") {
///     Some(path) => Ok(UploadTarget::File(path.into())),
///     None => Err(Failure::usage(format!("cannot write {url}: unknown kind of URL"))),
/// });
///
/// const PROGRAM: Program = Program::new("photos", env!("CARGO_PKG_VERSION")).uploader(UPLOADER);
/// ```
#[derive(Clone, Copy)]
pub struct Uploader {
    open: Open,
}

type Open = fn(&str) -> Result<UploadTarget, Failure>;

impl Uploader {
    /// Creates an uploader from a function, which gets the URL.
    pub const fn new(open: Open) -> Self {
        Self { open }
    }

    pub(crate) fn open(self, url: &str) -> Result<UploadTarget, Failure> {
        (self.open)(url)
    }
}

impl fmt::Debug for Uploader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uploader").finish_non_exhaustive()
    }
}

/// Returns the name of an output file if it is a URL.
pub(crate) fn url_of(file: &Path) -> Option<&str> {
    let url = file.to_str()?;
    let (scheme, _) = url.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(url)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::url_of;

    #[test]
    fn only_a_scheme_makes_a_url() {
        for url in ["s3://bucket/a.csv", "file:///a.csv", "a+b-1.0://x"] {
            assert_eq!(url_of(Path::new(url)), Some(url));
        }
        for path in ["a.csv", "./s3://bucket", "://x", "1a://x", "a b://x", "c:/a.csv"] {
            assert_eq!(url_of(Path::new(path)), None);
        }
    }
}
