//! The destination: a folder or an object store, by its URL.

use std::future::Future;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, mpsc};
use std::{fmt, io};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::path::Path;
use object_store::{
    Error as StoreError, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, parse_url_opts,
};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::error::{Error, ErrorKind};
use crate::unfinished;

/// A folder of an object store or of a file system: `s3://`, `gs://`, `az://`, `https://`, `file://`, or a path.
///
/// Credentials and endpoints are in the usual environment variables, which begin with `AWS_`, `GOOGLE_` or `AZURE_`; a URL
/// with a password or a query is refused.
#[derive(Clone)]
pub struct Place {
    store: Arc<dyn ObjectStore>,
    root: Path,
    /// The folder, if it is one of a file system.
    local: Option<PathBuf>,
    /// Runs requests, also for a caller that is within another runtime.
    runtime: Arc<Worker>,
    shown: String,
}

struct Worker(Option<Runtime>);

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // A caller may be within an async runtime, where waiting is a panic.
            runtime.shutdown_background();
        }
    }
}

impl Place {
    /// Opens a place. A folder is created for its owner only.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Url`] if the URL, or a setting in the environment, cannot be used.
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
        let invalid = |why: &str| Error::new(ErrorKind::Url, format!("cannot export: {why}"));
        let scheme = url.split_once(':').map(|(scheme, _)| scheme);
        let parsed = if url.contains("://") {
            Url::parse(url).map_err(|error| invalid("the URL is invalid").because(error))?
        } else if scheme.is_some_and(|scheme| SCHEMES.contains(&scheme)) {
            return Err(invalid("the URL has no two slashes after the colon"));
        } else {
            let path = std::path::absolute(url)
                .map_err(|error| invalid("the path is invalid").because(error))?;
            Url::from_directory_path(path).map_err(|()| invalid("the path is invalid"))?
        };
        if parsed.password().is_some() || parsed.query().is_some() {
            return Err(invalid(
                "the URL has a password or a query; set the variables of the environment instead",
            ));
        }
        let local = if parsed.scheme() == "file" { parsed.to_file_path().ok() } else { None };
        if let Some(folder) = &local {
            create_folder(folder)
                .map_err(|error| invalid("the folder cannot be created").because(error))?;
        }
        // Fails if the program has installed one, which is as good.
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

    /// Returns whether the place is a whole bucket.
    pub(crate) fn is_root(&self) -> bool {
        self.root.is_root()
    }

    /// Returns the place of a folder within.
    pub(crate) fn folder(&self, name: &str) -> Self {
        let shown = format!("{}/{name}", self.shown.trim_end_matches('/'));
        let local = self.local.as_ref().map(|local| local.join(name));
        Self { root: self.root.clone().join(name), local, shown, ..self.clone() }
    }

    /// Returns the path of a file within.
    pub(crate) fn path(&self, name: &str) -> Path {
        Path::from(name).parts().fold(self.root.clone(), Path::join)
    }

    /// Runs a request to its end.
    pub(crate) fn run<T, F>(&self, work: impl FnOnce(Arc<dyn ObjectStore>) -> F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        let lost = || Error::new(ErrorKind::Store, "cannot export: the worker has stopped");
        let (to, from) = mpsc::sync_channel(1);
        let work = work(Arc::clone(&self.store));
        let runtime = self.runtime.0.as_ref().ok_or_else(lost)?;
        runtime.spawn(async move { to.send(work.await) });
        from.recv().map_err(|error| lost().because(error))?.map_err(|error| self.failed(&error))
    }

    /// Reads a file; `None` if it does not exist.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Bytes>, Error> {
        let path = self.path(name);
        self.run(|store| async move {
            match store.get(&path).await {
                Ok(found) => found.bytes().await.map(Some),
                Err(StoreError::NotFound { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    /// Writes a file, and replaces an existing one.
    pub(crate) fn write(&self, name: &str, content: Bytes) -> Result<(), Error> {
        let path = self.path(name);
        self.run(|store| async move { store.put(&path, content.into()).await.map(drop) })
    }

    /// Writes a file unless it exists. Returns whether it did not.
    pub(crate) fn create(&self, name: &str, content: Bytes) -> Result<bool, Error> {
        let path = self.path(name);
        self.run(|store| async move {
            match store.put_opts(&path, content.into(), PutMode::Create.into()).await {
                Ok(_) => Ok(true),
                Err(StoreError::AlreadyExists { .. } | StoreError::Precondition { .. }) => {
                    Ok(false)
                }
                Err(error) => Err(error),
            }
        })
    }

    /// Lists the files of a folder and its subfolders, after a name in it, by their names in this place. A local folder has
    /// unfinished files, too.
    pub(crate) fn list(&self, folder: &str, after: &str) -> Result<Vec<Listed>, Error> {
        let (prefix, offset) = (self.path(folder), self.path(&format!("{folder}/{after}")));
        let found: Vec<ObjectMeta> = self.run(|store| async move {
            store.list_with_offset(Some(&prefix), &offset).try_collect().await
        })?;
        let listed = |meta: ObjectMeta| {
            let name = meta.location.prefix_match(&self.root)?;
            let name: Vec<_> = name.map(|part| part.as_ref().to_owned()).collect();
            Some(Listed { name: name.join("/"), modified: meta.last_modified.timestamp_millis() })
        };
        let mut listed: Vec<_> = found.into_iter().filter_map(listed).collect();
        if let Some(local) = &self.local {
            let unfinished = unfinished::list(local, folder);
            let unfinished = unfinished.map_err(|error| self.unusable().because(error))?;
            listed.extend(unfinished.into_iter().map(|(name, modified)| Listed { name, modified }));
        }
        listed.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(listed)
    }

    /// Deletes files. Ignores those that do not exist.
    pub(crate) fn delete(&self, names: &[String]) -> Result<(), Error> {
        let mut paths = Vec::new();
        for name in names {
            match &self.local {
                Some(local) if unfinished::is_unfinished(name) => {
                    unfinished::remove(local, name)
                        .map_err(|error| self.unusable().because(error))?;
                }
                _ => paths.push(self.path(name)),
            }
        }
        self.run(|store| async move {
            let paths = futures_util::stream::iter(paths.into_iter().map(Ok)).boxed();
            let mut deleted = store.delete_stream(paths);
            while let Some(result) = deleted.next().await {
                match result {
                    Ok(_) | Err(StoreError::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
    }

    fn failed(&self, error: &StoreError) -> Error {
        if self.local.is_some() && unfinished::was_removed(error) {
            let text = format!(
                "cannot export to {}: other exporters keep committing to it; try again later",
                self.shown
            );
            return Error::new(ErrorKind::Conflict, text);
        }
        self.unusable().because(explained(error))
    }

    fn unusable(&self) -> Error {
        Error::new(ErrorKind::Store, format!("cannot use {}", self.shown))
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

/// A file of a place.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    /// In milliseconds since 1970.
    pub(crate) modified: i64,
}

/// Schemes that a path does not begin with.
const SCHEMES: &[&str] = &["az", "file", "gs", "http", "https", "s3"];

/// Prefixes of the environment variables that are settings of object stores.
const PREFIXES: &[&str] = &["AWS_", "AZURE_", "GOOGLE_"];

/// The address at which a machine in a cloud gets its own credentials. The library asks it if the environment has none.
const IDENTITY_SERVICE: &str = "http://169.254.169.254";

/// Creates a folder for its owner only. An existing one keeps its mode.
fn create_folder(path: &FilePath) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Returns the text of an error without what may be a credential: queries of URLs, and the document of an answer except
/// its code.
fn explained(error: &StoreError) -> String {
    let text = match error {
        StoreError::PermissionDenied { .. } => return "permission denied".to_owned(),
        StoreError::Unauthenticated { .. } => return "the credentials were refused".to_owned(),
        StoreError::NotFound { .. } => return "it does not exist".to_owned(),
        StoreError::Generic { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    if text.contains(IDENTITY_SERVICE) {
        return "no credentials were found; set those of the store in the environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, GOOGLE_SERVICE_ACCOUNT, or AZURE_STORAGE_ACCOUNT_KEY".to_owned();
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
    use methodical_testkit::raw_server::{Next, RawServer};
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

    #[test]
    fn google_creates_a_file_only_if_it_does_not_exist() {
        let server = RawServer::start(|request, connection| {
            assert_eq!(request.line(), "PUT /archive/x%2Fnew%2Ejson HTTP/1.1");
            assert_eq!(request.header("x-goog-if-generation-match"), [b"0"]);
            let exists = request.header("content-length") == [b"6"];
            let status = if exists { "412 Precondition Failed" } else { "200 OK" };
            let head = format!("HTTP/1.1 {status}\r\netag: \"1\"\r\ncontent-length: 0\r\n\r\n");
            connection.send(head.as_bytes());
            Next::Close
        })
        .unwrap();
        let account = format!(
            r#"{{"gcs_base_url":"{}","disable_oauth":true,"client_email":"","private_key":"","private_key_id":""}}"#,
            server.uri("").trim_end_matches('/')
        );
        let place = open("gs://archive/x", &[("GOOGLE_SERVICE_ACCOUNT_KEY", &account)]).unwrap();
        assert!(place.create("new.json", "first".into()).unwrap());
        assert!(!place.create("new.json", "second".into()).unwrap());
        assert_eq!(server.progress().requests.len(), 2);
    }
}
