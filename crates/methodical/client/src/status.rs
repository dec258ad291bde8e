//! The meaning of each HTTP status, in one table.

use http::StatusCode;
use methodical_model::ErrorClass;

use crate::error::ErrorKind;

/// The meaning of a status other than 200, or of a failure that a body with status 200 reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) kind: ErrorKind,
    pub(crate) reaction: Reaction,
    /// The text of the error.
    pub(crate) text: &'static str,
}

/// The reaction of the client to a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// It returns the failure.
    Fail,
    /// It retries after a delay.
    Retry,
    /// It gets another token, once for each call, and retries immediately.
    RefreshToken,
}

/// Returns the meaning of a status, or `None` for 200, the only status of success.
///
/// The crate documentation shows this table; a test compares the two.
pub(crate) fn meaning(status: StatusCode) -> Option<Meaning> {
    use ErrorKind::{Forbidden, NotFound, RateLimited, Redirected, Server, Status, Unauthorized};
    use Reaction::{Fail, RefreshToken, Retry};

    let (kind, reaction, text) = match status.as_u16() {
        200 => return None,
        301 | 302 | 303 | 307 | 308 => (Redirected, Fail, "the service answered with a redirect"),
        401 => (Unauthorized, RefreshToken, "the service did not accept the access token"),
        403 => (Forbidden, Fail, "the access token does not allow this call"),
        404 => (NotFound, Fail, "the service was not found at the base URL"),
        408 => (Status, Retry, "the service refused the request"),
        429 => (RateLimited, Retry, "rate limited by the service"),
        400..=499 => (Status, Fail, "the service refused the request"),
        500 | 502 | 503 | 504 => (Server, Retry, "the service failed"),
        500..=599 => (Server, Fail, "the service failed"),
        _ => (Status, Fail, "the service returned an unexpected status"),
    };
    Some(Meaning { kind, reaction, text })
}

/// Returns the meaning of a failure that a body with status 200 reports. Its class is the counterpart of a status.
pub(crate) fn meaning_of(class: ErrorClass) -> Meaning {
    use ErrorKind::{NotSuccess, RateLimited, Server, Unauthorized};
    use Reaction::{Fail, RefreshToken, Retry};

    let (kind, reaction, text) = match class {
        ErrorClass::Auth => (
            Unauthorized,
            RefreshToken,
            "the service reported that it does not accept the credentials",
        ),
        ErrorClass::RateLimit => (RateLimited, Retry, "the service reported too many calls"),
        ErrorClass::Unavailable => (Server, Retry, "the service reported that it is unavailable"),
        _ => (NotSuccess, Fail, "the service reported a failure"),
    };
    Meaning { kind, reaction, text }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::{Reaction, meaning};

    #[test]
    fn only_200_is_success() {
        let is_success = |code: &u16| meaning(StatusCode::from_u16(*code).unwrap()).is_none();
        assert_eq!((100..1000).filter(is_success).collect::<Vec<_>>(), [200]);
    }

    #[test]
    fn only_six_statuses_are_retried() {
        let is_retried = |code: &u16| {
            meaning(StatusCode::from_u16(*code).unwrap())
                .is_some_and(|meaning| meaning.reaction == Reaction::Retry)
        };
        let retried: Vec<u16> = (100..1000).filter(is_retried).collect();
        assert_eq!(retried, [408, 429, 500, 502, 503, 504]);
    }

    #[test]
    fn the_table_in_the_docs_is_this_table() {
        let rows: [(&[u16], &str); 9] = [
            (&[301, 302, 303, 307, 308], "301, 302, 303, 307, 308"),
            (&[401], "401"),
            (&[403], "403"),
            (&[404], "404"),
            (&[408], "408"),
            (&[429], "429"),
            (&[500, 502, 503, 504], "500, 502, 503, 504"),
            (&[501, 505, 599], "other 5xx"),
            (&[100, 204, 206, 300, 304, 400, 409, 499, 600, 999], "any other but 200"),
        ];
        let mut expected = Vec::new();
        for (codes, name) in rows {
            expected.extend(codes.iter().map(|code| row(name, *code)));
        }
        // All statuses of a row have one meaning.
        expected.dedup();
        let docs = include_str!("lib.rs").lines();
        let header = "//! | status | kind | the client |";
        let table = docs.skip_while(|line| *line != header).skip(2);
        let documented: Vec<&str> = table.take_while(|line| line.starts_with("//! |")).collect();
        assert_eq!(documented, expected);
    }

    fn row(name: &str, code: u16) -> String {
        let meaning = meaning(StatusCode::from_u16(code).unwrap()).unwrap();
        let reaction = match meaning.reaction {
            Reaction::Fail => "returns the error",
            Reaction::Retry => "retries",
            Reaction::RefreshToken => "asks for another token once and retries",
        };
        format!("//! | {name} | [`{:?}`](ErrorKind::{0:?}) | {reaction} |", meaning.kind)
    }
}
