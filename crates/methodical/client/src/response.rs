//! Decodes a complete response from the service, and its problem details (RFC 9457).

use bytes::Bytes;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, Response, StatusCode};
use methodical_model::{Decoded as _, Operation};
use serde_json::{Map, Value};

use crate::head::{is_json, media_type};
use crate::{Error, ErrorKind};

/// Decodes a response and returns the output with the body. If `is_strict` is true, a rejected record is an error.
///
/// Fails, with the response kept in the error, if the response is not successful or cannot be decoded.
pub(crate) fn decode<O: Operation>(
    response: Response<Bytes>,
    attempts: u32,
    is_strict: bool,
) -> Result<(O::Output, Bytes), Error> {
    let (status, headers) = (response.status(), response.headers());
    let checked = if O::MAY_BE_EMPTY && response.body().is_empty() {
        Error::check_status(status, headers)
    } else {
        check_head(status, headers)
    };
    let decoded =
        checked.and_then(|()| O::decode(response.body()).map_err(Error::from)).and_then(|output| {
            match output.rejected().first() {
                Some(rejected) if is_strict => Err(rejected.error().clone().into()),
                _ => Ok(output),
            }
        });
    match decoded {
        Ok(output) => Ok((output, response.into_body())),
        Err(error) => Err(error.with_response(response, attempts)),
    }
}

/// Checks that the head allows the body to be decoded: status 200, a JSON media type, and no content coding.
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
/// All strings are untrusted input: escape them before showing them.
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
    /// A short summary of the kind of problem.
    pub title: Option<String>,
    /// The status in the document, which may differ from the status of the response.
    pub status: Option<u16>,
    /// An explanation of this occurrence.
    pub detail: Option<String>,
    /// A URI that identifies this occurrence.
    pub instance: Option<String>,
}

impl Problem {
    /// Decodes a body as a problem document. Returns `None` if the body is not a JSON object.
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
    use http::Response;

    use super::decode;
    use crate::tests::Photos;
    use crate::{Error, ErrorKind};

    type AnyJson = methodical_model::RawQuery<Photos>;

    const JSON: (&str, &str) = ("content-type", "application/json");

    #[track_caller]
    fn check(headers: &[(&str, &str)], expected: Option<ErrorKind>) {
        let mut builder = Response::builder();
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let response = builder.body("[]".into()).unwrap();
        let decoded = decode::<AnyJson>(response, 1, false);
        assert_eq!(decoded.err().map(|error| error.kind()), expected);
    }

    /// Returns the error for a response that is not successful.
    fn refused(response: http::response::Builder, body: &'static str) -> Error {
        decode::<AnyJson>(response.body(body.into()).unwrap(), 1, false).unwrap_err()
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
            let error = refused(response, r#"{"title":"No"}"#);
            let title = error.problem().and_then(|problem| problem.title);
            assert_eq!(title.as_deref(), is_problem.then_some("No"), "{media_type}");
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
            let error = refused(response, "");
            let text = format!("the service answered with a redirect{expected} (status 302)");
            assert_eq!(error.to_string(), text);
        }
    }
}
