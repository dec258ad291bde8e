//! One stored response: a line with its head as JSON, then its body.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Write};
use std::path::Path;
use std::time::SystemTime;

use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, HeaderValue, SET_COOKIE, TRANSFER_ENCODING, VARY,
};
use methodical_client::transport::{BlockingBody, BlockingResponse};
use serde::{Deserialize, Serialize};

/// The stored part of the head of a response with status 200.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Head {
    etag: String,
    headers: Vec<(String, String)>,
}

impl Head {
    /// Returns the head to store. `None` if the response cannot be requested again with a condition, or must not be stored.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let etag = headers.get(ETAG)?.to_str().ok()?.to_owned();
        let says = |name: HeaderName, word: &str| {
            let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
            let mut words = values.flat_map(|value| value.split(',')).map(str::trim);
            words.any(|one| one.eq_ignore_ascii_case(word))
        };
        if says(CACHE_CONTROL, "no-store") || says(VARY, "*") {
            return None;
        }
        let kept = headers.iter().filter(|(name, _)| !NOT_STORED.contains(name));
        let text = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        Some(Self { etag, headers: kept.filter_map(text).collect() })
    }

    /// Writes the line of the head.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

/// An open stored response.
pub(super) struct Entry {
    etag: HeaderValue,
    headers: HeaderMap,
    body: BufReader<File>,
}

impl Entry {
    /// Opens a stored response; `None` if no file of it can be read.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let mut body = BufReader::new(File::open(path).ok()?);
        let mut line = Vec::new();
        body.by_ref().take(MAX_HEAD).read_until(b'\n', &mut line).ok()?;
        let head: Head = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
        let header = |(name, value): &(String, String)| {
            Some((HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?))
        };
        let headers: Option<HeaderMap> = head.headers.iter().map(header).collect();
        Some(Self { etag: HeaderValue::try_from(head.etag).ok()?, headers: headers?, body })
    }

    /// Returns the value of `If-None-Match` with which the service says whether this response is still current.
    pub(super) fn etag(&self) -> HeaderValue {
        self.etag.clone()
    }

    /// Returns the stored response, with the newer headers of a 304 (RFC 9111, section 3.2).
    pub(super) fn into_response(self, newer: &HeaderMap) -> BlockingResponse {
        // Responses that are used stay longest. Some file systems keep no times.
        drop(self.body.get_ref().set_modified(SystemTime::now()));
        let mut headers = self.headers;
        for name in newer.keys() {
            if !NOT_STORED.contains(name) && !OF_THE_BODY.contains(name) {
                headers.remove(name);
                for value in newer.get_all(name) {
                    headers.append(name.clone(), value.clone());
                }
            }
        }
        let mut response = BlockingResponse::new(BlockingBody::new(self.body));
        *response.headers_mut() = headers;
        response
    }
}

/// Headers of one exchange, not of the response to store.
const NOT_STORED: [HeaderName; 3] = [CONNECTION, SET_COOKIE, TRANSFER_ENCODING];

/// Headers that describe the body, which a 304 does not have.
const OF_THE_BODY: [HeaderName; 3] = [CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE];

/// Maximum size of a stored head, in bytes: more than the transport accepts.
const MAX_HEAD: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::Head;

    fn head(headers: &[(&'static str, &'static str)]) -> Option<Vec<(String, String)>> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, http::HeaderValue::from_static(value));
        }
        Head::of(&map).map(|head| head.headers)
    }

    #[test]
    fn only_a_response_with_an_etag_that_may_be_stored_has_a_head() {
        let tag = ("etag", "W/\"1\"");
        assert_eq!(head(&[("content-type", "application/json")]), None);
        assert_eq!(head(&[tag, ("cache-control", "private, No-Store")]), None);
        assert_eq!(head(&[tag, ("cache-control", "private"), ("cache-control", "no-store")]), None);
        assert_eq!(head(&[tag, ("vary", "Accept, *")]), None);
        let kept = head(&[tag, ("cache-control", "private, no-cache"), ("vary", "Accept")]);
        assert_eq!(kept.map(|headers| headers.len()), Some(3));
    }

    #[test]
    fn a_cookie_is_not_stored() {
        let headers = head(&[("etag", "\"1\""), ("set-cookie", "a=b"), ("connection", "close")]);
        assert_eq!(headers, Some(vec![("etag".to_owned(), "\"1\"".to_owned())]));
    }
}
