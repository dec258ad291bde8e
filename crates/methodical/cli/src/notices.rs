//! Notices of the service: the response header `Gateway-Notice`, shown as warnings.

use std::collections::HashSet;
use std::sync::Mutex;

use http::{HeaderName, HeaderValue};
use methodical_client::transport::{BlockingResponse, BlockingTransport, Request, TransportError};

use crate::lock::lock;
use crate::screen::Screen;
use crate::secrets::{remember, without_secrets};

/// A transport that shows the notices in the responses of another one, each notice once. It remembers the secrets that it
/// sends, so that no message shows them.
pub(crate) struct Noticed<T> {
    inner: T,
    screen: Screen,
    shown: Mutex<HashSet<HeaderValue>>,
}

impl<T> Noticed<T> {
    /// Wraps a transport.
    pub(crate) fn new(inner: T, screen: Screen) -> Self {
        Self { inner, screen, shown: Mutex::default() }
    }
}

impl<T: BlockingTransport> BlockingTransport for Noticed<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        remember(&request);
        let response = self.inner.send(request)?;
        for notice in response.headers().get_all(&GATEWAY_NOTICE) {
            let mut shown = lock(&self.shown);
            if shown.len() < MAX_NOTICES && shown.insert(notice.clone()) {
                // The progress line may be there.
                self.screen.clear_line();
                self.screen.warn(&format!("the service reports: {}", text(notice)));
            }
        }
        Ok(response)
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

fn text(notice: &HeaderValue) -> String {
    let text = String::from_utf8_lossy(notice.as_bytes());
    // Before it is shortened, which could leave a part of a secret.
    let text = without_secrets(&text);
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

/// Response header with a message for the person who calls the service.
const GATEWAY_NOTICE: HeaderName = HeaderName::from_static("gateway-notice");

/// Maximum number of notices that one run shows.
const MAX_NOTICES: usize = 10;

/// Maximum length of a notice, in characters.
const MAX_LENGTH: usize = 300;

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::text;

    #[test]
    fn a_long_notice_is_shortened() {
        let long = HeaderValue::from_str(&"é".repeat(400)).unwrap();
        assert_eq!(text(&long), "é".repeat(300) + "…");
        assert_eq!(text(&HeaderValue::from_static("maintenance")), "maintenance");
    }
}
