//! The access log: one JSON line per request, when its answer is over. Never a name, a token, or a query.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Instant;

use http::{HeaderValue, StatusCode};

use crate::error::{Error, ErrorKind};
use crate::front::metrics::Metrics;
use crate::front::problem::Problem;
use crate::generated::operation::Operation;
use crate::json;
use crate::store::Principal;

/// Where the lines go. A line that cannot be written in time is counted and dropped: logging never delays an answer.
#[derive(Clone, Default)]
pub(crate) struct AccessLog(Option<SyncSender<Vec<u8>>>);

impl AccessLog {
    /// Writes lines to `out` from a thread of its own, which ends when the last handle is gone.
    pub(crate) fn to(mut out: impl Write + Send + 'static) -> Result<Self, Error> {
        let (sender, receiver) = sync_channel::<Vec<u8>>(WAITING_LINES);
        let writer = move || {
            for line in receiver {
                // Nobody could be told: the log is where it would be written.
                drop(out.write_all(&line));
            }
        };
        std::thread::Builder::new().name("access-log".into()).spawn(writer)?;
        Ok(Self(Some(sender)))
    }

    fn write(&self, line: Vec<u8>, metrics: &Metrics) {
        let Some(sender) = &self.0 else { return };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = sender.try_send(line) {
            metrics.log_line_dropped();
        }
    }
}

impl fmt::Debug for AccessLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "AccessLog" } else { "AccessLog(off)" })
    }
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The last byte was handed to the connection.
    Complete,
    /// The connection was gone before.
    ClientGone,
    /// The list could not be read to its end; the connection was cut.
    Failed,
}

impl End {
    const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ClientGone => "client_gone",
            Self::Failed => "failed",
        }
    }
}

/// What is known of one request. Logged and counted when it is dropped.
pub(crate) struct Record {
    began: Instant,
    log: AccessLog,
    metrics: Arc<Metrics>,
    request_id: HeaderValue,
    account: Option<i64>,
    token: Option<String>,
    operation: Option<Operation>,
    status: u16,
    problem: Option<&'static str>,
    cause: Option<String>,
    bytes: u64,
    first_byte: Option<Instant>,
    end: End,
}

impl Record {
    pub(crate) fn begin(
        began: Instant,
        request_id: &HeaderValue,
        log: &AccessLog,
        metrics: &Arc<Metrics>,
    ) -> Self {
        metrics.began();
        Self {
            began,
            log: log.clone(),
            metrics: Arc::clone(metrics),
            request_id: request_id.clone(),
            account: None,
            token: None,
            operation: None,
            status: 0,
            problem: None,
            cause: None,
            bytes: 0,
            first_byte: None,
            end: End::ClientGone,
        }
    }

    pub(crate) fn principal(&mut self, principal: &Principal) {
        self.account = Some(principal.snapshot.account.0);
        if self.log.0.is_some() {
            self.token = Some(principal.token.to_string());
        }
    }

    pub(crate) fn operation(&mut self, operation: Operation) {
        self.operation = Some(operation);
    }

    pub(crate) fn status(&mut self, status: StatusCode) {
        self.status = status.as_u16();
    }

    pub(crate) fn failed_with(&mut self, problem: &Problem) {
        self.problem = Some(problem.kind().name());
        self.cause = problem.cause().map(describe);
    }

    pub(crate) fn broke_off(&mut self, error: &Error) {
        self.end = End::Failed;
        self.cause = Some(describe(error));
    }

    pub(crate) fn sent(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.first_byte.get_or_insert_with(Instant::now);
    }

    pub(crate) fn end(&mut self, end: End) {
        self.end = end;
    }

    fn line(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        let milliseconds = |since: Instant| {
            let micros = since.saturating_duration_since(self.began).as_micros();
            format!("{}.{:03}", micros / 1000, micros % 1000)
        };
        out.extend_from_slice(b"{\"request_id\":");
        json::text(&mut out, self.request_id.to_str().unwrap_or_default());
        if let Some(account) = self.account {
            out.extend_from_slice(format!(",\"account\":{account}").as_bytes());
        }
        let texts = [
            ("token", self.token.as_deref()),
            ("operation", self.operation.map(Operation::method)),
            ("problem", self.problem),
            ("cause", self.cause.as_deref()),
            ("end", Some(self.end.name())),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                out.extend_from_slice(format!(",\"{name}\":").as_bytes());
                json::text(&mut out, text);
            }
        }
        out.extend_from_slice(
            format!(",\"status\":{},\"bytes\":{}", self.status, self.bytes).as_bytes(),
        );
        if let Some(first) = self.first_byte {
            out.extend_from_slice(format!(",\"first_byte_ms\":{}", milliseconds(first)).as_bytes());
        }
        out.extend_from_slice(format!(",\"ms\":{}}}\n", milliseconds(Instant::now())).as_bytes());
        out
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.metrics.ended(self.operation, self.status, self.end, self.bytes, self.began.elapsed());
        if self.log.0.is_some() {
            self.log.write(self.line(), &self.metrics);
        }
    }
}

/// The failure and its causes in one line. Texts of the database drivers name tables and codes, never values.
fn describe(error: &Error) -> String {
    let mut text = error.to_string();
    // What PostgreSQL says may quote data; its codes are enough.
    let mut source =
        (error.kind() != ErrorKind::Import).then(|| std::error::Error::source(error)).flatten();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// So many lines may wait to be written.
const WAITING_LINES: usize = 4096;
