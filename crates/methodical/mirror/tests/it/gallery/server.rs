//! The service as a server whose content and faults a test sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use methodical_mirror::client::blocking;
use methodical_mirror::{Mirror, SyncError, SyncOptions, SyncReport};
use methodical_testkit::raw_server::{Next, RawServer};
use serde_json::json;

use crate::clients::blocking_client;
use crate::gallery::model::Gallery;

pub(crate) struct Server {
    server: RawServer,
    state: Arc<Mutex<State>>,
}

/// The mark of each photo in an album; no filter selects `None`.
pub(crate) type Marks = BTreeMap<String, Option<String>>;

/// Called before each query is answered, to wait.
type Pause = Arc<dyn Fn() + Send + Sync>;

/// The content of the service, and its faults.
#[derive(Clone, Default)]
pub(crate) struct State {
    /// All photos, even those in no album.
    pub(crate) photos: BTreeSet<String>,
    pub(crate) albums: BTreeMap<String, Marks>,
    pub(crate) free: String,
    /// The queries that were received, without their first parameter: `photos`, `photos album=1`.
    pub(crate) log: Vec<String>,
    pub(crate) ignores_mark: bool,
    pub(crate) ignores_album: bool,
    /// Whether a mark that no photo has is answered with 400.
    pub(crate) refuses_unknown: bool,
    /// A query, the text after `HTTP/1.1 ` that answers it, and whether the connection is then reset.
    pub(crate) fault: Option<(String, &'static str, bool)>,
    /// A query whose answer is delayed once.
    pub(crate) pause: Option<(String, Pause)>,
}

impl State {
    /// Puts a photo into an album. No filter selects an empty mark.
    pub(crate) fn put(&mut self, album: &str, photo: &str, mark: &str) {
        self.photos.insert(photo.to_owned());
        let mark = (!mark.is_empty()).then(|| mark.to_owned());
        self.albums.entry(album.to_owned()).or_default().insert(photo.to_owned(), mark);
    }

    fn answer(&self, method: &str, query: &BTreeMap<&str, String>) -> Option<String> {
        let list = |ids: Vec<&String>| {
            let list: Vec<_> = ids.iter().map(|id| json!({"id": id, "title": "a title"})).collect();
            Some(json!({"stat": "ok", "list": list}).to_string())
        };
        match method {
            "albums/list" => list(self.albums.keys().collect()),
            "storage/read" => Some(json!({"free": self.free, "unit": "GB"}).to_string()),
            _ => {
                let album = query.get("album").filter(|_| !self.ignores_album);
                let Some(album) = album else { return list(self.photos.iter().collect()) };
                let marks = self.albums.get(album).cloned().unwrap_or_default();
                let mark = query.get("mark").filter(|_| !self.ignores_mark);
                let is_known = |mark: &String| {
                    self.albums.values().flat_map(BTreeMap::values).flatten().any(|one| one == mark)
                };
                if self.refuses_unknown && mark.is_some_and(|mark| !is_known(mark)) {
                    return None;
                }
                let has = |one: &Option<String>| mark.is_none_or(|mark| one.as_ref() == Some(mark));
                list(marks.iter().filter(|(_, one)| has(one)).map(|(id, _)| id).collect())
            }
        }
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        let state = State { free: "10.50".to_owned(), ..State::default() };
        let state = Arc::new(Mutex::new(state));
        let current = Arc::clone(&state);
        let server = RawServer::start(move |request, connection| {
            let target = request.target();
            let query = target.split_once('?').map_or("", |(_, query)| query);
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let mut query: BTreeMap<&str, String> =
                pairs.map(|(name, value)| (name, decoded(value))).collect();
            let method = query.remove("action").unwrap_or_default();
            let mut state = current.lock().unwrap_or_else(PoisonError::into_inner);
            let mut line = method.split('/').next().unwrap_or_default().to_owned();
            for (name, value) in &query {
                line.extend([" ", *name, "=", &**value]);
            }
            state.log.push(line.clone());
            if let Some((_, pause)) = state.pause.take_if(|(query, _)| *query == line) {
                drop(state);
                pause();
                state = current.lock().unwrap_or_else(PoisonError::into_inner);
            }
            let fault = state.fault.as_ref().filter(|(query, ..)| *query == line);
            let (text, resets) = match (fault, state.answer(&method, &query)) {
                (Some((_, text, resets)), _) => ((*text).to_owned(), *resets),
                (None, Some(body)) => (format!("{JSON}{body}"), false),
                (None, None) => (REFUSED.to_owned(), false),
            };
            connection.send(format!("HTTP/1.1 {text}").as_bytes());
            if resets { Next::Reset } else { Next::Close }
        });
        Self { server: server.unwrap(), state }
    }

    /// Starts a server with these photos in albums: album, photo and mark.
    pub(crate) fn with(photos: &[(&str, &str, &str)]) -> Self {
        let server = Self::start();
        server.put(photos);
        server
    }

    pub(crate) fn put(&self, photos: &[(&str, &str, &str)]) {
        for (album, photo, mark) in photos {
            self.state().put(album, photo, mark);
        }
    }

    /// Answers a query with this text from now on.
    pub(crate) fn fails(&self, query: &str, text: &'static str) {
        self.state().fault = Some((query.to_owned(), text, false));
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the queries since the last call, in alphabetical order.
    pub(crate) fn queries(&self) -> Vec<String> {
        let mut log = std::mem::take(&mut self.state().log);
        log.sort();
        log
    }

    pub(crate) fn blocking(&self) -> blocking::Client<Gallery> {
        blocking_client(self.server.uri(""))
    }

    pub(crate) fn sync(
        &self,
        mirror: &mut Mirror,
        options: &SyncOptions,
    ) -> Result<SyncReport, SyncError> {
        mirror.sync_all(&self.blocking(), options)
    }
}

/// Returns options that request the marks of every album.
pub(crate) fn rechecking() -> SyncOptions {
    SyncOptions { recheck_every: 1, ..SyncOptions::default() }
}

/// Returns options that request more marks.
pub(crate) fn marks(names: &[&str]) -> SyncOptions {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    SyncOptions { values: [("mark".to_owned(), names)].into(), ..SyncOptions::default() }
}

const JSON: &str = "200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\r\n";

pub(crate) const REFUSED: &str =
    "400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

pub(crate) const FAILED: &str = "500 Oops\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

pub(crate) const HTML: &str =
    "200 OK\r\nconnection: close\r\ncontent-type: text/html\r\n\r\n<html>maintenance</html>";

/// Decodes a query value that has only ASCII characters.
fn decoded(value: &str) -> String {
    let mut parts = value.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (code, rest) = part.split_at(2);
        format!("{text}{}{rest}", char::from(u8::from_str_radix(code, 16).unwrap()))
    })
}
