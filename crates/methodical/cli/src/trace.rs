//! The log of `-v` and `-vv` on standard error: requests, responses, sizes and times.
//!
//! A transport writes it, so it is the same for lists, objects and raw responses.

use std::iter;
use std::time::Instant;

use http::HeaderMap;
use http::header::{AUTHORIZATION, LOCATION};
use methodical_client::transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Redacted, Request, TransportError,
};
use methodical_client::{Attempt, Observer};

use crate::caller_thread::CallerThread;
use crate::config::flags::CallFlags;
use crate::invocation::Invocation;
use crate::output::progress::size;
use crate::screen::Screen;

/// Logs requests and responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace {
    screen: Screen,
    /// Whether headers are logged too.
    headers: bool,
}

impl Trace {
    /// Returns the log; `None` without `-v`.
    pub(crate) fn of(invocation: &Invocation) -> Option<Self> {
        let Invocation { screen, call: CallFlags { verbose, .. }, .. } = *invocation;
        (verbose > 0).then_some(Self { screen, headers: verbose > 1 })
    }

    /// Creates a transport that logs the requests and responses of another one.
    pub(crate) fn transport(self, inner: CallerThread) -> Traced {
        Traced { inner, trace: self }
    }

    fn say(self, text: &str) {
        self.screen.trace(text);
    }

    /// Logs the headers, without the token.
    fn headers(self, mark: char, headers: &HeaderMap, token: &str) {
        if !self.headers {
            return;
        }
        for (name, value) in headers {
            let value = if value.is_sensitive() && (name != AUTHORIZATION || token == NO_TOKEN) {
                "(redacted)".to_owned()
            } else {
                String::from_utf8_lossy(value.as_bytes()).replace(token, "(redacted)")
            };
            // The query of a redirect may contain what was asked for, such as an e-mail address.
            let value = match value.split_once('?') {
                Some((target, _)) if name == LOCATION => format!("{target}?(redacted)"),
                _ => value,
            };
            self.say(&format!("{mark}   {name}: {value}"));
        }
    }
}

/// Logs retries, which the transport does not see.
impl Observer for Trace {
    fn attempt(&self, attempt: &Attempt<'_>) {
        let next = attempt.number + 1;
        match attempt.retry_in {
            Some(wait) if wait.is_zero() => {
                self.say(&format!("  attempt {next} immediately, with a refreshed token"));
            }
            Some(wait) => self.say(&format!("  attempt {next} in {} ms", wait.as_millis())),
            None => {}
        }
    }
}

/// A transport that logs.
#[derive(Debug)]
pub(crate) struct Traced {
    inner: CallerThread,
    trace: Trace,
}

impl BlockingTransport for Traced {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let Self { inner, trace } = self;
        let begun = Instant::now();
        let since = move || begun.elapsed().as_millis();
        trace.say(&format!("> {} {}", request.method(), Redacted::target(&request)));
        let has_secrets = Redacted::is_needed(&request);
        let token = token_of(request.headers()).unwrap_or(NO_TOKEN).to_owned();
        trace.headers('>', request.headers(), &token);
        let response = inner.send(request).inspect_err(|error| {
            trace.say(&format!("< no response after {} ms: {error}", since()));
        })?;
        trace.say(&format!("< status {} after {} ms", response.status().as_u16(), since()));
        if has_secrets {
            // A header such as `location` may repeat the URL.
            let mut headers = response.headers().clone();
            headers.remove(LOCATION);
            trace.headers('<', &headers, &token);
        } else {
            trace.headers('<', response.headers(), &token);
        }
        let trace = *trace;
        Ok(response.map(|body| {
            counted(body, move |bytes, end| {
                trace.say(&format!("< {}{} after {} ms", size(bytes), end, since()));
            })
        }))
    }
}

/// Returns the access token that a request carries.
pub(crate) fn token_of(headers: &HeaderMap) -> Option<&str> {
    // The scheme has no case (RFC 9110, section 11.1).
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// Passes on a body, and calls `tell` with its size at its end or at an error.
fn counted(mut body: BlockingBody, tell: impl Fn(u64, &str) + Send + 'static) -> BlockingBody {
    let mut bytes = 0;
    BlockingBody::from_chunks(iter::from_fn(move || {
        let piece = body.chunk();
        match &piece {
            Ok(Some(piece)) => bytes += piece.len() as u64,
            Ok(None) => tell(bytes, ""),
            Err(_) => tell(bytes, ", truncated,"),
        }
        piece.transpose()
    }))
}

/// Text that no header contains.
const NO_TOKEN: &str = "\0";
