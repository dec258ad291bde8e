//! The destination of a copy: a folder or an object store, named by its URL.

use std::future::Future;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, mpsc};
use std::{fmt, fs, io};

use object_store::path::Path;
use object_store::{Error as StoreError, ObjectStore, parse_url_opts};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::error::{Error, ErrorKind};

/// A folder in an object store or a file system, given as a path or a URL with `s3://`, `gs://`, `az://`, `https://` or
/// `file://`.
///
/// Credentials and endpoints come from the usual environment variables: `AWS_…`, `GOOGLE_…` and `AZURE_…`. A URL with a
/// password or a query is refused.
#[derive(Clone)]
pub struct Place {
    store: Arc<dyn ObjectStore>,
    root: Path,
    /// The path of the folder; `None` if it is in an object store.
    local: Option<PathBuf>,
    /// Runs requests, even for a caller inside another runtime.
    runtime: Arc<Worker>,
    shown: String,
}

struct Worker(Option<Runtime>);

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // A caller may be inside an async runtime, where blocking would panic.
            runtime.shutdown_background();
        }
    }
}

impl Place {
    /// Opens a place. A new folder is accessible only to its owner.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Url`] if the URL or a setting in the environment is invalid, or if the folder cannot be
    /// created.
    pub fn open(url: &str) -> Result<Self, Error> {
        let settings = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| PREFIXES.iter().any(|prefix| name.starts_with(prefix)));
        Self::with_settings(url, settings)
    }

    fn with_settings(
        url: &str,
        settings: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, Error> {
        let invalid = |why: &str| Error::new(ErrorKind::Url, format!("cannot copy: {why}"));
        let scheme = url.split_once(':').map(|(scheme, _)| scheme);
        let parsed = if url.contains("://") {
            Url::parse(url).map_err(|error| invalid("the URL is invalid").because(error))?
        } else if scheme.is_some_and(|scheme| SCHEMES.contains(&scheme)) {
            return Err(invalid("the URL must have `//` after the colon"));
        } else {
            let path = std::path::absolute(url)
                .map_err(|error| invalid("the path is invalid").because(error))?;
            Url::from_directory_path(path).map_err(|()| invalid("the path is invalid"))?
        };
        if parsed.password().is_some() || parsed.query().is_some() {
            return Err(invalid(
                "the URL has a password or a query; set environment variables instead",
            ));
        }
        let local = if parsed.scheme() == "file" { parsed.to_file_path().ok() } else { None };
        if let Some(folder) = &local {
            create_folder(folder)
                .map_err(|error| invalid("the folder cannot be created").because(error))?;
        }
        // Fails if the program has already installed one, which is just as good.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let settings = settings.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let (store, root) = parse_url_opts(&parsed, settings).map_err(|error| {
            invalid("the URL or a setting of its store cannot be used").because(explained(&error))
        })?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| invalid("no thread can be started").because(error))?;
        let runtime = Arc::new(Worker(Some(runtime)));
        Ok(Self { store: Arc::from(store), root, local, runtime, shown: parsed.to_string() })
    }

    /// Returns whether the place is an entire bucket.
    pub(crate) fn is_root(&self) -> bool {
        self.root.is_root()
    }

    /// Returns the path of a file in this place.
    pub(crate) fn path(&self, name: &str) -> Path {
        Path::from(name).parts().fold(self.root.clone(), Path::join)
    }

    /// Runs a request and waits until it has completed.
    pub(crate) fn run<T, F>(&self, work: impl FnOnce(Arc<dyn ObjectStore>) -> F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        let lost = || Error::new(ErrorKind::Store, "cannot copy: the worker has stopped");
        let (to, from) = mpsc::sync_channel(1);
        let work = work(Arc::clone(&self.store));
        let runtime = self.runtime.0.as_ref().ok_or_else(lost)?;
        runtime.spawn(async move { to.send(work.await) });
        from.recv().map_err(|error| lost().because(error))?.map_err(|error| self.failed(&error))
    }

    /// Removes the unfinished files of copies that were killed. `object_store` names them `NAME.parquet#1`.
    pub(crate) fn sweep(&self) {
        let entries = self.local.as_ref().and_then(|local| fs::read_dir(local).ok());
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name();
            let unfinished = name.to_str().and_then(|name| name.split_once(".parquet#"));
            if unfinished.is_some_and(|(_, number)| number.parse::<u64>().is_ok()) {
                // A concurrent copy may have removed it.
                drop(fs::remove_file(entry.path()));
            }
        }
    }

    fn failed(&self, error: &StoreError) -> Error {
        let text = format!("cannot write to {}", self.shown);
        Error::new(ErrorKind::Store, text).because(explained(error))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place").field("url", &self.shown).finish_non_exhaustive()
    }
}

/// Schemes of URLs. A path cannot begin with one of them and a colon.
const SCHEMES: &[&str] = &["az", "file", "gs", "http", "https", "s3"];

/// Prefixes of the environment variables with settings of object stores.
const PREFIXES: &[&str] = &["AWS_", "AZURE_", "GOOGLE_"];

/// The address where a cloud machine gets its credentials. The library uses it if the environment has none.
const IDENTITY_SERVICE: &str = "http://169.254.169.254";

/// Creates a folder accessible only to its owner. An existing one keeps its mode.
fn create_folder(path: &FilePath) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Returns the message of an error without anything that may be a credential: URL queries, and response bodies except
/// for their code.
fn explained(error: &StoreError) -> String {
    let text = match error {
        StoreError::PermissionDenied { .. } => return "permission denied".to_owned(),
        StoreError::Unauthenticated { .. } => return "the credentials were refused".to_owned(),
        StoreError::NotFound { .. } => return "it does not exist".to_owned(),
        StoreError::Generic { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    if text.contains(IDENTITY_SERVICE) {
        return "no credentials were found; set the variables of the store: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, GOOGLE_SERVICE_ACCOUNT, or AZURE_STORAGE_ACCOUNT_KEY".to_owned();
    }
    let (before, document) = text.split_at(text.find('<').unwrap_or(text.len()));
    let words: Vec<&str> = before
        .split_whitespace()
        .map(|word| match word.split_once('?') {
            Some((url, _)) if url.contains("://") => url,
            _ => word,
        })
        .collect();
    let code = document.split_once("<Code>").and_then(|(_, rest)| rest.split_once('<'));
    match code {
        Some((code, _)) => format!("{} {code}", words.join(" ")),
        None => words.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use object_store::Error as StoreError;

    use super::{Place, explained};
    use crate::error::{Error, ErrorKind};

    fn open(url: &str, settings: &[(&str, &str)]) -> Result<Place, Error> {
        let settings = settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        Place::with_settings(url, settings)
    }

    #[test]
    fn an_error_shows_no_credential() {
        let source = "PUT https://a.example/b?sig=SECRET in 1ms: 403: <?xml?><Error><Code>Denied</Code><Key>SECRET</Key>";
        let error = StoreError::Generic { store: "S3", source: source.into() };
        assert_eq!(explained(&error), "PUT https://a.example/b in 1ms: 403: Denied");
    }

    #[test]
    fn a_url_without_slashes_is_not_a_folder() {
        for url in ["s3:/archive/x", "gs:archive", "file:tables"] {
            assert_eq!(Place::open(url).unwrap_err().kind(), ErrorKind::Url);
            assert!(!std::path::Path::new(url).exists());
        }
    }

    #[test]
    fn missing_credentials_are_named() {
        let source = "Error performing PUT http://169.254.169.254/latest/api/token in 8s - HTTP error: connection refused";
        let error = StoreError::Generic { store: "S3", source: source.into() };
        assert!(explained(&error).starts_with("no credentials were found; set"));
    }

    #[test]
    fn a_url_with_a_credential_is_refused() {
        for url in ["s3://key:SECRET@bucket/x", "https://a.example/x?sig=SECRET"] {
            let error = Place::open(url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Url);
            assert!(!format!("{error:?}").contains("SECRET"));
        }
    }
    #[test]
    fn each_store_is_built_from_its_settings() {
        let account = ("AZURE_STORAGE_ACCOUNT_NAME", "account");
        let key = ("AZURE_STORAGE_ACCOUNT_KEY", "a2V5");
        for (url, settings, store) in [
            ("s3://archive/x", &[("AWS_REGION", "eu-west-1")][..], "AmazonS3(archive)"),
            ("gs://archive/x", &[], "GoogleCloudStorage(archive)"),
            (
                "az://archive/x",
                &[account, key],
                "MicrosoftAzure { account: account, container: archive }",
            ),
        ] {
            let place = open(url, settings).unwrap();
            assert_eq!((place.store.to_string(), place.root.as_ref()), (store.to_owned(), "x"));
        }
        let broken = ("GOOGLE_SERVICE_ACCOUNT_KEY", r#"{"private_key":"SECRET""#);
        let error = open("gs://archive/x", &[broken]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Url);
        assert!(!format!("{error:?}").contains("SECRET"), "{error:?}");
    }
}
