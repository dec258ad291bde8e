//! A complete response of the service, and its problem details (RFC 9457).

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, Response, StatusCode};
use methodical_model::Operation;
use serde_json::{Map, Value};

use crate::head::{is_json, media_type, retry_after};
use crate::time::date;
use crate::{Error, ErrorKind};

/// A complete response of the service with any status, undecoded: the result of
/// [`Client::send_raw`](crate::Client::send_raw).
///
/// `Debug` shows only the status and the size, because a response may contain personal data.
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use methodical_client::model::RawQuery;
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{AccessToken, blocking};
/// use http::Response;
///
/// let client = blocking::Client::<Photos>::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(MemoryTransport::new([Ok(Response::new("{}".into()))]))
///     .build()?;
/// let response = client.send_raw(&RawQuery::new("photos/list"))?;
/// assert_eq!(response.status(), 200);
/// assert_eq!(response.body(), "{}");
/// # Ok::<(), methodical_client::Error>(())
/// ```
#[derive(Clone)]
pub struct RawResponse {
    response: Response<Bytes>,
    attempts: u32,
}

impl RawResponse {
    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Returns the body: all of it if the status is 200, otherwise its first 64 KiB. It may contain personal data.
    pub fn body(&self) -> &Bytes {
        self.response.body()
    }

    /// Returns how long the service asks to wait before the next call (`Retry-After`: RFC 9110, section 10.2.3).
    ///
    /// A number of seconds is returned as it was sent. A date is returned as the time from now until then, or as zero if it
    /// has passed. Returns `None` if the header is absent or invalid.
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.headers(), date())
    }

    /// Returns how many attempts were made.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns the response if its status is 200, otherwise the error that [`Client::send`](crate::Client::send) would have
    /// returned.
    ///
    /// # Errors
    ///
    /// Fails with the [`ErrorKind`] of the status. The error keeps the response.
    ///
    /// # Examples
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// use methodical_client::model::RawQuery;
    /// use methodical_client::transport::MemoryTransport;
    /// use methodical_client::{AccessToken, ErrorKind, blocking};
    /// use http::Response;
    ///
    /// let response = Response::builder().status(404).body("nothing here".into()).unwrap();
    /// let client = blocking::Client::<Photos>::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(response)]))
    ///     .build()?;
    /// let error = client.send_raw(&RawQuery::new("photos/list"))?.error_for_status().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::NotFound);
    /// assert_eq!(error.body().unwrap(), "nothing here");
    /// # Ok::<(), methodical_client::Error>(())
    /// ```
    pub fn error_for_status(self) -> Result<Self, Error> {
        match Error::check_status(self.status(), self.headers()) {
            Ok(()) => Ok(self),
            Err(error) => Err(error.with_response(self.response, self.attempts)),
        }
    }

    /// Returns the response as a type of the `http` crate.
    pub fn into_response(self) -> Response<Bytes> {
        self.response
    }

    pub(crate) fn new(response: Response<Bytes>, attempts: u32) -> Self {
        Self { response, attempts }
    }

    /// Decodes a successful response. If `is_strict`, a rejected record is an error.
    pub(crate) fn decode<O: Operation>(
        self,
        operation: &O,
        is_strict: bool,
    ) -> Result<O::Output, Error> {
        let checked = if O::MAY_BE_EMPTY && self.body().is_empty() {
            Error::check_status(self.status(), self.headers())
        } else {
            check_head(self.status(), self.headers())
        };
        checked
            .and_then(|()| operation.decode(self.body()).map_err(Error::from))
            .and_then(|output| match O::rejected(&output).first() {
                Some(rejected) if is_strict => Err(rejected.error().clone().into()),
                _ => Ok(output),
            })
            .map_err(|error| error.with_response(self.response, self.attempts))
    }
}

impl fmt::Debug for RawResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawResponse({}, {} bytes)", self.status().as_u16(), self.body().len())
    }
}

/// Checks what must hold before a body is decoded: status 200, JSON, no content coding.
pub(crate) fn check_head(status: StatusCode, headers: &HeaderMap) -> Result<(), Error> {
    Error::check_status(status, headers)?;
    if headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let text = "the response has a content coding that was not requested";
        return Err(Error::new(ErrorKind::ContentCoding, text));
    }
    match media_type(headers) {
        Some(media_type) if is_json(media_type) => Ok(()),
        Some(_) => Err(Error::new(ErrorKind::ContentType, "the response is not JSON")),
        None => {
            let text = "the response has no valid content type; expected JSON";
            Err(Error::new(ErrorKind::ContentType, text))
        }
    }
}

/// A problem document (RFC 9457, section 3.1). Every field is optional.
///
/// The texts are untrusted input: escape them before you show them.
///
/// # Examples
///
/// ```
/// use methodical_client::Problem;
///
/// let problem = Problem::read(br#"{"title":"Unknown method","status":400,"extra":1}"#).unwrap();
/// assert_eq!(problem.title.as_deref(), Some("Unknown method"));
/// assert_eq!(problem.status, Some(400));
/// assert_eq!(problem.detail, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// A URI that identifies the kind of problem (`type`).
    pub kind: Option<String>,
    /// A short summary of the kind.
    pub title: Option<String>,
    /// The status, as the document gives it.
    pub status: Option<u16>,
    /// An explanation of this occurrence.
    pub detail: Option<String>,
    /// A URI that identifies this occurrence.
    pub instance: Option<String>,
}

impl Problem {
    /// Decodes a body as a problem document. Returns `None` if it is not a JSON object.
    ///
    /// A field with an invalid type is ignored, as RFC 9457, section 3.1, requires.
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut fields: Map<String, Value> = serde_json::from_slice(body).ok()?;
        let mut text = |name: &str| match fields.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Self {
            kind: text("type"),
            title: text("title"),
            detail: text("detail"),
            instance: text("instance"),
            status: fields.get("status").and_then(Value::as_u64).and_then(|n| n.try_into().ok()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::Response;

    use super::RawResponse;
    use crate::ErrorKind;
    use crate::tests::any_json;

    const JSON: (&str, &str) = ("content-type", "application/json");

    #[track_caller]
    fn check(headers: &[(&str, &str)], expected: Option<ErrorKind>) {
        let mut builder = Response::builder();
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let body = "[]";
        let response = RawResponse::new(builder.body(body.into()).unwrap(), 1);
        assert_eq!(response.decode(&any_json(), false).err().map(|error| error.kind()), expected);
    }

    #[test]
    fn a_raw_response_becomes_an_error_or_a_response_of_the_http_crate() {
        let response = |status| {
            let response = Response::builder().status(status).header("x-page", "1");
            let response = response.header("retry-after", "7");
            RawResponse::new(response.body("secret".into()).unwrap(), 2)
        };
        assert_eq!(response(404).retry_after(), Some(Duration::from_secs(7)));
        assert_eq!(format!("{:?}", response(404)), "RawResponse(404, 6 bytes)");
        let error = response(404).error_for_status().unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::NotFound, 2));
        assert_eq!(error.headers().unwrap()["x-page"], "1");
        assert_eq!(error.body().unwrap(), "secret");

        let whole = response(200).error_for_status().unwrap().into_response();
        assert_eq!(
            (whole.status().as_u16(), &whole.headers()["x-page"]),
            (200, &"1".parse().unwrap())
        );
        assert_eq!(whole.body(), "secret");
    }

    #[test]
    fn only_json_is_decoded() {
        check(&[], Some(ErrorKind::ContentType));
        check(&[("content-type", "application/json")], None);
        check(&[("content-type", "Application/JSON; charset=utf-8")], None);
        check(&[("content-type", "application/hal+json")], None);
        check(&[JSON, ("content-encoding", "identity")], None);
        check(&[("content-encoding", "zstd")], Some(ErrorKind::ContentCoding));
        check(&[("content-type", "text/html")], Some(ErrorKind::ContentType));
        check(&[("content-type", "")], Some(ErrorKind::ContentType));
    }

    #[test]
    fn the_media_type_of_a_problem_ignores_case() {
        for (media_type, is_problem) in
            [("Application/Problem+JSON; charset=utf-8", true), ("application/json", false)]
        {
            let response = Response::builder().status(400).header("content-type", media_type);
            let response = RawResponse::new(response.body(r#"{"title":"No"}"#.into()).unwrap(), 1);
            let error = response.decode(&any_json(), false).unwrap_err();
            assert_eq!(error.problem().is_some(), is_problem, "{media_type}");
        }
    }

    #[test]
    fn a_redirect_error_names_only_the_origin_of_its_target() {
        for (location, expected) in [
            ("https://login.example.com/in?token=CANARY#CANARY", " to https://login.example.com"),
            ("http://CANARY:CANARY@127.0.0.1:8080/", " to http://127.0.0.1:8080"),
            ("https://[::1]/", " to https://[::1]"),
            ("/CANARY", ""),
            ("file:///CANARY", ""),
            ("CANARY CANARY", ""),
        ] {
            let response = Response::builder().status(302).header("location", location);
            let response = RawResponse::new(response.body("".into()).unwrap(), 1);
            let error = response.decode(&any_json(), false).unwrap_err();
            let text = format!("the service answered with a redirect{expected} (status 302)");
            assert_eq!(error.to_string(), text);
        }
    }
}
