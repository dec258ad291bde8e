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
use std::fmt::{self, Write as _};
use std::time::Duration;

use methodical_model::codegen::{Body, Decides};
#[doc(no_inline)]
pub use methodical_model::{BodyFormat, ListStyle};
use methodical_model::{Operation, Service};
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
/// let call = Call::new::<Photos>("photos/add").post(BodyFormat::Form).with("title", "Harbour");
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
    /// Where the data is in the response.
    place: &'static Body,
}

impl Call {
    /// Matches every call by GET that has this selector.
    pub const fn new<S: Service>(select: &'static str) -> Self {
        let matcher = Matcher {
            path: S::PATH,
            dispatch: S::DISPATCH,
            select,
            post: None,
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
            place: &Body::ROOT,
        }
    }

    /// Matches every call of an operation, and puts the data where the operation's responses have it.
    pub const fn of<O: Operation>() -> Self {
        let mut call = Self::new::<O::Service>(O::METHOD);
        call.place = O::BODY;
        match O::POST {
            Some((format, _)) => call.post(format),
            None => call,
        }
    }

    /// Matches calls by POST with this format of the body.
    pub const fn post(mut self, format: BodyFormat) -> Self {
        self.matcher.post = Some(format);
        self
    }

    /// Matches only calls in which the parameter `name` has the given value.
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.matcher.given.push((name.into(), Some(value.into())));
        self
    }

    /// Matches only calls whose list `name` has exactly these values. After a `post` with JSON, `style` is ignored.
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

    /// Responds with a list of records.
    pub fn list<T: Serialize>(self, records: &[T]) -> MockedCall {
        self.list_beside(records, &())
    }

    /// Responds with a list of records, and with the fields of `beside` next to it.
    pub fn list_beside<T: Serialize, B: Serialize>(self, records: &[T], beside: &B) -> MockedCall {
        let body = || -> Result<String, serde_json::Error> {
            let bad = self.has_bad_record.then(|| Ok("0".to_owned()));
            let records = records.iter().map(serde_json::to_string).chain(bad);
            let records = records.collect::<Result<Vec<_>, _>>()?.join(",");
            let (open, close) = around(self.place, &serde_json::to_string(beside)?);
            Ok(if self.is_truncated {
                format!("{open}[{records}")
            } else {
                format!("{open}[{records}]{close}")
            })
        };
        match body() {
            Ok(body) => self.exactly(&body),
            Err(error) => self.body(Err(error)),
        }
    }

    /// Responds with an object or another value, or with `()` if the response has no data. A marker of success is added
    /// if the body lacks it.
    pub fn object<T: Serialize>(self, record: &T) -> MockedCall {
        let body = serde_json::to_string(record).map(|record| match success(self.place) {
            Some((at, value)) if self.place.at.is_empty() => {
                with_members(nested(at, value), &record)
            }
            _ => {
                let (open, close) = around(self.place, "{}");
                format!("{open}{record}{close}")
            }
        });
        self.body(body)
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

/// Returns the JSON text before and after the data of a successful response, with the fields beside it. A marker of
/// success is in the innermost object that contains both it and the data: before the data, unless a field beside the data
/// has its name.
fn around(place: &Body, beside: &str) -> (String, String) {
    let (mut open, mut close) = (String::new(), String::new());
    let depth_of_beside = place.at.len().saturating_sub(1 + place.beside_above);
    let marker = success(place).map(|(at, value)| {
        let shared = at.iter().zip(place.at).take_while(|(one, other)| one == other).count();
        (shared, nested(at.get(shared..).unwrap_or_default(), value))
    });
    for (depth, key) in place.at.iter().enumerate() {
        let mut after = if depth == depth_of_beside { beside.to_owned() } else { String::new() };
        open.push('{');
        match marker.clone().filter(|(shared, _)| *shared == depth) {
            Some((_, marker)) if marker.keys().all(|key| object(&after).contains_key(key)) => {
                after = with_members(marker, &after);
            }
            Some((_, marker)) => {
                _ = write!(open, "{},", members(&Value::Object(marker).to_string()));
            }
            None => {}
        }
        _ = write!(open, "{}:", Value::from(*key));
        let after = members(&after);
        let comma = if after.is_empty() { "" } else { "," };
        close.insert_str(0, &format!("{comma}{after}}}"));
    }
    (open, close)
}

/// Returns the place of the marker of success, and its value: a boolean, or text, which services use for numbers as well.
fn success(place: &Body) -> Option<(&'static [&'static str], Value)> {
    let Decides::Success { at, is } = place.verdict?.decides else { return None };
    let value = *is.first()?;
    Some((at, value.parse::<bool>().map_or_else(|_| Value::from(value), Value::from)))
}

/// Returns an object with a value at the end of these keys.
fn nested(path: &[&str], value: Value) -> Map<String, Value> {
    let object = |value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), value)]));
    match path.iter().rev().fold(value, object) {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Returns the members of an object, without its braces.
fn members(object: &str) -> &str {
    object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default()
}

/// Parses an object; any other value has no members.
fn object(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns an object with these members added where it lacks them, at any depth.
fn with_members(added: Map<String, Value>, record: &str) -> String {
    let mut own = object(record);
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
