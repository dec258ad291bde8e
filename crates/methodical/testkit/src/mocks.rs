//! The operations of a service as `wiremock` mocks, for tests of code that uses a client.
//!
//! A [`Mock`] matches the calls of an operation, which may be a [`RawQuery`](methodical_model::RawQuery), and responds
//! with the operation's own types. A generated crate also has a mock for each example of the spec.
//!
//! A call that no mock matches gets status 404. If an expected call is missing, `wiremock` lists the received requests.
//!
//! A mock always sends well-formed HTTP. For broken connections, use a `RawServer` (feature `raw-server`).

use std::fmt::{self, Write as _};
use std::marker::PhantomData;
use std::time::Duration;

use methodical_model::codegen::{Body, Decides, QueryBuilder};
use methodical_model::{ListOperation, Operation, Query, Service};
use serde::Serialize;
use serde_json::{Map, Value};
use wiremock::ResponseTemplate;

use crate::mocks::matcher::Matcher;

mod matcher;
#[cfg(test)]
mod tests;

/// A call and its response. Mount it on a server to answer calls.
pub use wiremock::Mock as MockedCall;

/// A mock of an operation: the calls that it matches, and how it responds.
///
/// # Examples
///
/// ```
/// use methodical_model::{BodyFormat, RawQuery};
/// use methodical_testkit::mocks::Mock;
/// # use methodical_model::Service;
/// # struct Photos;
/// # impl Service for Photos {
/// #     const PATH: &'static str = "/api/v2";
/// #     const SELECTOR: &'static str = "action";
/// #     const ACCEPT: &'static str = "application/json";
/// # }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = wiremock::MockServer::start().await;
/// let photos = RawQuery::<Photos>::new("photos/list").pair("album_id", "7");
/// Mock::of(&photos).exactly(r#"[{"id":"1"}]"#).mount(&server).await;
///
/// let photo = RawQuery::<Photos>::new("photos/add").post(BodyFormat::Form).pair("tag", "sea");
/// Mock::of(&photo).only().exactly(r#"{"stat":"fail","code":98}"#).mount(&server).await;
/// // … let the code under test call `server.uri()`.
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a mock does nothing until it has a response and is mounted"]
pub struct Mock<O> {
    matcher: Matcher,
    delay: Duration,
    retry_after: Option<Duration>,
    has_bad_record: bool,
    is_truncated: bool,
    /// Where the data is in the response.
    place: &'static Body,
    operation: PhantomData<fn() -> O>,
}

impl<O: Operation> Mock<O> {
    /// Matches every call of the operation. For a `RawQuery`, whose type names no operation, use [`of`](Self::of).
    pub fn any() -> Self {
        Self::new(Some(QueryBuilder::of::<O>().finish()))
    }

    /// Matches calls with the parameters of `query`, and possibly others. A query that cannot be sent matches no call.
    pub fn of(query: &O) -> Self {
        Self::new(query.query().ok())
    }

    fn new(query: Option<Query>) -> Self {
        let secrets = O::Service::AUTH.secrets().iter().map(|one| one.name()).collect();
        let path = O::Service::PATH;
        Self {
            matcher: Matcher { path, query, secrets, is_exact: false, token: None },
            delay: Duration::ZERO,
            retry_after: None,
            has_bad_record: false,
            is_truncated: false,
            place: O::BODY,
            operation: PhantomData,
        }
    }

    /// Matches only calls that have no parameters other than those of the query.
    pub fn only(mut self) -> Self {
        self.matcher.is_exact = true;
        self
    }

    /// Matches only calls with this bearer token.
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

    /// Cuts the JSON text after a list's last record or before an object's last byte. The HTTP response is complete.
    pub fn truncated(self) -> Self {
        Self { is_truncated: true, ..self }
    }

    /// Responds with a record, another value, or `&()` if there is no data. For a list, use [`answers`](Self::answers).
    pub fn returns(self, value: &O::Output) -> MockedCall
    where
        O::Output: Serialize,
    {
        self.object(value)
    }

    /// Responds with exactly this body, such as a JSON object that reports a failure.
    pub fn exactly(self, body: &str) -> MockedCall {
        self.responds(200, body, O::Service::ACCEPT)
    }

    /// Responds with an error status and a problem document (RFC 9457).
    pub fn fails(self, status: u16) -> MockedCall {
        let body = format!(r#"{{"type":"about:blank","status":{status}}}"#);
        self.responds(status, &body, "application/problem+json")
    }

    /// Responds with records and metadata.
    fn list_with<T: Serialize, M: Serialize>(self, records: &[T], metadata: &M) -> MockedCall {
        let body = || -> Result<String, serde_json::Error> {
            let bad = self.has_bad_record.then(|| Ok("0".to_owned()));
            let records = records.iter().map(serde_json::to_string).chain(bad);
            let records = records.collect::<Result<Vec<_>, _>>()?.join(",");
            let (open, close) = around(self.place, &serde_json::to_string(metadata)?);
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

    /// Responds with a value. If the body lacks the marker of success, the marker is added.
    fn object<T: Serialize>(self, record: &T) -> MockedCall {
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

    fn body(self, body: Result<String, serde_json::Error>) -> MockedCall {
        match body {
            Ok(mut body) => {
                if self.is_truncated {
                    body.pop();
                }
                self.exactly(&body)
            }
            // A generated record can always be serialized. Other types may fail.
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
        MockedCall::given(matcher).respond_with(response)
    }
}

impl<O: ListOperation> Mock<O>
where
    O::Item: Serialize,
{
    /// Appends a record that no client can decode to the list: the number 0.
    pub fn bad_record(self) -> Self {
        Self { has_bad_record: true, ..self }
    }

    /// Responds with these records.
    pub fn answers(self, records: &[O::Item]) -> MockedCall
    where
        O: ListOperation<Metadata = ()>,
    {
        self.list_with(records, &())
    }

    /// Responds with these records and this metadata.
    pub fn answers_with(self, records: &[O::Item], metadata: &O::Metadata) -> MockedCall
    where
        O::Metadata: Serialize,
    {
        self.list_with(records, metadata)
    }
}

/// Shows neither the token nor the values of parameters.
impl<O> fmt::Debug for Mock<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mock").field("query", &self.matcher.query).finish_non_exhaustive()
    }
}

/// Returns the JSON text before and after the data of a successful response, with the metadata. A marker of success is
/// added to the innermost object that contains both its place and the data. It precedes the data, unless the metadata
/// has a field of the same name.
fn around(place: &Body, metadata: &str) -> (String, String) {
    let (mut open, mut close) = (String::new(), String::new());
    let metadata_depth = place.at.len().saturating_sub(1 + place.metadata_above);
    let marker = success(place).map(|(at, value)| {
        let shared = at.iter().zip(place.at).take_while(|(one, other)| one == other).count();
        (shared, nested(at.get(shared..).unwrap_or_default(), value))
    });
    for (depth, key) in place.at.iter().enumerate() {
        let mut after = if depth == metadata_depth { metadata.to_owned() } else { String::new() };
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

/// Returns the place and the value of the marker of success. The value is a boolean or text. A number is written as
/// text, which decoders accept as well.
fn success(place: &Body) -> Option<(&'static [&'static str], Value)> {
    let Decides::Success { at, is } = place.verdict?.decides else { return None };
    let value = *is.first()?;
    Some((at, value.parse::<bool>().map_or_else(|_| Value::from(value), Value::from)))
}

/// Wraps a value in nested objects, one for each key of the path.
fn nested(path: &[&str], value: Value) -> Map<String, Value> {
    let object = |value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), value)]));
    match path.iter().rev().fold(value, object) {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Returns the fields of an object, without its braces.
fn members(object: &str) -> &str {
    object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default()
}

/// Parses an object; any other value has no fields.
fn object(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns an object with these fields added where it lacks them, at any depth.
fn with_members(added: Map<String, Value>, record: &str) -> String {
    let mut own = object(record);
    add(&mut own, added);
    Value::Object(own).to_string()
}

/// Adds the fields that an object lacks, at any depth.
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
