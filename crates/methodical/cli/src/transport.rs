//! The program's part in each request: redacting secrets, the log of `-v`, notices of the service, and the dry run.
//!
//! No message shows a secret that was sent, even if a service repeats it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Instant;

use http::header::{AUTHORIZATION, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use methodical_client::transport::{
    BlockingResponse, BlockingTransport, Redacted, Request, TransportError,
};
use methodical_client::{Attempt, Observer};
use percent_encoding::percent_decode_str;

use crate::interrupt::lock;
use crate::program::Name;
use crate::run::{Invocation, quoted};
use crate::screen::{Screen, printable};
use crate::settings::ServiceFlags;

/// A transport that remembers the secrets that it sends, logs requests and responses with `-v`, and shows each notice of the
/// service once: the response header `Gateway-Notice`.
pub(crate) struct Watched<T> {
    inner: T,
    screen: Screen,
    trace: Option<Trace>,
    /// The notices so far; `None` if none are shown.
    notices: Option<Mutex<HashSet<HeaderValue>>>,
}

impl<T: BlockingTransport> Watched<T> {
    pub(crate) fn new(inner: T, invocation: &Invocation, shows_notices: bool) -> Self {
        let notices = shows_notices.then(Mutex::default);
        Self { inner, screen: invocation.screen, trace: Trace::of(invocation), notices }
    }

    fn show_notices(&self, headers: &HeaderMap) {
        let Some(notices) = &self.notices else { return };
        for notice in headers.get_all(&GATEWAY_NOTICE) {
            if lock(notices).insert(notice.clone()) {
                let text = String::from_utf8_lossy(notice.as_bytes());
                // The progress line may be there.
                self.screen.clear_line();
                self.screen.warn(&format!("the service reports: {text}"));
            }
        }
    }
}

impl<T: BlockingTransport> BlockingTransport for Watched<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        remember(&request);
        let response = match self.trace {
            Some(trace) => trace.send(&self.inner, request)?,
            None => self.inner.send(request)?,
        };
        self.show_notices(response.headers());
        Ok(response)
    }
}

/// Response header with a message for the user.
const GATEWAY_NOTICE: HeaderName = HeaderName::from_static("gateway-notice");

/// The log of `-v` and `-vv` on standard error: requests, responses and times. A transport writes it, so it is the same
/// for lists, objects and raw responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace {
    screen: Screen,
    /// Whether headers are logged too.
    headers: bool,
}

impl Trace {
    /// Returns the log; `None` without `-v`.
    pub(crate) fn of(invocation: &Invocation) -> Option<Self> {
        let &Invocation { screen, service: ServiceFlags { verbose, .. }, .. } = invocation;
        (verbose > 0).then_some(Self { screen, headers: verbose > 1 })
    }

    /// Logs the headers, without secrets.
    fn headers(self, mark: char, headers: &HeaderMap) {
        for (name, value) in headers.iter().filter(|_| self.headers) {
            let text = String::from_utf8_lossy(value.as_bytes());
            // A redirect may repeat the request, such as an e-mail address.
            let is_hidden = value.is_sensitive() || name == LOCATION;
            let text = if is_hidden { "(redacted)" } else { &*text };
            self.screen.trace(&format!("{mark}   {name}: {text}"));
        }
    }

    /// Sends a request, and logs it and its response.
    fn send(
        self,
        inner: &impl BlockingTransport,
        request: Request,
    ) -> Result<BlockingResponse, TransportError> {
        let begun = Instant::now();
        let since = || begun.elapsed().as_millis();
        self.screen.trace(&format!("> {} {}", request.method(), Redacted::target(&request)));
        self.headers('>', request.headers());
        let response = inner.send(request).inspect_err(|error| {
            self.screen.trace(&format!("< no response after {} ms: {error}", since()));
        })?;
        self.screen.trace(&format!("< status {} after {} ms", response.status().as_u16(), since()));
        self.headers('<', response.headers());
        Ok(response)
    }
}

/// Logs retries, which the transport does not see.
impl Observer for Trace {
    fn attempt(&self, attempt: &Attempt<'_>) {
        let next = attempt.number + 1;
        match attempt.retry_in {
            Some(wait) if wait.is_zero() => {
                self.screen.trace(&format!("  attempt {next} immediately, with a refreshed token"));
            }
            Some(wait) => {
                self.screen.trace(&format!("  attempt {next} in {} ms", wait.as_millis()));
            }
            None => {}
        }
    }
}

/// Returns the access token that a request carries.
pub(crate) fn token_of(headers: &HeaderMap) -> Option<&str> {
    // The scheme is case-insensitive (RFC 9110, section 11.1).
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// Remembers the secrets of a request that is about to be sent.
pub(crate) fn remember(request: &Request) {
    for value in request.headers().values().filter(|value| value.is_sensitive()) {
        // The scheme of `Authorization` is not a secret.
        let text = value.to_str().unwrap_or_default();
        add(text.rsplit(' ').next().unwrap_or_default());
    }
    if Redacted::is_needed(request) {
        add_differences(&request.uri().to_string(), &Redacted::target(request).to_string());
        let [body, redacted] = [request.body(), Redacted::body(request)];
        add_differences(&String::from_utf8_lossy(body), &String::from_utf8_lossy(redacted));
    }
}

/// Replaces the secrets in text.
pub(crate) fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for secret in lock(&SENT).iter() {
        if text.contains(secret) {
            text = Cow::Owned(text.replace(secret, "(redacted)"));
        }
    }
    text
}

/// Adds the parts of a URL or a form that its redacted copy replaces, encoded and decoded.
fn add_differences(text: &str, redacted: &str) {
    let parts =
        |text: &str| text.split(['/', '?', '&', '=']).map(str::to_owned).collect::<Vec<_>>();
    for (secret, _) in parts(text).iter().zip(parts(redacted)).filter(|(one, other)| *one != other)
    {
        add(secret);
        add(&percent_decode_str(secret).decode_utf8_lossy());
    }
}

fn add(secret: &str) {
    let mut sent = lock(&SENT);
    if secret.len() < MIN_LENGTH || sent.iter().any(|known| known == secret) {
        return;
    }
    if sent.len() == MAX_SECRETS {
        sent.remove(0);
    }
    sent.push(secret.to_owned());
}

/// The secrets, oldest first.
static SENT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Minimum length of a secret, in bytes. Redacting shorter ones would make messages unreadable.
const MIN_LENGTH: usize = 4;

/// Maximum number of secrets. A long-running process keeps getting new tokens.
const MAX_SECRETS: usize = 16;

/// Returns a request as a `curl` command with all its headers. A shell variable replaces the access token, and
/// `REDACTED` any other value that may be a secret.
pub(crate) fn curl(program: Name, request: &Request) -> String {
    let mut command = "curl -sS".to_owned();
    for (name, value) in request.headers() {
        let text = String::from_utf8_lossy(value.as_bytes());
        let header = if name == AUTHORIZATION && text.starts_with("Bearer ") {
            format!("\"{name}: Bearer ${}\"", program.variable("TOKEN"))
        } else if value.is_sensitive() {
            quoted(&format!("{name}: REDACTED"))
        } else {
            quoted(&printable(&format!("{name}: {text}")))
        };
        command = format!("{command} -H {header}");
    }
    if request.method() == Method::POST {
        // The option makes the request a POST.
        let body = quoted(&printable(&String::from_utf8_lossy(request.body())));
        command = format!("{command} --data-raw {body}");
    }
    format!("{command} {}", quoted(&request.uri().to_string()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use methodical_client::model::{Auth, BodyFormat, RawQuery, Secret, SecretPlace, Service};
    use methodical_client::transport::{MemoryTransport, Redacted, Request};
    use methodical_client::{AccessToken, blocking};

    use super::{curl, remember, without_secrets};
    use crate::program::Name;

    #[test]
    fn secrets_of_each_place_are_replaced() {
        let mut request = Request::new("user=anna&key=se%2Bcret-1".into());
        *request.uri_mut() = "https://host/botsecret-2/list?key=secret-3&a=plain".parse().unwrap();
        let target = "https://host/REDACTED/list?key=REDACTED&a=plain".parse().unwrap();
        request.extensions_mut().insert(Redacted::new(target, "user=anna&key=REDACTED".into()));
        for (name, value) in [("authorization", "Bearer secret-4"), ("x-key", "secret-5")] {
            let mut value = HeaderValue::from_static(value);
            value.set_sensitive(true);
            request.headers_mut().insert(name, value);
        }
        remember(&request);
        let text = "se%2Bcret-1 se+cret-1 botsecret-2 secret-3 Bearer secret-4 secret-5";
        let shown = "(redacted) (redacted) (redacted) (redacted) Bearer (redacted) (redacted)";
        assert_eq!(without_secrets(text), shown);
        assert_eq!(without_secrets("anna host list plain"), "anna host list plain");
    }

    struct Shop;

    impl Service for Shop {
        const PATH: &'static str = "/rest/{secret}/v1";
        const SELECTOR: &'static str = "method";
        const ACCEPT: &'static str = "application/json";
        const AUTH: Auth = Auth::Secrets(&[
            Secret::new("api_key", SecretPlace::Query),
            Secret::new("x-user", SecretPlace::Header),
            Secret::new("account", SecretPlace::Path),
            Secret::new("pin", SecretPlace::Form),
        ]);
    }

    #[test]
    fn no_secret_is_printed() {
        let canary = |text: &str| AccessToken::secret(format!("CANARY-{text}")).unwrap();
        let client = blocking::Client::<Shop>::builder("https://h")
            .token(canary("key"))
            .secret("x-user", canary("user"))
            .secret("account", canary("account"))
            .secret("pin", canary("pin"))
            .transport(MemoryTransport::default())
            .build()
            .unwrap();
        let query = RawQuery::new("items/list").pair("name", "it's");
        let command = curl(Name("my-shop"), &client.request(&query).unwrap());
        let (_, url) = command.split_once(" 'https://").unwrap();
        let expected = "h/rest/REDACTED/v1?method=items/list&name=it%27s&api_key=REDACTED'";
        assert_eq!(url, expected);
        assert!(command.contains(" -H 'x-user: REDACTED' "), "{command}");
        assert!(!command.contains("CANARY"), "{command}");
        let query = RawQuery::new("items/add").pair("name", "x").post(BodyFormat::Form);
        let command = curl(Name("my-shop"), &client.request(&query).unwrap());
        assert!(command.contains(" --data-raw 'name=x&pin=REDACTED' "), "{command}");
        assert!(!command.contains("CANARY"), "{command}");
    }
}
