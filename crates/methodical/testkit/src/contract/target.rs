//! The service under test, and where the parameters and secrets of a call go.

use std::fmt;
use std::time::Duration;

use gateway_transport::{Deadline, Redacted, Request};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, Uri};
use methodical_model::{Auth, BodyFormat, Place, Secret, SecretPlace};
use serde_json::{Map, Value};

use crate::contract::description::{Contract, Operation};
use crate::contract::evidence::{Ask, Token};
use crate::encoded::encoded;

/// The service under test: its address, an access token, and the limits of an exchange.
pub struct Target {
    base_url: String,
    token: String,
    secrets: Vec<(String, String)>,
    pub(super) body_limit: u64,
    time_limit: Duration,
}

impl Target {
    /// Creates a target from clients' base URL and an access token or, for a service with secrets, the first secret.
    ///
    /// # Errors
    ///
    /// Fails if the base URL is not a URI, or if the token contains a byte that is invalid in a header.
    ///
    /// ```
    /// use methodical_testkit::contract::Target;
    ///
    /// assert!(Target::new("https://gateway.example.com/prefix", "token").is_ok());
    /// assert!(Target::new("https://gateway.example.com", "to\nken").is_err());
    /// ```
    pub fn new(base_url: &str, token: &str) -> Result<Self, http::Error> {
        let base_url = base_url.trim_end_matches('/').to_owned();
        format!("{base_url}/").parse::<Uri>()?;
        HeaderValue::from_str(token)?;
        let (token, secrets) = (token.to_owned(), Vec::new());
        let (body_limit, time_limit) = (16 << 20, Duration::from_secs(60));
        Ok(Self { base_url, token, secrets, body_limit, time_limit })
    }

    /// Sets the value of the secret `name`, for a service with several secrets.
    #[must_use]
    pub fn secret(mut self, name: &str, value: &str) -> Self {
        self.secrets.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Builds a request, with secrets unless `ask` omits the token. Returns `None` if the request cannot be built.
    pub(super) fn request(&self, contract: &Contract, ask: &Ask) -> Option<Request> {
        let call = contract.call(&ask.suffix);
        let is_authorized = ask.token != Token::Missing;
        let (url, body) = self.located(contract, &call, is_authorized);
        let redacted = self.located(contract, &call, false);
        let mut request = Request::default();
        *request.uri_mut() = url.parse().ok()?;
        if redacted != (url, body.clone()) {
            let redacted = Redacted::new(redacted.0.parse().ok()?, redacted.1.into());
            request.extensions_mut().insert(redacted);
        }
        request.extensions_mut().insert(Deadline::after(self.time_limit));
        *request.body_mut() = body.into();
        let mut add = |name: HeaderName, text: &str, is_sensitive: bool| {
            if let Ok(mut value) = HeaderValue::from_str(text) {
                value.set_sensitive(is_sensitive);
                request.headers_mut().insert(name, value);
            }
        };
        for (secret, value) in self.values(contract).filter(|_| is_authorized) {
            if let (SecretPlace::Header, Ok(name)) = (secret.place(), secret.name().parse()) {
                add(name, value, true);
            }
        }
        add(ACCEPT, contract.accept, false);
        match ask.token {
            Token::Other(value) => add(AUTHORIZATION, value, false),
            _ if contract.auth != Auth::Bearer => {}
            Token::Valid => add(AUTHORIZATION, &format!("Bearer {}", self.token), true),
            Token::Missing => {}
        }
        if let Some((name, value)) = &ask.header {
            add(HeaderName::from_static(name), value, false);
        }
        if let Some((format, _)) = call.body {
            add(CONTENT_TYPE, format.media_type(), false);
            *request.method_mut() = Method::POST;
        }
        if ask.is_head {
            *request.method_mut() = Method::HEAD;
        }
        Some(request)
    }

    /// Returns the URL and the body of a call, with the secrets or with placeholders for them.
    fn located(&self, contract: &Contract, call: &Call, secrets: bool) -> (String, String) {
        let (mut path, mut query) = (format!("{}{}", contract.path, call.path), call.query.clone());
        let mut body = call.body.as_ref().map(|(_, text)| text.clone());
        for (secret, value) in self.values(contract) {
            let text = if secrets { encoded(value) } else { "REDACTED".to_owned() };
            let pair = format!("{}={text}", secret.name());
            match secret.place() {
                SecretPlace::Query => query = joined(&query, &pair),
                SecretPlace::Form => body = body.map(|body| joined(&body, &pair)),
                SecretPlace::Path => path = path.replace("{secret}", &text),
                _ => {}
            }
        }
        let separator = if query.is_empty() { "" } else { "?" };
        (format!("{}{path}{separator}{query}", self.base_url), body.unwrap_or_default())
    }

    /// Returns the service's secrets, each with its value, which is empty if the target has none.
    fn values(&self, contract: &Contract) -> impl Iterator<Item = (Secret, &str)> {
        contract.auth.secrets().iter().enumerate().map(|(index, secret)| {
            let named = self.secrets.iter().find(|(name, _)| name == secret.name());
            let first = (index == 0).then_some(self.token.as_str());
            (*secret, named.map(|(_, value)| value.as_str()).or(first).unwrap_or_default())
        })
    }

    /// Sets the maximum size of a response body in bytes. Default: 16 MiB. Checks that need a larger body are skipped.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets the time limit per request. Default: one minute. A check fails if a response takes longer.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Target")
    }
}

/// The part of a call after the service's path, and its body.
pub(super) struct Call {
    /// The part of the path after the service's path.
    pub(super) path: String,
    /// The query without `?`.
    pub(super) query: String,
    /// The body of a POST; `None` for a GET.
    pub(super) body: Option<(BodyFormat, String)>,
}

impl Contract {
    /// Returns the call for a `suffix` of the service's path. If the suffix's query begins with `=` and an operation's
    /// name, the call selects the operation as the service requires. Parameters follow the name, each after `&`.
    pub(super) fn call(&self, suffix: &str) -> Call {
        let (before, query) = suffix.split_once('?').unwrap_or((suffix, ""));
        let Some(named) = query.strip_prefix('=') else {
            return self.sent(before.to_owned(), String::new(), query, None);
        };
        let (select, params) = named.split_once('&').unwrap_or((named, ""));
        let mut path = before.to_owned();
        if self.dispatch.place() == Place::Path {
            path.extend(["/", select]);
        }
        let selectors = self.dispatch.values(select).map(|(name, value)| format!("{name}={value}"));
        let constants = self.dispatch.every_call().iter();
        let constants = constants.map(|(name, value)| format!("{name}={}", encoded(value)));
        let fixed = selectors.chain(constants).collect::<Vec<_>>().join("&");
        self.sent(path, fixed, params, self.operation(select))
    }

    fn sent(
        &self,
        path: String,
        fixed: String,
        params: &str,
        operation: Option<&Operation>,
    ) -> Call {
        let form = |text| Some((BodyFormat::Form, text));
        let (query, body) = match operation.filter(|one| one.post.is_some()) {
            _ if self.dispatch.place() == Place::Form => {
                (String::new(), form(joined(&fixed, params)))
            }
            None => (joined(&fixed, params), None),
            Some(one) if one.is_json() => (fixed, Some((BodyFormat::Json, one.json(params)))),
            Some(_) => (fixed, form(params.to_owned())),
        };
        Call { path, query, body }
    }
}

impl Operation {
    /// Returns parameters as a JSON object.
    fn json(&self, params: &str) -> String {
        let pairs = params.split('&').filter_map(|pair| pair.split_once('='));
        let members = pairs.map(|(name, value)| {
            let text = decoded(value);
            let value = if self.literals.contains(&name) {
                serde_json::from_str(&text).unwrap_or(Value::String(text))
            } else {
                Value::String(text)
            };
            let is_list = self.lists.contains(&name);
            (name.to_owned(), if is_list { Value::Array(vec![value]) } else { value })
        });
        Value::Object(members.collect::<Map<_, _>>()).to_string()
    }
}

/// Joins two lists of parameters, each of which may be empty.
fn joined(one: &str, other: &str) -> String {
    let separator = if one.is_empty() || other.is_empty() { "" } else { "&" };
    format!("{one}{separator}{other}")
}

/// Decodes a percent-encoded value. Invalid encodings are left unchanged.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| first == b'%');
        bytes.push(byte.unwrap_or(first));
        rest = byte.and_then(|_| after.get(2..)).unwrap_or(after);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use gateway_transport::Redacted;
    use http::Method;
    use methodical_model::{Auth, BodyFormat, Dispatch, Secret, SecretPlace};

    use super::Target;
    use crate::contract::description::Contract;
    use crate::contract::evidence::{Ask, Token};
    use crate::contract::tests::{service, shows};

    const SECRETS: Auth = Auth::Secrets(&[
        Secret::new("bot", SecretPlace::Path),
        Secret::new("key", SecretPlace::Query),
        Secret::new("pin", SecretPlace::Form),
        Secret::new("x-user", SecretPlace::Header),
    ]);
    static CONTRACT: Contract = service(
        "/bot{secret}",
        SECRETS,
        Dispatch::path(),
        &[shows("list", Some((BodyFormat::Form, true)))],
    );

    fn target() -> Target {
        let target = Target::new("https://gateway.example.com/", "7 a").unwrap();
        target.secret("key", "a&b").secret("x-user", "jane")
    }

    #[test]
    fn each_secret_is_in_its_place() {
        let request = target().request(&CONTRACT, &Ask::query("=list&a=1")).unwrap();
        assert_eq!(request.uri(), "https://gateway.example.com/bot7%20a/list?key=a%26b");
        // The target has no value for this secret.
        assert_eq!(
            (request.method(), &request.body()[..]),
            (&Method::POST, b"a=1&pin=".as_slice())
        );
        let user = &request.headers()["x-user"];
        assert!(user == "jane" && user.is_sensitive());
        let shown = "https://gateway.example.com/botREDACTED/list?key=REDACTED";
        assert_eq!(Redacted::target(&request), shown);
        assert_eq!(Redacted::body(&request), "a=1&pin=REDACTED");
    }

    #[test]
    fn a_request_without_a_token_or_a_body_has_no_secret() {
        let ask = Ask { token: Token::Missing, ..Ask::query("=list&a=1") };
        let request = target().request(&CONTRACT, &ask).unwrap();
        assert!(!request.headers().contains_key("x-user"));
        assert_eq!(request.uri().query(), Some("key=REDACTED"));
        assert_eq!(request.body(), "a=1&pin=REDACTED");
        assert_eq!(target().request(&CONTRACT, &Ask::query("=other")).unwrap().body(), "");
        assert_eq!(format!("{:?}", target()), "Target");
    }
}
