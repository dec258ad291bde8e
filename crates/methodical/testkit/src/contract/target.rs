//! The service under test, and its calls: where their parameters and secrets are.

use std::fmt;
use std::time::Duration;

use http::{HeaderValue, Uri};
use methodical_model::{BodyFormat, Place, SecretPlace};
use serde_json::{Map, Value};

use crate::contract::description::{Contract, Post};
use crate::encoded::encoded;

/// A call with its secrets.
pub(super) struct Located<'a> {
    pub(super) url: String,
    pub(super) body: String,
    pub(super) headers: Vec<(&'static str, &'a str)>,
}

/// The service under test: its address, an access token, and the limits of an exchange.
pub struct Target {
    pub(super) base_url: String,
    pub(super) authorization: HeaderValue,
    token: String,
    secrets: Vec<(String, String)>,
    pub(super) body_limit: u64,
    pub(super) time_limit: Duration,
}

impl Target {
    /// Creates a target from the base URL that clients use and an access token or, if the service has secrets instead, its
    /// first secret.
    ///
    /// # Errors
    ///
    /// Fails if the base URL is not a URI, or if the token contains a byte that a header value cannot have.
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
        let mut authorization = HeaderValue::from_str(&format!("Bearer {token}"))?;
        authorization.set_sensitive(true);
        let (body_limit, time_limit) = (16 << 20, Duration::from_secs(60));
        Ok(Self {
            base_url,
            authorization,
            token: token.to_owned(),
            secrets: Vec::new(),
            body_limit,
            time_limit,
        })
    }

    /// Sets the value of the secret with this name, for a service that has several.
    #[must_use]
    pub fn secret(mut self, name: &str, value: &str) -> Self {
        self.secrets.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the URL of a call, its body, and its headers with secrets. Without `secrets`, the URL and the body have
    /// placeholders.
    pub(super) fn located(&self, contract: &Contract, call: &Call, secrets: bool) -> Located<'_> {
        let (mut path, mut query) = (format!("{}{}", contract.path, call.path), call.query.clone());
        let mut body = call.body.as_ref().map(|(_, text)| text.clone());
        let mut headers = Vec::new();
        for (index, secret) in contract.auth.secrets().iter().enumerate() {
            let named = self.secrets.iter().find(|(name, _)| name == secret.name());
            let first = (index == 0).then_some(self.token.as_str());
            let value = named.map(|(_, value)| value.as_str()).or(first).unwrap_or_default();
            let text = if secrets { encoded(value) } else { "REDACTED".to_owned() };
            match secret.place() {
                SecretPlace::Query => {
                    query = joined(&query, &format!("{}={text}", secret.name()));
                }
                SecretPlace::Form => {
                    body = body.map(|body| joined(&body, &format!("{}={text}", secret.name())));
                }
                SecretPlace::Path => path = path.replace("{secret}", &text),
                _ => headers.push((secret.name(), value)),
            }
        }
        let separator = if query.is_empty() { "" } else { "?" };
        let url = format!("{}{path}{separator}{query}", self.base_url);
        Located { url, body: body.unwrap_or_default(), headers }
    }

    /// Sets the limit of a body, in bytes. Checks of a larger response are skipped. The default is 16 MiB.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets the time limit of one exchange. The default is one minute.
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

/// The part of a call after the path of the service, and its body.
pub(super) struct Call {
    /// The text after the path of the service.
    pub(super) path: String,
    /// The query without `?`.
    pub(super) query: String,
    /// The body of a POST; `None` for a GET.
    pub(super) body: Option<(BodyFormat, String)>,
}

impl Contract {
    /// Returns a call. `suffix` follows the path of the service. If its query begins with `=` and the name of an operation,
    /// the call names the operation as the service wants it; the parameters follow, each with a leading `&`.
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
        let post = self.operation(select).and_then(|operation| operation.post.as_ref());
        self.sent(path, fixed, params, post)
    }

    fn sent(&self, path: String, fixed: String, params: &str, post: Option<&Post>) -> Call {
        let form = |text| Some((BodyFormat::Form, text));
        let (query, body) = match post {
            _ if self.dispatch.place() == Place::Form => {
                (String::new(), form(joined(&fixed, params)))
            }
            None => (joined(&fixed, params), None),
            Some(Post { format: BodyFormat::Json, .. }) => {
                (fixed, post.map(|post| (BodyFormat::Json, post.json(params))))
            }
            Some(_) => (fixed, form(params.to_owned())),
        };
        Call { path, query, body }
    }
}

impl Post {
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

/// Returns the text of a percent-encoded value. Encodings that are not valid stay as they are.
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
    use methodical_model::{Auth, BodyFormat, Dispatch, Secret, SecretPlace};

    use super::{Call, Target};
    use crate::contract::description::Contract;
    use crate::contract::tests::service;

    const SECRETS: Auth = Auth::Secrets(&[
        Secret::new("bot", SecretPlace::Path),
        Secret::new("key", SecretPlace::Query),
        Secret::new("pin", SecretPlace::Form),
        Secret::new("x-user", SecretPlace::Header),
    ]);
    static CONTRACT: Contract = service("/bot{secret}", SECRETS, Dispatch::path(), &[]);

    fn target() -> Target {
        let target = Target::new("https://gateway.example.com/", "7 a").unwrap();
        target.secret("key", "a&b").secret("x-user", "jane")
    }

    #[test]
    fn each_secret_is_in_its_place() {
        let body = Some((BodyFormat::Form, "a=1".to_owned()));
        let call = Call { path: "/list".to_owned(), query: "b=2".to_owned(), body };
        let target = target();
        let located = target.located(&CONTRACT, &call, true);
        assert_eq!(located.url, "https://gateway.example.com/bot7%20a/list?b=2&key=a%26b");
        // The target has no value of this secret.
        assert_eq!(located.body, "a=1&pin=");
        assert_eq!(located.headers, [("x-user", "jane")]);
        let redacted = target.located(&CONTRACT, &call, false);
        let url = "https://gateway.example.com/botREDACTED/list?b=2&key=REDACTED";
        assert_eq!((&*redacted.url, &*redacted.body), (url, "a=1&pin=REDACTED"));
    }

    #[test]
    fn a_call_without_a_body_has_no_secret_of_a_form() {
        let call = Call { path: String::new(), query: String::new(), body: None };
        assert_eq!(target().located(&CONTRACT, &call, true).body, "");
    }

    #[test]
    fn debug_has_no_secret() {
        assert_eq!(format!("{:?}", target()), "Target");
    }
}
