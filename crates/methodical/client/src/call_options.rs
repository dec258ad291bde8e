//! Options for individual calls: a timeout and headers.

use std::time::Duration;

use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, EXPECT, HOST,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::{Error, ErrorKind};

/// Options for individual calls: a timeout and headers.
///
/// [`Client::with`](crate::Client::with) and [`blocking::Client::with`](crate::blocking::Client::with) return a client
/// that applies these options to every call and attempt, and to the dry run (`Client::request`).
///
/// Header values may be secret, so `Debug` does not print them, and the client never logs them.
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use std::time::Duration;
///
/// use methodical_client::model::RawQuery;
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{AccessToken, CallOptions, Client};
/// use http::Response;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let response = Response::builder().header("content-type", "application/json");
/// # let transport = MemoryTransport::new([Ok(response.body("[]".into())?)]);
/// let client = Client::<Photos>::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(transport.clone())
///     .build()?;
/// let options = CallOptions::new()
///     .timeout(Duration::from_secs(5))
///     .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")?;
/// client.with(options).send(&RawQuery::new("photos/list")).await?;
///
/// assert!(transport.requests()[0].headers().contains_key("traceparent"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct CallOptions {
    pub(crate) timeout: Option<Duration>,
    /// All headers are marked sensitive.
    pub(crate) headers: HeaderMap,
}

impl CallOptions {
    /// Creates options that change nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets one timeout for the call, in place of the client's call timeout, attempt timeout and stream timeout.
    ///
    /// For a stream, the timeout covers the time until the last byte. A call that takes longer fails with
    /// [`ErrorKind::Timeout`]; with a timeout of zero, every call does.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Adds a header, replacing any earlier one with the same name.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Config`] if the name or the value is invalid, or if the client or its transport sets the
    /// header itself: `Accept`, `Accept-Encoding`, `Authorization`, `Connection`, `Content-Length`, `Expect`, `Host`,
    /// `Keep-Alive`, `Proxy-Authorization`, `Proxy-Connection`, `TE`, `Trailer`, `Transfer-Encoding`, `Upgrade` and
    /// `User-Agent`. The error does not contain the value.
    ///
    /// ```
    /// use methodical_client::{CallOptions, ErrorKind};
    ///
    /// let options = CallOptions::new().header("x-tenant", "CANARY")?;
    /// assert!(!format!("{options:?}").contains("CANARY"));
    ///
    /// let error = options.header("Authorization", "Bearer CANARY").unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Config);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot set the header `authorization`: the client or its transport sets it"
    /// );
    /// # Ok::<(), methodical_client::Error>(())
    /// ```
    pub fn header(
        mut self,
        name: impl TryInto<HeaderName>,
        value: impl TryInto<HeaderValue>,
    ) -> Result<Self, Error> {
        let name = name.try_into().map_err(|_invalid| {
            Error::config("cannot set a header: its name is not a token (RFC 9110, section 5.1)")
        })?;
        let refused = |reason: &str| {
            Error::new(ErrorKind::Config, format!("cannot set the header `{name}`: {reason}"))
        };
        if RESERVED.contains(&name) {
            return Err(refused("the client or its transport sets it"));
        }
        let mut value = value
            .try_into()
            .map_err(|_invalid| refused("its value contains an invalid character"))?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Returns `base` with these options added. If both set the timeout or a header, these options win.
    pub(crate) fn over(self, base: Option<&Self>) -> Self {
        let Self { timeout, headers } = self;
        let mut all = base.cloned().unwrap_or_default();
        all.timeout = timeout.or(all.timeout);
        all.headers.extend(headers);
        all
    }
}

/// The headers that the client or its transport sets: the client's own request headers, message framing (RFC 9112),
/// connection options (RFC 9110, section 7.6.1), proxy credentials, and the content codings that a transport can
/// decode.
const RESERVED: [HeaderName; 15] = [
    ACCEPT,
    ACCEPT_ENCODING,
    AUTHORIZATION,
    CONNECTION,
    CONTENT_LENGTH,
    EXPECT,
    HOST,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    USER_AGENT,
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CallOptions, RESERVED};
    use crate::ErrorKind;

    #[test]
    fn a_header_of_the_client_or_the_transport_is_refused() {
        for name in RESERVED {
            let text = name.as_str().to_ascii_uppercase();
            let error = CallOptions::new().header(&text, "CANARY").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(name.as_str()), "{error}");
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }

    #[test]
    fn an_invalid_header_is_refused() {
        for (name, value) in
            [("", "x"), ("a b", "x"), ("a:", "x"), ("\u{e4}", "x"), ("a", "CANARY\n")]
        {
            let error = CallOptions::new().header(name, value).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{name:?}");
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }

    #[test]
    fn later_options_replace_only_what_they_set() {
        let second = Duration::from_secs(1);
        let first = CallOptions::new().timeout(second);
        let first = first.header("x-a", "1").unwrap().header("x-b", "1").unwrap();
        let all = CallOptions::new().header("x-b", "2").unwrap().over(Some(&first));
        assert_eq!(all.timeout, Some(second));
        let mut headers: Vec<_> = all
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap(), value.is_sensitive()))
            .collect();
        headers.sort_unstable();
        assert_eq!(headers, [("x-a", "1", true), ("x-b", "2", true)]);

        let all = CallOptions::new().timeout(2 * second).over(Some(&first));
        assert_eq!(all.timeout, Some(2 * second));
    }
}
