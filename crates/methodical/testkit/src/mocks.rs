//! The calls of a service as `wiremock` mocks, for tests of code that uses a client.
//!
//! A generated crate has one type for each operation, with methods for its parameters and its records. All of them are
//! built on [`Call`], which you can also use directly, for operations that are not in the spec.
//!
//! A call that no mock matches gets status 404. If expected calls did not arrive, `wiremock` lists the requests that it
//! received.
//!
//! A mock always sends well-formed HTTP. For broken connections, use a `RawServer` (feature `raw-server`).

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use methodical_model::Service;
#[doc(no_inline)]
pub use methodical_model::{BodyFormat, ListStyle};
use serde::Serialize;
use serde_json::{Map, Value};
use wiremock::{Mock, ResponseTemplate};

use crate::mocks::matcher::Matcher;

mod matcher;
#[cfg(test)]
mod tests;

/// A call and its response. Mount it on a server to answer calls.
pub use wiremock::Mock as MockedCall;

/// A mock matches the calls of one operation, with any parameters unless restricted.
///
/// # Examples
///
/// ```
/// use methodical_testkit::mocks::{BodyFormat, Call, ListStyle};
/// # use methodical_model::Service;
/// # struct Photos;
/// # impl Service for Photos {
/// #     const NAME: &'static str = "photos";
/// #     const API_VERSION: &'static str = "v2";
/// #     const PATH: &'static str = "/api/v2";
/// #     const SELECTOR: &'static str = "action";
/// #     const ACCEPT: &'static str = "application/json";
/// # }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = wiremock::MockServer::start().await;
/// let call = Call::new::<Photos>("photos/list").with("album_id", "7").without("since");
/// call.exactly(r#"[{"id":"1"}]"#).mount(&server).await;
///
/// let tags = ["sea", "pier"].map(str::to_owned);
/// let call = Call::post::<Photos>("photos/add", BodyFormat::Form).with("title", "Harbour");
/// let call = call.with_list("tag", ListStyle::Comma, tags);
/// call.exactly(r#"{"stat":"fail","code":98}"#).mount(&server).await;
/// // … let the code under test call `server.uri()`.
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a call does nothing until it has a response and is mounted"]
pub struct Call {
    matcher: Matcher,
    accept: &'static str,
    delay: Duration,
    retry_after: Option<Duration>,
    has_bad_record: bool,
    is_truncated: bool,
    /// Members to add to the object with the fields next to a list, where they are missing.
    marker: &'static str,
}

impl Call {
    /// Matches every call of an operation, by its selector.
    pub const fn new<S: Service>(select: &'static str) -> Self {
        Self::of::<S>(select, None)
    }

    /// Matches every call of a POST operation with the given body format, by its selector.
    pub const fn post<S: Service>(select: &'static str, format: BodyFormat) -> Self {
        Self::of::<S>(select, Some(format))
    }

    const fn of<S: Service>(select: &'static str, post: Option<BodyFormat>) -> Self {
        let matcher = Matcher {
            path: S::PATH,
            dispatch: S::DISPATCH,
            select,
            post,
            given: Vec::new(),
            counts: Vec::new(),
            token: None,
        };
        Self {
            matcher,
            accept: S::ACCEPT,
            delay: Duration::ZERO,
            retry_after: None,
            has_bad_record: false,
            is_truncated: false,
            marker: "",
        }
    }

    /// Matches only calls in which the parameter `name` has the given value.
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.matcher.given.push((name.into(), Some(value.into())));
        self
    }

    /// Matches only calls in which the list `name` has exactly the given values. In a JSON body, the style is ignored.
    pub fn with_list(
        mut self,
        name: &'static str,
        style: ListStyle,
        values: impl IntoIterator<Item = String>,
    ) -> Self {
        let is_json = self.matcher.post == Some(BodyFormat::Json);
        let style = if is_json { ListStyle::Repeat } else { style };
        let pairs = style.pairs(name, values.into_iter().collect());
        self.matcher.counts.push((name, pairs.len()));
        let given = pairs.into_iter().map(|(name, value)| (name.into(), Some(value)));
        self.matcher.given.extend(given);
        self
    }

    /// Matches only calls without the parameter `name`.
    pub fn without(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.matcher.given.push((name.into(), None));
        self
    }

    /// Matches only calls with the given bearer token.
    pub fn token(mut self, token: &str) -> Self {
        self.matcher.token = Some(token.to_owned());
        self
    }

    /// Delays the response. Default: no delay.
    pub fn delay(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Adds `Retry-After` (RFC 9110, section 10.2.3) to the response, in seconds, rounded up. Default: none.
    pub fn retry_after(self, delay: Duration) -> Self {
        Self { retry_after: Some(delay), ..self }
    }

    /// Adds a record that no client can decode, the number 0, to the end of a list.
    pub fn bad_record(self) -> Self {
        Self { has_bad_record: true, ..self }
    }

    /// Truncates the JSON text: after the last record of a list, or before the last byte of an object. The HTTP
    /// response itself is complete.
    pub fn truncated(self) -> Self {
        Self { is_truncated: true, ..self }
    }

    /// Responds with a list between the texts `open` and `close`.
    pub fn list<T: Serialize>(self, (open, close): (&str, &str), records: &[T]) -> MockedCall {
        let bad = self.has_bad_record.then(|| Ok("0".to_owned()));
        let records: Result<Vec<_>, _> =
            records.iter().map(serde_json::to_string).chain(bad).collect();
        let close = if self.is_truncated { "" } else { close };
        match records {
            Ok(records) => self.exactly(&format!("{open}{}{close}", records.join(","))),
            Err(error) => self.body(Err(error)),
        }
    }

    /// Adds `members` to the fields next to a list, unless the response already has them. Default: none.
    pub fn marked(self, members: &'static str) -> Self {
        Self { marker: members, ..self }
    }

    /// Responds with a list between the texts `open` and `middle`, and with the fields of `beside` between `middle` and
    /// `close`.
    pub fn list_beside<T: Serialize, B: Serialize>(
        self,
        (open, middle, close): (&str, &str, &str),
        records: &[T],
        beside: &B,
    ) -> MockedCall {
        let close = serde_json::to_string(beside)
            .map(|beside| format!("{middle}{}{close}", after(&with_members(self.marker, &beside))));
        match close {
            Ok(close) => self.list((open, &close), records),
            Err(error) => self.body(Err(error)),
        }
    }

    /// Responds with an object or another value, between the texts `open` and `close`. Adds `members` to objects that
    /// lack them, at any depth.
    pub fn object_in<T: Serialize>(
        self,
        (open, close): (&str, &str),
        members: &str,
        record: &T,
    ) -> MockedCall {
        let body = serde_json::to_string(record)
            .map(|record| format!("{open}{}{close}", with_members(members, &record)));
        self.body(body)
    }

    /// Responds with a body without data, such as `null`.
    pub fn nothing(self, body: &str) -> MockedCall {
        self.body(Ok(body.to_owned()))
    }

    /// Responds with one object, without an envelope.
    pub fn object<T: Serialize>(self, record: &T) -> MockedCall {
        self.body(serde_json::to_string(record))
    }

    /// Responds with exactly this body.
    pub fn exactly(self, body: &str) -> MockedCall {
        let accept = self.accept;
        self.responds(200, body, accept)
    }

    /// Responds with an error status and a problem document (RFC 9457).
    pub fn fails(self, status: u16) -> MockedCall {
        let body = format!(r#"{{"type":"about:blank","status":{status}}}"#);
        self.responds(status, &body, "application/problem+json")
    }

    fn body(self, body: Result<String, serde_json::Error>) -> MockedCall {
        match body {
            Ok(mut body) => {
                if self.is_truncated {
                    body.pop();
                }
                self.exactly(&body)
            }
            // A record of a model can always be serialized; a foreign type may not.
            Err(error) => self.responds(500, &error.to_string(), "text/plain"),
        }
    }

    fn responds(self, status: u16, body: &str, media_type: &str) -> MockedCall {
        let Self { matcher, delay, retry_after, .. } = self;
        let mut response =
            ResponseTemplate::new(status).set_body_raw(body, media_type).set_delay(delay);
        if let Some(delay) = retry_after {
            let part = u64::from(delay.subsec_nanos() > 0);
            let seconds = delay.as_secs().saturating_add(part).to_string();
            response = response.insert_header("retry-after", seconds);
        }
        Mock::given(matcher).respond_with(response)
    }
}

/// Shows neither the token nor a value of a parameter.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Matcher { select, given, .. } = &self.matcher;
        let names: Vec<_> = given.iter().map(|(name, _)| name).collect();
        let mut fields = f.debug_struct("Call");
        fields.field("select", select).field("given", &names).finish_non_exhaustive()
    }
}

/// Returns the members of an object, with a comma before them unless the object is empty.
fn after(object: &str) -> String {
    let inner =
        object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    if inner.is_empty() { String::new() } else { format!(",{inner}") }
}

/// Returns an object with these members added where it lacks them, at any depth.
fn with_members(members: &str, record: &str) -> String {
    let parsed = |json: &str| serde_json::from_str::<Map<String, Value>>(json).unwrap_or_default();
    let (added, mut own) = (parsed(&format!("{{{members}}}")), parsed(record));
    if added.is_empty() {
        return record.to_owned();
    }
    add(&mut own, added);
    Value::Object(own).to_string()
}

/// Adds the members that an object lacks, at any depth.
fn add(object: &mut Map<String, Value>, members: Map<String, Value>) {
    for (name, value) in members {
        match (object.get_mut(&name), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => add(inner, value),
            (Some(_), _) => {}
            (None, value) => {
                object.insert(name, value);
            }
        }
    }
}
