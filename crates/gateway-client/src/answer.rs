//! What came back: judged before it is read.

use std::fmt;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use gateway_model::Operation;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, Response, StatusCode, Uri};

use crate::retry::retry_after;
use crate::{Error, ErrorKind};

/// A complete answer of the service, whatever its status.
///
/// `Debug` shows the status and the size only: an answer may be personal.
///
/// # Examples
///
/// ```
/// use gateway_client::transport::MemoryTransport;
/// use gateway_client::{AccessToken, blocking, model::GetCredits};
/// use http::Response;
///
/// let client = blocking::Client::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(MemoryTransport::new([Ok(Response::new("{}".into()))]))
///     .build()?;
/// let answer = client.send_raw(&GetCredits::new())?;
/// assert_eq!(answer.status(), 200);
/// assert_eq!(answer.body(), "{}");
/// # Ok::<(), gateway_client::Error>(())
/// ```
#[derive(Clone)]
pub struct Answer {
    response: Response<Bytes>,
    attempts: u32,
}

impl Answer {
    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Returns the body: whole if the status is 200, else its first 64 KiB. It may hold personal data.
    pub fn body(&self) -> &Bytes {
        self.response.body()
    }

    /// Returns how long the service asks to wait before the next call (`Retry-After`: RFC 9110, section 10.2.3).
    ///
    /// Seconds count from the answer, a date from this very moment; one that has passed is zero. `None` if the header is
    /// absent or neither.
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.headers(), SystemTime::now())
    }

    /// Returns how often the request was handed to the transport.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns the answer if its status is 200, else the error of a call that would have read it.
    ///
    /// # Errors
    ///
    /// What the status says, as its [`ErrorKind`](crate::ErrorKind); the answer is kept with it.
    ///
    /// # Examples
    ///
    /// ```
    /// use gateway_client::transport::MemoryTransport;
    /// use gateway_client::{AccessToken, ErrorKind, blocking, model::GetCredits};
    /// use http::Response;
    ///
    /// let answer = Response::builder().status(404).body("nothing here".into()).unwrap();
    /// let client = blocking::Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::new([Ok(answer)]))
    ///     .build()?;
    /// let error = client.send_raw(&GetCredits::new())?.error_for_status().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::NotFound);
    /// assert_eq!(error.body().unwrap(), "nothing here");
    /// # Ok::<(), gateway_client::Error>(())
    /// ```
    pub fn error_for_status(self) -> Result<Self, Error> {
        if self.status() == StatusCode::OK {
            return Ok(self);
        }
        Err(Error::of_head(self.status(), self.headers()).with_answer(self))
    }

    /// Returns the answer in the terms of the `http` crate.
    pub fn into_response(self) -> Response<Bytes> {
        self.response
    }

    pub(crate) fn new(response: Response<Bytes>, attempts: u32) -> Self {
        Self { response, attempts }
    }

    /// Reads the answer of a successful call (decision D-success).
    pub(crate) fn read<O: Operation>(self) -> Result<O::Output, Error> {
        match check_head(self.status(), self.headers()) {
            Ok(()) => O::decode(self.body()).map_err(|error| Error::from(error).with_answer(self)),
            Err(unfit) => Err(unfit.with_answer(self)),
        }
    }

    /// Keeps the first 64 KiB of the body: enough to see what went wrong.
    pub(crate) fn shortened(self) -> Self {
        let response = self.response.map(|body| match body.get(..ERROR_BODY_LIMIT) {
            // A slice would keep all of it in memory.
            Some(beginning) if beginning.len() < body.len() => Bytes::copy_from_slice(beginning),
            _ => body,
        });
        Self { response, ..self }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({}, {} bytes)", self.status().as_u16(), self.body().len())
    }
}

/// Checks what must hold before a body is read: status 200, JSON, no content coding.
pub(crate) fn check_head(status: StatusCode, headers: &HeaderMap) -> Result<(), Error> {
    if status != StatusCode::OK {
        return Err(Error::of_head(status, headers));
    }
    if headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        return Err(Error::new(
            ErrorKind::ContentCoding,
            "the answer has a content coding that was not asked for",
        ));
    }
    match media_type(headers) {
        Some(json) if is_json(json) => Ok(()),
        Some(_) => Err(Error::new(ErrorKind::ContentType, "the answer is not JSON")),
        None => Err(Error::new(ErrorKind::ContentType, "the answer does not say that it is JSON")),
    }
}

/// Whether a media type is JSON, or says that its syntax is (RFC 6839, section 3.1).
fn is_json(media_type: &str) -> bool {
    let suffix = media_type.rsplit_once('+').map(|(_, suffix)| suffix);
    media_type.eq_ignore_ascii_case("application/json")
        || suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"))
}

/// Returns the media type without its parameters; `None` if there is none, or none that can be read.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    value.split(';').next().map(str::trim)
}

/// Returns the scheme, host and port that a redirect leads to; `None` if it leads to no other server, or nowhere. What else
/// stands in the target may be secret.
pub(crate) fn redirect_origin(headers: &HeaderMap) -> Option<String> {
    let target: Uri = headers.get(LOCATION)?.to_str().ok()?.parse().ok()?;
    let port = target.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{}{port}", target.scheme_str()?, target.host()?))
}

/// How much of a body is kept with an error.
pub(crate) const ERROR_BODY_LIMIT: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use gateway_model::{GetCredits, ListCandidates};
    use http::{Response, StatusCode};

    use super::{Answer, ERROR_BODY_LIMIT};
    use crate::ErrorKind;
    use crate::retry::is_transient_status;

    const JSON: (&str, &str) = ("content-type", "application/json");

    #[track_caller]
    fn check(status: u16, headers: &[(&str, &str)], expected: Option<ErrorKind>) {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        let body = r#"{"credits_number":"1","currency":"EUR"}"#;
        let answer = Answer::new(response.body(body.into()).unwrap(), 1);
        assert_eq!(answer.read::<GetCredits>().err().map(|error| error.kind()), expected);
    }

    #[test]
    fn only_200_json_is_read() {
        check(200, &[], Some(ErrorKind::ContentType));
        check(200, &[("content-type", "application/json")], None);
        check(200, &[("content-type", "Application/JSON; charset=utf-8")], None);
        check(200, &[("content-type", "application/hal+json")], None);
        check(200, &[JSON, ("content-encoding", "identity")], None);
        check(200, &[("content-encoding", "zstd")], Some(ErrorKind::ContentCoding));
        check(200, &[("content-type", "text/html")], Some(ErrorKind::ContentType));
        check(200, &[("content-type", "")], Some(ErrorKind::ContentType));
        check(204, &[], Some(ErrorKind::Status));
        check(206, &[], Some(ErrorKind::Status));
        check(302, &[], Some(ErrorKind::Redirected));
        check(300, &[], Some(ErrorKind::Status));
        check(304, &[], Some(ErrorKind::Status));
        check(308, &[("location", "/")], Some(ErrorKind::Redirected));
        check(400, &[], Some(ErrorKind::Status));
        check(401, &[], Some(ErrorKind::Unauthorized));
        check(403, &[], Some(ErrorKind::Forbidden));
        check(404, &[], Some(ErrorKind::NotFound));
        check(429, &[], Some(ErrorKind::RateLimited));
        check(500, &[], Some(ErrorKind::Server));
        check(599, &[], Some(ErrorKind::Server));
        check(600, &[], Some(ErrorKind::Status));
        check(999, &[], Some(ErrorKind::Status));
    }

    #[test]
    fn what_is_sent_again_may_work_later() {
        for code in 100..=999 {
            let status = StatusCode::from_u16(code).unwrap();
            let mut response = Response::new("{}".into());
            *response.status_mut() = status;
            let error = Answer::new(response, 1).read::<GetCredits>().unwrap_err();
            assert_eq!(error.is_transient(), is_transient_status(status), "{code}");
        }
    }

    #[test]
    fn a_problem_has_its_media_type_in_any_case() {
        for (media_type, is_problem) in
            [("Application/Problem+JSON; charset=utf-8", true), ("application/json", false)]
        {
            let response = Response::builder().status(400).header("content-type", media_type);
            let answer = Answer::new(response.body(r#"{"title":"No"}"#.into()).unwrap(), 1);
            let error = answer.read::<GetCredits>().unwrap_err();
            assert_eq!(error.problem().is_some(), is_problem, "{media_type}");
        }
    }

    #[test]
    fn a_redirect_names_the_server_it_leads_to_and_no_more() {
        for (location, expected) in [
            ("https://login.example.com/in?token=CANARY#CANARY", " to https://login.example.com"),
            ("http://CANARY:CANARY@127.0.0.1:8080/", " to http://127.0.0.1:8080"),
            ("https://[::1]/", " to https://[::1]"),
            ("/CANARY", ""),
            ("file:///CANARY", ""),
            ("CANARY CANARY", ""),
        ] {
            let response = Response::builder().status(302).header("location", location);
            let answer = Answer::new(response.body("".into()).unwrap(), 1);
            let error = answer.read::<GetCredits>().unwrap_err();
            let text = format!("the service answered with a redirect{expected} (status 302)");
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn an_error_keeps_no_more_of_a_body_than_it_shows() {
        for length in [ERROR_BODY_LIMIT, ERROR_BODY_LIMIT + 1] {
            let body = Bytes::from(vec![b'x'; length]);
            let answer = Answer::new(Response::new(body.clone()), 1).shortened();
            assert_eq!(answer.body().len(), ERROR_BODY_LIMIT);
            let shares = answer.body().as_ptr() == body.as_ptr();
            assert_eq!(shares, length == ERROR_BODY_LIMIT, "{length}");
        }
    }

    #[test]
    fn the_success_marker_counts() {
        let response = Response::builder().header(JSON.0, JSON.1);
        let answer = Answer::new(response.body(r#"{"status":"error"}"#.into()).unwrap(), 1);
        let error = answer.read::<ListCandidates>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotSuccess);
        assert_eq!(error.body().unwrap(), r#"{"status":"error"}"#);
    }
}
