//! What `-v` and `-vv` say on standard error: what is sent, what comes back, how much, and how long it took.
//!
//! It is seen where the bytes pass, so a list, an object and an answer as it comes are told in the same way.

use std::time::Instant;

use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_client::transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Options, Request, TransportError,
};
use gateway_client::{Attempt, Observer};
use http::HeaderMap;

use crate::output::progress::size;
use crate::screen::Screen;

/// Who tells what happens, and how much of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace {
    screen: Screen,
    /// Whether headers are told too.
    headers: bool,
}

impl Trace {
    /// Returns who tells, for so many `-v`; nobody without any.
    pub(crate) fn of(verbose: u8, screen: Screen) -> Option<Self> {
        (verbose > 0).then_some(Self { screen, headers: verbose > 1 })
    }

    /// Returns the transport that tells what passes through it.
    pub(crate) fn transport(self) -> Result<Traced, TransportError> {
        Ok(Traced { inner: ReqwestBlockingTransport::new(&Options::default())?, trace: self })
    }

    fn say(self, text: &str) {
        self.screen.trace(text);
    }

    /// Tells the headers, with the token shown as what it is.
    fn headers(self, mark: char, headers: &HeaderMap, token: &str) {
        if !self.headers {
            return;
        }
        for (name, value) in headers {
            let value = String::from_utf8_lossy(value.as_bytes()).replace(token, "(the token)");
            self.say(&format!("{mark}   {name}: {value}"));
        }
    }
}

/// The wait before another attempt is decided above the transport.
impl Observer for Trace {
    fn attempt(&self, attempt: &Attempt<'_>) {
        let next = attempt.number + 1;
        match attempt.retry_in {
            Some(wait) if wait.is_zero() => {
                self.say(&format!("  attempt {next} at once, with another token"));
            }
            Some(wait) => self.say(&format!("  attempt {next} in {} ms", wait.as_millis())),
            None => {}
        }
    }
}

/// The transport of the program, under observation.
#[derive(Debug)]
pub(crate) struct Traced {
    inner: ReqwestBlockingTransport,
    trace: Trace,
}

impl BlockingTransport for Traced {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let Self { inner, trace } = self;
        let begun = Instant::now();
        let since = move || begun.elapsed().as_millis();
        trace.say(&format!("> GET {}", request.uri()));
        let token = token_of(request.headers()).unwrap_or(NO_TOKEN).to_owned();
        trace.headers('>', request.headers(), &token);
        let response = inner.send(request).inspect_err(|error| {
            trace.say(&format!("< no answer after {} ms: {error}", since()));
        })?;
        trace.say(&format!("< status {} after {} ms", response.status().as_u16(), since()));
        trace.headers('<', response.headers(), &token);
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
    headers.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
}

/// Passes a body on, and tells how much of it came, when no more comes.
fn counted(mut body: BlockingBody, tell: impl Fn(u64, &str) + Send + 'static) -> BlockingBody {
    let mut bytes = 0;
    BlockingBody::from_chunks(move || {
        let piece = body.chunk();
        match &piece {
            Ok(Some(piece)) => bytes += piece.len() as u64,
            Ok(None) => tell(bytes, ""),
            Err(_) => tell(bytes, ", and no end,"),
        }
        piece
    })
}

/// What stands in no header.
const NO_TOKEN: &str = "\0";
