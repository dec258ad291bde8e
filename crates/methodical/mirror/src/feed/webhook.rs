//! Sends events to a URL, signed according to Standard Webhooks.

use std::fmt;
use std::mem::take;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use methodical_client::retry_after;
use methodical_client::transport::http::uri::Scheme;
use methodical_client::transport::http::{self, StatusCode, Uri};
use methodical_client::transport::{
    BlockingTransport, Deadline, Request, TransportError, TransportErrorKind,
};
use sha2::Sha256;

use crate::error::{Error, ErrorKind};
use crate::feed::Event;
use crate::feed::sink::{Failure, Sink};

/// Sends each event to a URL: a POST request with the [JSON](Event#json) of the event, signed according to [Standard
/// Webhooks](https://www.standardwebhooks.com), so that a receiver can verify it with a published library.
///
/// | header | contents |
/// |---|---|
/// | `webhook-id` | the [id](Event::id) of the event, the same in each attempt |
/// | `webhook-timestamp` | the time of the attempt, in seconds since 1970 |
/// | `webhook-signature` | the signature, such as `v1,…` |
///
/// A status of 200 to 299 means that the event was received. Any other status and any connection error is a failure:
/// the event is sent again later, but no earlier than `Retry-After` requests. Status 410 disables the consumer until
/// [`enable_consumer`](crate::Mirror::enable_consumer) is called. Redirects are not followed. The body of a response is
/// discarded.
///
/// A receiver may close an idle connection just as the next event is sent over it. If a reused connection is lost, the
/// event is sent again immediately.
///
/// With [`batch`](Self::batch), a request contains several events as a JSON array, and its `webhook-id` is the id of
/// the last one. If the request fails, all of them are sent again, perhaps together with later ones; a receiver
/// recognizes each event by its `id`.
///
/// A URL without TLS is refused unless its host is this machine: the events contain personal data. The path of the URL
/// may be secret, so errors and `Debug` show only its scheme, host and port.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use methodical_mirror::client::transport::BlockingTransport;
/// use methodical_mirror::{Error, ErrorKind, Limits, Mirror, Webhook};
///
/// fn deliver(mirror: &Mirror, transport: Arc<dyn BlockingTransport>) -> Result<(), Error> {
///     let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
///     let mut webhook = Webhook::new(transport, "https://hooks.example.com/photos", secret)?
///         .timeout(Duration::from_secs(10));
///     match mirror.deliver("photos", &mut webhook, &Limits::default()) {
///         // It is sent again later.
///         Err(error) if error.kind() == ErrorKind::Delivery => eprintln!("{error}"),
///         result => println!("{} events were delivered", result?.delivered),
///     }
///     Ok(())
/// }
/// ```
pub struct Webhook {
    transport: Box<dyn BlockingTransport>,
    url: Uri,
    secret: Hmac<Sha256>,
    timeout: Duration,
    /// The maximum number of events in a request; `None` sends each event separately.
    batch: Option<usize>,
    /// Whether the transport may still hold the connection of the last response.
    has_connection: bool,
}

impl Webhook {
    /// Creates a sink that sends to `url`. The secret, with which the receiver verifies events, is 24 to 64 bytes in
    /// base64, with or without the prefix `whsec_`. The transport must not follow redirects; the transports of
    /// [`transport`](methodical_client::transport) do not.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Setting`] if the URL is invalid, has a user name, or is plain `http` to another machine,
    /// or if the secret is invalid. No error contains the secret.
    pub fn new(transport: impl BlockingTransport, url: &str, secret: &str) -> Result<Self, Error> {
        let secret = keyed(secret)?;
        let invalid = || refused("it is not an absolute URL with `https` or `http`");
        let url: Uri = url.parse().map_err(|_invalid| invalid())?;
        let is_http = [Scheme::HTTP, Scheme::HTTPS].iter().any(|one| url.scheme() == Some(one));
        let authority = url.authority().filter(|_| is_http).ok_or_else(invalid)?;
        if authority.as_str().contains('@') {
            return Err(refused("it has a user name"));
        }
        if url.scheme() == Some(&Scheme::HTTP) && !is_this_machine(&url) {
            return Err(refused("it is not `https`, and the events contain personal data"));
        }
        Ok(Self {
            transport: Box::new(transport),
            url,
            secret,
            timeout: TIMEOUT,
            batch: None,
            has_connection: false,
        })
    }

    /// Sets the timeout of one attempt, from the connection to the end of the response. Default: 20 s.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sends up to `events` events in one request, as a JSON array. Default: each event separately, as an object.
    #[must_use]
    pub fn batch(self, events: NonZeroUsize) -> Self {
        Self { batch: Some(events.get()), ..self }
    }

    fn request(&self, id: &str, body: &str) -> Result<Request, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let request = http::Request::post(&self.url)
            .header(http::header::CONTENT_TYPE, "application/json")
            .header(http::header::USER_AGENT, USER_AGENT)
            .header("webhook-id", id)
            .header("webhook-timestamp", now)
            .header("webhook-signature", signature(&self.secret, id, now, body))
            .extension(Deadline::after(self.timeout))
            .body(body.to_owned().into());
        request.map_err(|error| Failure::new(format!("cannot create the request: {error}")))
    }

    /// Returns the scheme, host and port of the URL.
    fn origin(&self) -> String {
        let authority = self.url.authority().map_or("", |authority| authority.as_str());
        format!("{}://{authority}", self.url.scheme_str().unwrap_or_default())
    }

    /// Sends a message and evaluates the response. If a reused connection was lost, sends the message once more over a
    /// new one. The receiver recognizes a repetition by its id.
    fn post(&mut self, id: &str, body: &str) -> Result<(), Failure> {
        let mut sent = self.transport.send(self.request(id, body)?);
        let was_kept = take(&mut self.has_connection);
        let is_lost = |error: &TransportError| error.kind() == TransportErrorKind::Interrupted;
        if was_kept && sent.as_ref().is_err_and(is_lost) {
            sent = self.transport.send(self.request(id, body)?);
        }
        self.has_connection = sent.is_ok();
        let sent = sent.map_err(|error| {
            // The error's sources may contain the URL's path.
            let shown = TransportError::new(error.kind(), error.to_string());
            Failure::new(format!("cannot send the event to {}: {error}", self.origin()))
                .because(shown)
        });
        let (head, body) = sent?.into_parts();
        // Reading the response allows its connection to be reused. Errors do not matter: the status already says
        // whether the event was received.
        let _discarded = body.collect(MAX_BODY);
        if head.status.is_success() {
            return Ok(());
        }
        let hint = match head.status {
            StatusCode::GONE => ", which ends the deliveries",
            status if status.is_redirection() => "; redirects are not followed",
            _ => "",
        };
        let text = format!("{} answered {}{hint}", self.origin(), head.status.as_u16());
        let failure = Failure::new(text);
        Err(match retry_after(&head.headers, SystemTime::now()) {
            _ if head.status == StatusCode::GONE => failure.disable(),
            Some(delay) => failure.retry_after(delay),
            None => failure,
        })
    }
}

impl Sink for Webhook {
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
        let Some(last) = events.last() else { return Ok(()) };
        let all = events.iter().map(Event::to_json).collect::<Result<Vec<_>, _>>()?.join(",");
        self.post(&last.id, &if self.batch.is_some() { format!("[{all}]") } else { all })
    }

    fn batch(&self) -> usize {
        self.batch.unwrap_or(1)
    }
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("origin", &self.origin())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::Setting, format!("cannot use the webhook URL: {why}"))
}

fn is_this_machine(url: &Uri) -> bool {
    let host = url.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Parses a secret. The `whsec_` prefix is optional. The error does not contain the secret.
fn keyed(secret: &str) -> Result<Hmac<Sha256>, Error> {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap_or(secret)).ok();
    let key = key.filter(|key| LENGTHS.contains(&key.len()));
    key.and_then(|key| Hmac::new_from_slice(&key).ok()).ok_or_else(|| {
        let (least, most) = (LENGTHS.start(), LENGTHS.end());
        let text = format!(
            "cannot use the webhook secret: it is not base64 of {least} to {most} bytes; create one with \
             `openssl rand -base64 32`"
        );
        Error::new(ErrorKind::Setting, text)
    })
}

/// Returns the signature of a message, as in the header `webhook-signature`.
fn signature(key: &Hmac<Sha256>, id: &str, timestamp: u64, body: &str) -> String {
    let mac = key.clone().chain_update(format!("{id}.{timestamp}.{body}"));
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

const USER_AGENT: &str = concat!("methodical-mirror/", env!("CARGO_PKG_VERSION"));

/// Default timeout of one attempt.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum number of bytes to read from a response body.
const MAX_BODY: u64 = 64 << 10;

/// The range of secret lengths that the specification recommends, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

#[cfg(test)]
mod tests {
    use methodical_client::transport::MemoryTransport;

    use super::{Webhook, keyed, signature};

    fn webhook(url: &str) -> Result<Webhook, String> {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        Webhook::new(MemoryTransport::new([]), url, secret).map_err(|error| error.to_string())
    }

    #[test]
    fn urls_without_tls_are_refused_unless_they_lead_to_this_machine() {
        for url in [
            "https://hooks.example.com/CANARY",
            "http://localhost/CANARY",
            "http://127.0.0.9:1",
            "http://[::1]:1/",
        ] {
            let shown = format!("{:?}", webhook(url).unwrap());
            assert!(!shown.contains("CANARY"), "{shown}");
        }
        for (url, why) in [
            ("http://hooks.example.com/CANARY", "it is not `https`, and the events contain"),
            ("http://a.localhost/CANARY", "it is not `https`, and the events contain"),
            ("http://127.0.0.1.example.com/CANARY", "it is not `https`, and the events contain"),
            ("https://me:CANARY@hooks.example.com/", "it has a user name"),
            ("ftp://hooks.example.com/CANARY", "it is not an absolute URL"),
            ("hooks.example.com", "it is not an absolute URL"),
            ("/CANARY", "it is not an absolute URL"),
            ("", "it is not an absolute URL"),
        ] {
            let error = webhook(url).unwrap_err();
            assert!(error.contains(why) && !error.contains("CANARY"), "{error}");
        }
    }

    /// The example that the tests of the Standard Webhooks libraries use.
    #[test]
    fn signs_the_published_example() {
        for secret in ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
        {
            let (key, body) = (keyed(secret).unwrap(), r#"{"test": 2432232314}"#);
            let signature = signature(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
            assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        }
    }

    #[test]
    fn a_secret_that_is_too_short_or_no_base64_is_refused() {
        for text in ["", "whsec_", "whsec_MfKQ9r8GKYqrTwjU", "whsec_%%%", &"A".repeat(88)] {
            let error = keyed(text).unwrap_err().to_string();
            assert!(error.contains("it is not base64 of 24 to 64 bytes"), "{error}");
            assert!(text.len() < 9 || !error.contains(text), "{error}");
        }
    }
}
