//! Creates a client from the settings, and does the program's part of each request: redacts secrets, writes the log of
//! `-v`, shows the service's notices, and prints the `curl` command of a dry run.
//!
//! No message shows a secret that was sent, even if a service repeats it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http::header::{AUTHORIZATION, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use methodical_client::model::{Auth, Service};
use methodical_client::transport::gzip::Gzip;
use methodical_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use methodical_client::transport::{
    BlockingResponse, BlockingTransport, Options, Redacted, Request, TransportError,
};
use methodical_client::{
    AccessToken, Attempt, CommandToken, EnvironmentToken, FileToken, Observer, TokenSource,
    blocking,
};
use percent_encoding::percent_decode_str;

use crate::commands::{Invocation, quoted};
use crate::failure::Failure;
use crate::files::{self, stored_token, with_unread};
use crate::program::Program;
use crate::screen::{Screen, ask_for_secret, lock, printable};
use crate::settings::{Setting, Settings, TokenFrom, check_binding, setting};

pub(crate) fn connect_to_service<S: Service>(
    invocation: &Invocation,
    settings: &Settings,
) -> Result<blocking::Client<S>, Failure> {
    if settings.base_url().is_none() {
        return Err(no_base_url(invocation));
    }
    if S::AUTH == Auth::None {
        return build::<S>(invocation, settings, None::<AccessToken>);
    }
    if invocation.service.dry_run {
        // A dry run prints a variable in place of the token.
        return build::<S>(invocation, settings, Some(AccessToken::new("unused")?));
    }
    let missing = || {
        let variable = invocation.program.variable("TOKEN");
        let login = invocation.command("auth login");
        let text = format!("no access token: set {variable}, use --token-file, or run {login}");
        incomplete(text, &invocation.program)
    };
    let token = settings.token.as_ref().ok_or_else(missing)?;
    check_binding(settings, token)?;
    match token {
        TokenFrom::File(file) => {
            check_token_file(file)?;
            build::<S>(invocation, settings, Some(FileToken::new(&file.value)))
        }
        TokenFrom::Command(command) => {
            let mut words = command.value.iter();
            let program = CommandToken::new(words.next().map_or("", String::as_str));
            build::<S>(invocation, settings, Some(words.fold(program, CommandToken::arg)))
        }
        TokenFrom::Stdin | TokenFrom::Variable(_) | TokenFrom::Login { .. } | TokenFrom::Demo => {
            let text = read_token(invocation, token)?.ok_or_else(missing)?;
            build::<S>(invocation, settings, Some(parsed_token::<S>(&text, &token.to_string())?))
        }
    }
}

/// Creates a service's token from its text: a bearer token or a secret, as the service requires. Errors name `from`.
pub(crate) fn parsed_token<S: Service>(text: &str, from: &str) -> Result<AccessToken, Failure> {
    let token = match S::AUTH {
        Auth::Bearer => AccessToken::new(text.trim()),
        _ => AccessToken::secret(text.trim()),
    };
    token.map_err(|error| Failure::from(error).hint(format!("the token comes from {from}")))
}

pub(crate) fn no_base_url(invocation: &Invocation) -> Failure {
    let variable = invocation.program.variable("BASE_URL");
    let login = invocation.command("auth login --base-url URL");
    let text = format!("no base URL: set {variable}, use --base-url, or run {login}");
    incomplete(text, &invocation.program)
}

/// Returns the failure for missing settings. If the program has a sample service, the message suggests `--demo`.
fn incomplete(text: String, program: &Program) -> Failure {
    let or_demo = if program.demo.is_some() { "; or try --demo" } else { "" };
    with_unread(Failure::usage(text + or_demo), program)
}

/// Refuses a token file that does not exist, or that others can read. The error names the setting of the path.
fn check_token_file(file: &Setting<PathBuf>) -> Result<(), Failure> {
    let Setting { value: path, origin } = file;
    if matches!(path.try_exists(), Ok(false)) {
        return Err(Failure::usage(format!("the token file {} does not exist", path.display()))
            .hint(format!("the path comes from {origin}")));
    }
    let asked = |failure: Failure| failure.because(format!("the path comes from {origin}"));
    files::check_private(path, "token").map_err(asked)
}

/// Reads the token from a source; `None` if the source has no token, or is the sample service or a command.
pub(crate) fn read_token(
    invocation: &Invocation,
    from: &TokenFrom,
) -> Result<Option<String>, Failure> {
    match from {
        TokenFrom::Stdin => ask_for("token", "Access token").map(Some),
        TokenFrom::Variable(name) => setting(name),
        TokenFrom::File(file) => {
            check_token_file(file)?;
            files::read(&file.value)
        }
        TokenFrom::Login { profile, .. } => {
            Ok(stored_token(&invocation.program, profile)?.map(|stored| stored.token))
        }
        TokenFrom::Demo | TokenFrom::Command(_) => Ok(None),
    }
}

/// Returns the active token if reading it has no side effect. Returns `None` if that would run a command or read
/// standard input, if there is no token, and on an error.
pub(crate) fn token_text(settings: &Settings, invocation: &Invocation) -> Option<String> {
    let text = match settings.token.as_ref()? {
        // A pipe could be read only once.
        TokenFrom::Stdin => None,
        TokenFrom::File(file) if !file.value.is_file() => None,
        from => read_token(invocation, from).ok()?,
    };
    text.map(|text| text.trim().to_owned())
}

/// Reads a secret, such as a token, from standard input. If that is a terminal, asks for the secret without showing it.
pub(crate) fn ask_for(what: &str, whose: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if io::stdin().is_terminal() {
        ask_for_secret(&format!("{whose} (not shown): ")).map(|secret| text = secret)
    } else {
        io::stdin().take(MAX_SECRET).read_to_string(&mut text).map(drop)
    };
    read.map_err(|error| Failure::usage(format!("cannot read the {what}")).because(error))?;
    Ok(text)
}

/// Maximum size of a secret on standard input, in bytes: more than any server accepts in a header.
const MAX_SECRET: u64 = 64 * 1024;

/// Creates a client with this token instead of the one in the settings.
pub(crate) fn build<S: Service>(
    invocation: &Invocation,
    settings: &Settings,
    token: Option<impl TokenSource>,
) -> Result<blocking::Client<S>, Failure> {
    let base_url = settings.base_url().map_or("", |url| url.value.as_str());
    if let Some(base) = base_url.trim_end_matches('/').strip_suffix(S::PATH) {
        let text = format!("cannot use the base URL: it ends in {}", S::PATH);
        let hint = format!("the program adds this path itself; use {base}");
        return Err(Failure::usage(text).hint(hint));
    }
    let mut builder = blocking::Client::<S>::builder(base_url);
    if let Some(token) = token {
        builder = builder.token(token);
    }
    // Secrets other than the first come only from environment variables. The sample service ignores them.
    for secret in S::AUTH.secrets().iter().skip(1) {
        builder = if invocation.service.dry_run || invocation.service.demo {
            builder.secret(secret.name(), AccessToken::new("unused")?)
        } else {
            let variable = invocation.program.secret_variable(secret.name());
            builder.secret(secret.name(), EnvironmentToken::new(variable))
        };
    }
    if settings.get("allow-insecure-http").is_some_and(|setting| setting.value == "true") {
        builder = builder.allow_insecure_http();
    }
    if let Some(seconds) = settings.timeout() {
        let limit = Duration::from_secs(seconds);
        builder = builder.call_timeout(limit).attempt_timeout(limit).stream_timeout(limit);
    }
    builder = builder.observer(Trace::of(invocation));
    let transport = transport(invocation, settings, true)?;
    // On one machine, compression takes longer than it saves.
    builder = if is_local(base_url) {
        builder.transport(transport)
    } else {
        builder.transport(Gzip::new(transport))
    };
    builder.build().map_err(|error| {
        // The client's message names a setting of the client, which the user cannot change.
        if error.to_string().contains("allow_insecure_http") {
            let text = "cannot use the base URL: it is unencrypted http, which exposes the token";
            return Failure::usage(text).hint("use https, or allow it with --allow-insecure-http");
        }
        let failure = Failure::from(error);
        match settings.base_url().filter(|url| !url.origin.is_empty()) {
            Some(url) => failure.hint(format!("the base URL comes from {}", url.origin)),
            None => failure,
        }
    })
}

/// Creates a transport that passes on data as it arrives. The transport logs with `-v` and, if `shows_notices` is true,
/// shows the service's notices.
pub(crate) fn transport(
    invocation: &Invocation,
    settings: &Settings,
    shows_notices: bool,
) -> Result<Arc<dyn BlockingTransport>, Failure> {
    let options = options(settings.timeout());
    let inner = ReqwestBlockingTransport::new(&options).map_err(methodical_client::Error::from)?;
    let notices = shows_notices.then(Mutex::default);
    Ok(Arc::new(Watched { inner, trace: Trace::of(invocation), notices }))
}

/// Returns the transport's options. The idle timeout is `timeout`, in seconds: the default could end a call earlier.
fn options(timeout: Option<u64>) -> Options {
    let options = Options::default();
    match timeout {
        // The HTTP client panics if the timeout overflows its clock.
        Some(limit) => options.idle_timeout(Duration::from_secs(limit.min(u32::MAX.into()))),
        None => options,
    }
}

/// Returns whether this is the URL of a service on this machine.
pub(crate) fn is_local(base_url: &str) -> bool {
    let url = base_url.parse::<Uri>().ok();
    let Some(host) = url.as_ref().and_then(Uri::host) else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A transport that remembers the secrets that it sends, logs requests and responses with `-v`, and shows each notice
/// in the response header `Gateway-Notice` once.
struct Watched<T> {
    inner: T,
    trace: Trace,
    /// The notices shown so far; `None` if notices are not shown.
    notices: Option<Mutex<HashSet<HeaderValue>>>,
}

impl<T: BlockingTransport> BlockingTransport for Watched<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        remember(&request);
        let (trace, begun) = (self.trace, Instant::now());
        let since = || begun.elapsed().as_millis();
        trace.say(|| format!("> {} {}", request.method(), Redacted::target(&request)));
        trace.headers('>', request.headers());
        let response = self.inner.send(request).inspect_err(|error| {
            trace.say(|| format!("< no response after {} ms: {error}", since()));
        })?;
        trace.say(|| format!("< status {} after {} ms", response.status().as_u16(), since()));
        trace.headers('<', response.headers());
        for notice in response.headers().get_all(&GATEWAY_NOTICE) {
            let is_new = |notices: &Mutex<HashSet<_>>| lock(notices).insert(notice.clone());
            if self.notices.as_ref().is_some_and(is_new) {
                let text = String::from_utf8_lossy(notice.as_bytes());
                // The progress line may still be shown.
                trace.screen.clear_line();
                trace.screen.warn(&format!("the service reports: {text}"));
            }
        }
        Ok(response)
    }
}

/// Response header with a message for the user.
const GATEWAY_NOTICE: HeaderName = HeaderName::from_static("gateway-notice");

/// The log of `-v` and `-vv` on standard error: requests, responses and times. The transport writes it, so the log is
/// the same for lists, objects and raw responses.
#[derive(Clone, Copy, Debug)]
struct Trace {
    screen: Screen,
    /// How often `-v` is given. From 2, headers are logged too.
    verbose: u8,
}

impl Trace {
    fn of(invocation: &Invocation) -> Self {
        Self { screen: invocation.screen, verbose: invocation.service.verbose }
    }

    fn say(self, text: impl FnOnce() -> String) {
        if self.verbose > 0 {
            self.screen.trace(&text());
        }
    }

    /// Logs the headers, without secrets.
    fn headers(self, mark: char, headers: &HeaderMap) {
        for (name, value) in headers.iter().filter(|_| self.verbose > 1) {
            let text = String::from_utf8_lossy(value.as_bytes());
            // A redirect may repeat parts of the request, such as an e-mail address.
            let is_hidden = value.is_sensitive() || name == LOCATION;
            let text = if is_hidden { "(redacted)" } else { &*text };
            self.say(|| format!("{mark}   {name}: {text}"));
        }
    }
}

/// Logs retries, which the transport does not see.
impl Observer for Trace {
    fn attempt(&self, attempt: &Attempt<'_>) {
        let next = attempt.number + 1;
        match attempt.retry_in {
            Some(wait) if wait.is_zero() => {
                self.say(|| format!("  attempt {next} immediately, with a refreshed token"));
            }
            Some(wait) => self.say(|| format!("  attempt {next} in {} ms", wait.as_millis())),
            None => {}
        }
    }
}

/// Returns a request's bearer token; `None` if it does not have one.
pub(crate) fn token_of(headers: &HeaderMap) -> Option<&str> {
    // The scheme is case-insensitive (RFC 9110, section 11.1).
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// Remembers the secrets of a request that is about to be sent.
fn remember(request: &Request) {
    for value in request.headers().values().filter(|value| value.is_sensitive()) {
        // The scheme of `Authorization` is not a secret.
        add(value.to_str().unwrap_or_default().rsplit(' ').next().unwrap_or_default());
    }
    if Redacted::is_needed(request) {
        add_differences(&request.uri().to_string(), &Redacted::target(request).to_string());
        let [body, redacted] = [request.body(), Redacted::body(request)];
        add_differences(&String::from_utf8_lossy(body), &String::from_utf8_lossy(redacted));
    }
}

/// Returns the text with `(redacted)` in place of each secret that was sent.
pub(crate) fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    let mut secrets = lock(&SENT).clone();
    // Longest first: if a secret contains another one, no part of it may remain.
    secrets.sort_by_key(|secret| Reverse(secret.len()));
    for secret in &secrets {
        if text.contains(secret) {
            text = Cow::Owned(text.replace(secret, "(redacted)"));
        }
    }
    text
}

/// Remembers the parts of a URL or a form that its redacted copy replaces, both percent-encoded and decoded.
fn add_differences(text: &str, redacted: &str) {
    let [parts, others] = [text, redacted].map(|text| text.split(['/', '?', '&', '=']));
    for (secret, _) in parts.zip(others).filter(|(one, other)| one != other) {
        add(secret);
        add(&percent_decode_str(secret).decode_utf8_lossy());
    }
}

fn add(secret: &str) {
    if secret.len() >= MIN_LENGTH {
        let mut sent = lock(&SENT);
        sent.retain(|known| known != secret);
        sent.insert(0, secret.to_owned());
        sent.truncate(MAX_SECRETS);
    }
}

/// The secrets that were sent, most recent first.
static SENT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Maximum number of secrets to remember. A program that syncs for months may get a new token for each sync.
const MAX_SECRETS: usize = 100;

/// Minimum length of a secret to remember, in bytes. Redacting shorter ones would make messages unreadable.
const MIN_LENGTH: usize = 4;

/// Returns a request as a `curl` command with all its headers. A shell variable stands for the access token, and
/// `REDACTED` for any other value that may be a secret.
pub(crate) fn curl(program: &Program, request: &Request) -> String {
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
    use std::time::Duration;

    use super::{is_local, options};

    #[test]
    fn the_limit_on_silence_follows_the_timeout() {
        assert_eq!(options(None).idle_timeout, Duration::from_secs(20));
        assert_eq!(options(Some(90)).idle_timeout, Duration::from_secs(90));
        assert_eq!(options(Some(5)).idle_timeout, Duration::from_secs(5));
        assert!(options(Some(u64::MAX)).idle_timeout < Duration::from_secs(u64::MAX / 2));
    }

    #[test]
    fn compression_is_for_other_machines() {
        for local in ["127.9.9.9", "[::1]", "a.localhost"] {
            assert!(is_local(&format!("http://{local}:8080/")), "{local}");
        }
        assert!(!is_local("https://h.example"));
    }
}
#[cfg(test)]
mod secret_tests {
    use http::HeaderValue;
    use methodical_client::model::{Auth, BodyFormat, RawQuery, Secret, SecretPlace, Service};
    use methodical_client::transport::{MemoryTransport, Redacted, Request};
    use methodical_client::{AccessToken, blocking};

    use super::{MAX_SECRETS, SENT, add, curl, remember, without_secrets};
    use crate::program::Program;
    use crate::screen::lock;

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
        // One secret is the beginning of another, or inside it.
        add("secret-5-longer");
        add("my-secret-5");
        let text = "secret-5-longer, my-secret-5, secret-5";
        assert_eq!(without_secrets(text), "(redacted), (redacted), (redacted)");
        for number in 0..1000 {
            add(&format!("token-{number:03}"));
            add("secret-4");
        }
        // A secret that is sent again and again is not forgotten, and neither are the last ones.
        assert_eq!(without_secrets("secret-4, token-999"), "(redacted), (redacted)");
        assert_eq!(lock(&SENT).len(), MAX_SECRETS);
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
        let command = curl(&Program::new("my-shop", "1.0.0"), &client.request(&query).unwrap());
        let (_, url) = command.split_once(" 'https://").unwrap();
        let expected = "h/rest/REDACTED/v1?method=items/list&name=it%27s&api_key=REDACTED'";
        assert_eq!(url, expected);
        assert!(command.contains(" -H 'x-user: REDACTED' "), "{command}");
        assert!(!command.contains("CANARY"), "{command}");
        let query = RawQuery::new("items/add").pair("name", "x").post(BodyFormat::Form);
        let command = curl(&Program::new("my-shop", "1.0.0"), &client.request(&query).unwrap());
        assert!(command.contains(" --data-raw 'name=x&pin=REDACTED' "), "{command}");
        assert!(!command.contains("CANARY"), "{command}");
    }
}
