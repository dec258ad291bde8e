//! Which requests are answered: the token of the first URL, the cookie of the session, the host and the origin.

use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use subtle::ConstantTimeEq as _;

use crate::error::Error;

/// The rules of access of one dashboard.
#[derive(Debug)]
pub(crate) struct Access {
    /// The origins at which readers reach the pages: scheme, host and port.
    origins: Vec<String>,
    is_secure: bool,
    cookie: String,
    /// The token of the first URL, until it is used.
    token: Mutex<Option<Secret>>,
    session: Secret,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The host is not one of this server: another site may have a name that leads here.
    Host,
    /// A page of another site sent the request.
    Origin,
}

/// Returns the value of a header that may occur once.
fn one(headers: &HeaderMap, name: HeaderName) -> Result<Option<&HeaderValue>, Repeated> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() { Err(Repeated) } else { Ok(value) }
}

/// A header occurs more than once.
struct Repeated;

/// 32 random bytes in hexadecimal digits.
struct Secret(String);

impl Secret {
    fn random() -> Result<Self, Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            Error::new("cannot create a token: the operating system has no random numbers")
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

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Access {
    /// Creates the rules of a server at an address, or behind a proxy that has a host.
    pub(crate) fn new(address: SocketAddr, proxy: Option<&str>) -> Result<Self, Error> {
        let port = address.port();
        let origins = match proxy {
            Some(host) => vec![format!("https://{}", host.to_ascii_lowercase())],
            None => vec![format!("http://{address}"), format!("http://localhost:{port}")],
        };
        Ok(Self {
            origins,
            is_secure: proxy.is_some(),
            // A browser sends the cookies of a host to each of its ports.
            cookie: format!("dashboard-{port}"),
            token: Mutex::new(Some(Secret::random()?)),
            session: Secret::random()?,
        })
    }

    /// Returns the URL that works once; `None` if it was used.
    pub(crate) fn first_url(&self) -> Option<String> {
        let token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let origin = self.origins.first().map_or("", |origin| origin);
        token.as_ref().map(|token| format!("{origin}/enter/{}", token.0))
    }

    /// Checks the host and the origin of a request.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), Refused> {
        let headers = request.headers();
        let host = one(headers, HOST).ok().flatten().and_then(|host| host.to_str().ok());
        let named = request.uri().authority().map(http::uri::Authority::as_str);
        let is_ours = |host: &str| {
            let hosts = self.origins.iter().filter_map(|one| one.split_once("://"));
            hosts.into_iter().any(|(_, ours)| host.eq_ignore_ascii_case(ours))
        };
        if !host.is_some_and(is_ours) || !named.is_none_or(is_ours) {
            return Err(Refused::Host);
        }
        match one(headers, ORIGIN) {
            Ok(None) => Ok(()),
            Ok(Some(origin)) if self.origins.iter().any(|ours| origin == ours) => Ok(()),
            _ => Err(Refused::Origin),
        }
    }

    /// Returns whether a request has the cookie of the session.
    pub(crate) fn has_session(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';'));
        pairs.any(|pair| {
            pair.trim()
                .split_once('=')
                .is_some_and(|(name, value)| name == self.cookie && self.session.is(value))
        })
    }

    /// Uses the token. Returns the cookie of the session; `None` if the token is wrong or was used.
    pub(crate) fn enter(&self, text: &str) -> Option<String> {
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if !token.as_ref()?.is(text) {
            return None;
        }
        *token = None;
        let secure = if self.is_secure { "; Secure" } else { "" };
        let Secret(session) = &self.session;
        Some(format!("{}={session}; Path=/; HttpOnly; SameSite=Strict{secure}", self.cookie))
    }
}
