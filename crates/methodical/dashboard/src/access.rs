//! Decides which requests are answered, by the first URL's token, passwords, session cookies, host and origin.

use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, Request, StatusCode};
use methodical_serve::address_key;
use subtle::ConstantTimeEq as _;

use crate::dashboard::Error;
use crate::login::{Guesses, Readers};

/// The access rules of one dashboard.
pub(crate) struct Access {
    /// The origins at which readers reach the pages: scheme, host and port. A host can begin with `*.`, which stands
    /// for any name.
    origins: Vec<String>,
    cookie: String,
    /// The first URL's token; `None` without one, or once it has been used.
    token: Mutex<Option<Secret>>,
    sessions: Mutex<Vec<Session>>,
    guesses: Mutex<Guesses>,
    /// Held while a password is checked, because each check takes much memory.
    checking: Mutex<()>,
    /// Reads the current readers.
    readers: Arc<dyn Fn() -> Readers + Send + Sync>,
    /// Whether personal values are hidden until a reader reveals a single record.
    masks: bool,
    has_proxy: bool,
}

/// A user with a session cookie.
struct Session {
    cookie: Secret,
    /// The reader's name, and the password hash at login; `None` for a user of the first URL.
    reader: Option<(String, String)>,
    began_at: i64,
    used_at: i64,
}

/// Who sent a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Who {
    /// The name of a reader; `None` for a user of the first URL.
    pub(crate) name: Option<String>,
    /// Whether personal values are hidden.
    pub(crate) masks: bool,
    /// Whether a record's page has a link that shows the personal values.
    pub(crate) can_reveal: bool,
}

impl Who {
    /// Returns whether pages must not reveal anything about personal values.
    pub(crate) fn is_barred(&self) -> bool {
        self.masks && !self.can_reveal
    }
}

/// Why a request is refused: the status, the title and the text of the page.
pub(crate) type Refused = (StatusCode, &'static str, &'static str);

/// Why a login is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotLoggedIn {
    /// The name or the password is wrong.
    Wrong,
    TooMany,
}

/// Returns the value of a header; `None` if it is absent. Fails if it is repeated.
fn one(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().map(|value| value.to_str().unwrap_or_default());
    if values.next().is_some() { Err(()) } else { Ok(value) }
}

/// 32 random bytes in hexadecimal digits.
struct Secret(String);

impl Secret {
    fn random() -> Result<Self, Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            Error::new("cannot create a token: no random numbers are available")
                .because(io::Error::other(error.to_string()))
        })?;
        let mut text = String::with_capacity(64);
        for byte in bytes {
            let _infallible = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Access {
    /// Creates the rules for a server at this address. `proxy` is the host of a proxy in front of it, and `names` are
    /// the names in its TLS certificate.
    pub(crate) fn new(
        address: SocketAddr,
        proxy: Option<&str>,
        names: Option<Vec<String>>,
        readers: Arc<dyn Fn() -> Readers + Send + Sync>,
        masks: bool,
    ) -> Result<Self, Error> {
        let port = address.port();
        let own = [address.to_string(), format!("localhost:{port}")];
        let origins = match (proxy, names) {
            (Some(host), _) => vec![format!("https://{}", host.to_ascii_lowercase())],
            (None, Some(names)) => {
                // A browser omits the default port.
                let port = if port == 443 { String::new() } else { format!(":{port}") };
                let names = names.into_iter().map(|name| format!("{name}{port}"));
                names.chain(own).map(|host| format!("https://{host}")).collect()
            }
            (None, None) => own.map(|host| format!("http://{host}")).to_vec(),
        };
        // Beyond this machine, readers log in with passwords, because someone else could be the first to use a link.
        let has_link = (proxy.is_none() && address.ip().is_loopback()) || readers().is_empty();
        let token = if has_link { Some(Secret::random()?) } else { None };
        Ok(Self {
            origins,
            // A browser sends the cookies of a host to all of its ports.
            cookie: format!("dashboard-{port}"),
            token: Mutex::new(token),
            sessions: Mutex::default(),
            guesses: Mutex::new(Guesses::new()),
            checking: Mutex::default(),
            readers,
            masks,
            has_proxy: proxy.is_some(),
        })
    }

    /// Returns the URL that works once, or the URL of the login page.
    pub(crate) fn first_url(&self) -> String {
        let origin = self.origins.iter().find(|origin| !origin.contains('*'));
        let origin = origin.map_or("", |origin| origin);
        match &*lock(&self.token) {
            Some(Secret(token)) => format!("{origin}/enter/{token}"),
            None => format!("{origin}/login"),
        }
    }

    /// Checks the host and the origin of a request. A request that changes something must have an origin.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), Refused> {
        // The name of another site may resolve to this machine.
        const HOST_TITLE: &str = "This is not the address of the dashboard";
        const HOST_TEXT: &str = "Use the link that the command prints.";
        const ORIGIN_TITLE: &str = "Another site asked for this page";
        let host = one(request.headers(), HOST);
        // In HTTP/2, the authority replaces the `Host` header.
        let authority = request.uri().authority().map(http::uri::Authority::as_str);
        let scheme = if self.is_secure() { "https" } else { "http" };
        let is_ours = |host| self.is_ours(&format!("{scheme}://{host}").to_ascii_lowercase());
        let mut hosts = host.iter().flatten().copied().chain(authority).peekable();
        if host.is_err() || hosts.peek().is_none() || !hosts.all(is_ours) {
            return Err((StatusCode::MISDIRECTED_REQUEST, HOST_TITLE, HOST_TEXT));
        }
        match one(request.headers(), ORIGIN) {
            Ok(None) if request.method().is_safe() => Ok(()),
            Ok(Some(origin)) if self.is_ours(origin) => Ok(()),
            _ => Err((StatusCode::FORBIDDEN, ORIGIN_TITLE, "Open it from the dashboard itself.")),
        }
    }

    fn is_secure(&self) -> bool {
        self.origins.iter().any(|origin| origin.starts_with("https:"))
    }

    fn is_ours(&self, origin: &str) -> bool {
        self.origins.iter().any(|ours| match ours.split_once("*.") {
            None => ours == origin,
            Some((scheme, domain)) => {
                let name = origin.strip_prefix(scheme).and_then(|host| host.split_once('.'));
                name.is_some_and(|(label, rest)| !label.is_empty() && rest == domain)
            }
        })
    }

    /// Returns the user of a session. A reader's session expires, and also ends if the reader is removed or the
    /// password changes.
    pub(crate) fn who(&self, headers: &HeaderMap, now: i64) -> Option<Who> {
        let mut sessions = lock(&self.sessions);
        let place = sessions.iter().position(|one| self.has_cookie(headers, &one.cookie))?;
        let session = sessions.get_mut(place)?;
        let Some((name, hash)) = &session.reader else {
            return Some(Who { name: None, masks: self.masks, can_reveal: true });
        };
        let is_young = (session.began_at..session.began_at + LONGEST).contains(&now);
        let is_used = (session.used_at..session.used_at + IDLE).contains(&now);
        let readers = (self.readers)();
        let reader =
            readers.get(name).filter(|(current, _)| hash == current && is_young && is_used);
        let Some((_, masks)) = reader else {
            sessions.remove(place);
            return None;
        };
        session.used_at = now;
        let (name, can_reveal) = (Some(name.clone()), !masks);
        Some(Who { name, masks: masks || self.masks, can_reveal })
    }

    /// Returns the client's address, for counting attempts. Behind a proxy, the address is in a header.
    pub(crate) fn client(&self, headers: &HeaderMap, peer: IpAddr) -> String {
        let last = headers.get_all("x-forwarded-for").iter().next_back();
        let last = last.filter(|_| self.has_proxy).and_then(|line| line.to_str().ok());
        let last = last.and_then(|line| line.rsplit(',').next()?.trim().parse().ok());
        address_key(last.unwrap_or(peer)).to_string()
    }

    pub(crate) fn has_login(&self) -> bool {
        !(self.readers)().is_empty()
    }

    /// Uses up the token. Returns the cookie of a new session; `None` if the token is wrong or was used before.
    pub(crate) fn enter(&self, text: &str, now: i64) -> Option<String> {
        let mut token = lock(&self.token);
        if !token.as_ref()?.is(text) {
            return None;
        }
        let cookie = self.begin(None, now)?;
        *token = None;
        Some(cookie)
    }

    /// Logs a reader in and returns the cookie of a new session. Checking the password deliberately takes a moment.
    pub(crate) fn log_in(
        &self,
        name: &str,
        password: &str,
        address: &str,
        now: i64,
    ) -> Result<String, NotLoggedIn> {
        if !lock(&self.guesses).count(name, address, now) {
            return Err(NotLoggedIn::TooMany);
        }
        let checking = lock(&self.checking);
        let readers = (self.readers)();
        let hash = readers.verify(name, password).ok_or(NotLoggedIn::Wrong)?;
        drop(checking);
        lock(&self.guesses).forgive(name, address);
        self.begin(Some((name.to_owned(), hash.to_owned())), now).ok_or(NotLoggedIn::Wrong)
    }

    pub(crate) fn log_out(&self, headers: &HeaderMap) {
        lock(&self.sessions).retain(|one| !self.has_cookie(headers, &one.cookie));
    }

    /// Begins a session and returns its cookie. If the reader has too many sessions, ends the least recently used.
    fn begin(&self, reader: Option<(String, String)>, now: i64) -> Option<String> {
        let (cookie, mut sessions) = (Secret::random().ok()?, lock(&self.sessions));
        let of_readers = sessions.iter().enumerate().filter(|(_, one)| one.reader.is_some());
        if sessions.len() >= SESSIONS
            && let Some((place, _)) = of_readers.min_by_key(|(_, one)| one.used_at)
        {
            sessions.remove(place);
        }
        let secure = if self.is_secure() { "; Secure" } else { "" };
        let text =
            format!("{}={}; Path=/; HttpOnly; SameSite=Strict{secure}", self.cookie, cookie.0);
        sessions.push(Session { cookie, reader, began_at: now, used_at: now });
        Some(text)
    }

    fn has_cookie(&self, headers: &HeaderMap, cookie: &Secret) -> bool {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';'));
        pairs.any(|pair| {
            pair.trim()
                .split_once('=')
                .is_some_and(|(name, value)| name == self.cookie && cookie.is(value))
        })
    }
}

/// Maximum duration of a reader's session, in seconds.
const LONGEST: i64 = 12 * 3600;

/// Time without a request after which a reader's session ends, in seconds.
const IDLE: i64 = 3600;

/// Maximum number of sessions.
const SESSIONS: usize = 200;
