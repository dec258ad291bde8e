//! Transports that break one rule of HTTP/1.1. They share a small client, which opens a connection for each request,
//! unless the rule is about connections that must not be reused.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gateway_transport::{
    BlockingResponse, BlockingTransport, Deadline, Phase, Request, TransportError,
    TransportErrorKind,
};
use http::{HeaderName, HeaderValue, Method, Response};
use methodical_testkit::conformance::Subject;

use crate::broken::Broken;
use crate::broken::wire::Wire;

macro_rules! careless {
    ($($(#[$attribute:meta])* $name:ident: $rule:ident [$($fails:literal),* $(,)?]),+ $(,)?) => {
        /// The rules that a client breaks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Rule {
            $($(#[$attribute])* $rule,)+
        }

        /// Clients. The first breaks no rule, and each of the others breaks one.
        pub(crate) const CARELESS: &[Broken] = &[$(Broken {
            name: stringify!($name),
            factory: |setup| {
                let idle_timeout = setup.idle_timeout;
                let careless = Careless { broken: Rule::$rule, idle_timeout, idle: Mutex::default() };
                Ok(Subject::blocking(careless))
            },
            fails: &[$($fails),*],
        }),+];
    };
}

careless! {
    /// Breaks no rule: the client passes the checks that the others fail.
    breaks_no_rule: Nothing [],
    /// Refuses a status line without a reason phrase.
    needs_a_reason: Reason ["response.reason_may_be_missing"],
    /// Treats any version as HTTP/1.1.
    ignores_the_version: Version ["errors.unknown_version"],
    /// Treats a response without a status line as a body, as in HTTP/0.9.
    accepts_a_bare_body: StatusLine ["errors.peer_that_does_not_speak_http"],
    /// Treats a status that is not a number as 200.
    guesses_the_status: Status ["errors.status_that_is_not_a_number"],
    /// Returns an interim response as the final one.
    returns_interim_responses: Interim ["response.interim_responses_are_skipped"],
    /// Skips one interim response, and returns the next one as the final one.
    skips_one_interim_response: SecondInterim ["response.interim_responses_are_skipped"],
    /// Starts the deadline again with the head and after each interim response.
    waits_longer_after_interim_responses: InterimDeadline ["time.deadline_of_interim_responses"],
    /// Treats the head as complete when the connection closes.
    accepts_a_truncated_head: HeadEnd ["errors.closed_within_the_head"],
    /// Has no limit for the size of a line or a head.
    reads_without_a_limit: HeadLimit [
        "memory.endless_chunk_extension_is_refused",
        "memory.endless_line_is_refused",
        "response.endless_head_is_refused",
    ],
    /// Reports a head that is too large as malformed.
    reports_a_large_head_as_malformed: HeadKind ["response.oversized_heads_are_too_large"],
    /// Skips lines of the head without a colon.
    skips_lines_without_a_colon: Colon ["errors.header_without_a_colon"],
    /// Removes NUL bytes from header values.
    removes_nul_bytes: Nul ["errors.nul_in_a_header"],
    /// Keeps the whitespace around header values.
    keeps_space_around_values: Space ["response.space_around_values_is_removed"],
    /// Treats the second line of a folded header as a separate header.
    splits_folded_lines: Fold ["response.folded_lines_do_no_harm"],
    /// Finds the headers of the framing only in lower case.
    reads_framing_in_lower_case: Case ["response.names_match_in_any_case"],
    /// Uses the first of two lengths.
    uses_the_first_length: Lengths ["errors.lengths_that_contradict"],
    /// Ignores a length that is not a number.
    ignores_an_invalid_length: Length ["errors.length_that_is_not_a_number"],
    /// Uses the length of a response that also has chunks.
    prefers_the_length: Precedence ["response.chunks_win_over_a_length"],
    /// Returns chunks with their sizes and extensions.
    returns_chunk_framing: Chunks ["response.chunks_are_joined"],
    /// Expects a chunk size without an extension.
    refuses_chunk_extensions: ChunkExtension ["response.chunks_are_joined"],
    /// Ends the body at a chunk size that is not a number.
    ends_at_an_invalid_chunk_size: ChunkSize ["body.chunk_size_that_is_not_a_number"],
    /// Uses the lower bits of a chunk size.
    wraps_chunk_sizes: ChunkBits ["body.huge_chunk_size_is_an_error"],
    /// Skips the rest of the line after a chunk.
    ignores_the_end_of_a_chunk: ChunkEnd ["body.chunk_without_an_end_is_an_error"],
    /// Does not read the trailers.
    stops_before_the_trailers: Trailers ["memory.endless_trailers_end"],
    /// Waits for the declared body of a 304 and of a response to HEAD.
    expects_every_declared_body: NoBody ["response.some_responses_have_no_body"],
    /// Waits for the declared body of a 204.
    expects_the_body_of_a_204: NoContent ["response.some_responses_have_no_body"],
    /// Expects the whole response in one piece.
    reads_once: Pieces ["body.single_bytes_make_a_whole"],
    /// Starts the deadline again when the head has arrived.
    restarts_the_deadline_at_the_head: DeadlineAtTheHead ["time.deadline_is_not_restarted"],
    /// Starts the deadline again after each part of the response.
    restarts_the_deadline_with_each_part: DeadlineOfEachPart [
        "time.deadline_is_not_restarted",
        "time.deadline_of_a_dripping_head",
    ],
    /// Waits until the deadline for a peer that is silent.
    waits_until_the_deadline: IdleBesideDeadline ["time.idle_timeout_beside_a_deadline"],
    /// Sends a request for up to five seconds, regardless of its deadline.
    ignores_the_deadline_of_sending: Sending ["time.deadline_of_sending"],
    /// Reuses a connection whose last head was late.
    reuses_after_a_late_head: LateHead ["connections.connection_of_a_late_head_is_not_reused"],
    /// Reuses a connection whose last body was late.
    reuses_after_a_late_body: LateBody ["connections.connection_of_a_late_body_is_not_reused"],
    /// Reuses a connection whose last body was malformed.
    reuses_after_a_failed_body: FailedBody ["connections.failed_connection_is_not_reused"],
    /// Reuses a connection that the peer wants to close.
    reuses_after_connection_close: Closing ["connections.close_is_respected"],
    /// Reuses an HTTP/1.0 connection.
    reuses_after_http_1_0: Old ["connections.http_1_0_connection_is_not_reused"],
    /// Fails if the peer has closed an idle connection, instead of trying another one.
    does_not_survive_a_stale_connection: Stale ["connections.stale_connection_is_survived"],
    /// Does not look for unsolicited bytes before it reuses an idle connection.
    reuses_after_an_unsolicited_response: Unsolicited ["errors.unsolicited_response_is_not_used"],
    /// Uses connections to one port of a host for its other ports.
    pools_by_host: OtherPort ["connections.authorities_do_not_share_connections"],
}

struct Careless {
    broken: Rule,
    idle_timeout: Duration,
    /// The idle connections, each with its authority.
    idle: Mutex<Vec<(String, TcpStream)>>,
}

impl BlockingTransport for Careless {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        if self.broken != Rule::Sending {
            Deadline::remaining(&request)?;
        }
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let stream = self.connect(&authority)?;
        let mut wire = Wire::new(stream, Deadline::of(&request), self.idle_timeout);
        wire.limited().reads_once = self.broken == Rule::Pieces;
        self.write(&mut wire, &authority, &request)?;

        let left = Deadline::remaining(&request)?;
        wire.limited().restarts = left.filter(|_| self.broken == Rule::DeadlineOfEachPart);
        if self.broken == Rule::IdleBesideDeadline && left.is_some() {
            wire.limited().idle_timeout = Duration::MAX;
        }
        let head = self.head(&mut wire);
        if self.broken == Rule::LateHead && is_late(&head) {
            self.keep(&authority, &wire);
        }
        let head = head?;
        if self.broken == Rule::DeadlineAtTheHead {
            wire.limited().deadline = left.map(Deadline::after);
        }
        let body = self.body(&mut wire, &head, request.method());
        if self.is_kept(&head, &body) {
            self.keep(&authority, &wire);
        }
        let body = body?;
        let mut response = Response::builder().status(head.status);
        for (name, value) in &head.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| protocol("a name"))?;
            let value = HeaderValue::from_bytes(value).map_err(|_| protocol("a value"))?;
            response = response.header(name, value);
        }
        response.body(body.into()).map_err(|_| protocol("a status"))
    }
}

fn is_late<T>(outcome: &Result<T, TransportError>) -> bool {
    outcome.as_ref().is_err_and(|error| error.kind() == TransportErrorKind::Timeout)
}

/// The head of a response, as it arrived.
struct Head {
    is_old: bool,
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
}

impl Careless {
    /// Returns an idle connection to an authority, or a new one.
    fn connect(&self, authority: &str) -> Result<TcpStream, TransportError> {
        let host = |authority: &str| authority.split(':').next().map(ToOwned::to_owned);
        let is_usable = |other: &str| match self.broken {
            Rule::OtherPort => host(other) == host(authority),
            _ => other == authority,
        };
        let mut idle = self.idle.lock().map_err(|_| protocol("the pool"))?;
        while let Some(index) = idle.iter().rposition(|(other, _)| is_usable(other)) {
            let stream = idle.remove(index).1;
            if matches!(self.broken, Rule::Stale | Rule::Unsolicited) || is_open(&stream) {
                return Ok(stream);
            }
        }
        TcpStream::connect(authority).map_err(TransportError::from_io)
    }

    /// Returns whether the connection may be reused after a response.
    fn is_kept(&self, head: &Head, body: &Result<Vec<u8>, TransportError>) -> bool {
        let closes = |(name, value): &(String, Vec<u8>)| {
            name.eq_ignore_ascii_case("connection") && value == b"close"
        };
        let may_stay_open = !head.is_old && !head.headers.iter().any(closes);
        match self.broken {
            Rule::LateBody => body.is_ok() || is_late(body),
            Rule::FailedBody => body.is_ok() || !is_late(body),
            Rule::Closing | Rule::Old => body.is_ok(),
            Rule::LateHead | Rule::Stale | Rule::Unsolicited | Rule::OtherPort => {
                body.is_ok() && may_stay_open
            }
            _ => false,
        }
    }

    fn keep(&self, authority: &str, wire: &Wire) {
        if let (Ok(mut idle), Ok(stream)) = (self.idle.lock(), wire.stream().try_clone()) {
            idle.push((authority.to_owned(), stream));
        }
    }

    fn write(
        &self,
        wire: &mut Wire,
        authority: &str,
        request: &Request,
    ) -> Result<(), TransportError> {
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        let mut bytes =
            format!("{} {target} HTTP/1.1\r\nhost: {authority}\r\n", request.method()).into_bytes();
        for (name, value) in request.headers() {
            bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        if !request.body().is_empty() {
            let length = format!("content-length: {}\r\n", request.body().len());
            bytes.extend_from_slice(length.as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(request.body());
        let limit = if self.broken == Rule::Sending {
            Some(Duration::from_secs(5))
        } else {
            Deadline::remaining(request)?
        };
        let mut stream = wire.stream();
        stream.set_write_timeout(limit).map_err(TransportError::from_io)?;
        stream.write_all(&bytes).map_err(|_| TransportError::timeout(Phase::Head))
    }

    fn head(&self, wire: &mut Wire) -> Result<Head, TransportError> {
        let start = Instant::now();
        let mut interim = 0;
        loop {
            // Long enough for a busy machine.
            if self.broken == Rule::InterimDeadline && start.elapsed() < Duration::from_secs(5) {
                wire.limited().deadline = Some(Deadline::after(Duration::from_secs(1)));
            }
            let line = self.line(wire)?;
            if self.broken == Rule::StatusLine && !line.starts_with(b"HTTP/") {
                return Ok(Head { is_old: true, status: 200, headers: Vec::new() });
            }
            let status = self.status(&line)?;
            let headers = self.headers(wire)?;
            let is_last = match self.broken {
                Rule::Interim => true,
                Rule::SecondInterim => status >= 200 || interim == 1,
                _ => status >= 200,
            };
            interim += 1;
            if is_last {
                let is_old = line.starts_with(b"HTTP/1.0");
                return Ok(Head { is_old, status, headers });
            }
        }
    }

    fn status(&self, line: &[u8]) -> Result<u16, TransportError> {
        let line = String::from_utf8_lossy(line);
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (version, status, reason) = (word(), word(), word());
        let is_known = ["HTTP/1.0", "HTTP/1.1"].contains(&version);
        if !is_known && self.broken != Rule::Version {
            return Err(protocol("the version"));
        }
        if reason.is_empty() && self.broken == Rule::Reason {
            return Err(protocol("the reason"));
        }
        match status.parse() {
            Err(_) if self.broken == Rule::Status => Ok(200),
            status => status.map_err(|_| protocol("the status")),
        }
    }

    fn headers(&self, wire: &mut Wire) -> Result<Vec<(String, Vec<u8>)>, TransportError> {
        let mut headers = Vec::new();
        let mut size = 0;
        loop {
            let mut line = self.line(wire)?;
            if line.is_empty() {
                return Ok(headers);
            }
            size += line.len() as u64;
            let is_large = size > HEAD_LIMIT || headers.len() == HEADERS_LIMIT;
            if is_large && self.broken != Rule::HeadLimit {
                return Err(self.large_head());
            }
            match self.broken {
                Rule::Nul => line.retain(|byte| *byte != 0),
                Rule::Fold => line = line.trim_ascii().to_vec(),
                _ => {}
            }
            let Some(colon) = line.iter().position(|byte| *byte == b':') else {
                if self.broken == Rule::Colon {
                    continue;
                }
                return Err(protocol("a line without a colon"));
            };
            let (name, value) = line.split_at(colon);
            let value = value.strip_prefix(b":").unwrap_or_default();
            if name.contains(&b' ') || value.contains(&0) {
                return Err(protocol("a header"));
            }
            let value = if self.broken == Rule::Space { value } else { value.trim_ascii() };
            headers.push((String::from_utf8_lossy(name).into_owned(), value.to_vec()));
        }
    }

    fn body(
        &self,
        wire: &mut Wire,
        head: &Head,
        method: &Method,
    ) -> Result<Vec<u8>, TransportError> {
        let values = |name: &str| -> Vec<String> {
            let is_it = |(found, _): &&(String, Vec<u8>)| match self.broken {
                Rule::Case => found == name,
                _ => found.eq_ignore_ascii_case(name),
            };
            let found = head.headers.iter().filter(is_it);
            found.map(|(_, value)| String::from_utf8_lossy(value).trim().to_owned()).collect()
        };
        let has_content = head.status == 204 && self.broken == Rule::NoContent;
        let has_no_body = [204, 304].contains(&head.status) || method == Method::HEAD;
        let has_no_body = has_no_body && !has_content;
        if has_no_body && self.broken != Rule::NoBody {
            return Ok(Vec::new());
        }
        let mut lengths = values("content-length");
        lengths.dedup();
        if lengths.len() > 1 && self.broken != Rule::Lengths {
            return Err(protocol("two lengths"));
        }
        let length: Option<usize> = match lengths.first().map(|length| length.parse()) {
            Some(Err(_)) if self.broken == Rule::Length => None,
            Some(length) => Some(length.map_err(|_| protocol("the length"))?),
            None => None,
        };
        let is_chunked = !values("transfer-encoding").is_empty();
        if is_chunked && (length.is_none() || self.broken != Rule::Precedence) {
            if self.broken == Rule::Chunks {
                return wire.rest();
            }
            return self.chunks(wire);
        }
        match length {
            Some(length) => wire.take(length),
            None => wire.rest(),
        }
    }

    fn chunks(&self, wire: &mut Wire) -> Result<Vec<u8>, TransportError> {
        let mut body = Vec::new();
        loop {
            let line = String::from_utf8_lossy(&self.line(wire)?).into_owned();
            let digits = match self.broken {
                Rule::ChunkExtension => line.as_str(),
                _ => line.split(';').next().unwrap_or_default(),
            };
            let lower = digits.get(digits.len().saturating_sub(8)..).unwrap_or_default();
            let digits = if self.broken == Rule::ChunkBits { lower } else { digits };
            let size = match usize::from_str_radix(digits, 16) {
                Err(_) if self.broken == Rule::ChunkSize => return Ok(body),
                size => size.map_err(|_| protocol("the size of a chunk"))?,
            };
            if size == 0 {
                break;
            }
            body.append(&mut wire.take(size)?);
            if !self.line(wire)?.is_empty() && self.broken != Rule::ChunkEnd {
                return Err(protocol("a chunk without an end"));
            }
        }
        if self.broken != Rule::Trailers {
            self.headers(wire)?;
        }
        Ok(body)
    }

    fn line(&self, wire: &mut Wire) -> Result<Vec<u8>, TransportError> {
        match wire.line(if self.broken == Rule::HeadLimit { u64::MAX } else { HEAD_LIMIT }) {
            Err(error)
                if self.broken == Rule::HeadEnd
                    && error.kind() == TransportErrorKind::Interrupted =>
            {
                Ok(Vec::new())
            }
            Err(error) if error.kind() == TransportErrorKind::TooLarge => Err(self.large_head()),
            line => line,
        }
    }

    fn large_head(&self) -> TransportError {
        let kind = if self.broken == Rule::HeadKind {
            TransportErrorKind::Protocol
        } else {
            TransportErrorKind::TooLarge
        };
        TransportError::new(kind, "a large head")
    }
}

/// Returns whether the peer has neither closed an idle connection nor sent anything.
fn is_open(stream: &TcpStream) -> bool {
    let peeked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let is_silent = peeked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
    is_silent && stream.set_nonblocking(false).is_ok()
}

fn protocol(text: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::Protocol, text)
}

/// Maximum size of a head, and of all trailers, in bytes.
const HEAD_LIMIT: u64 = 256 << 10;

/// Maximum number of headers.
const HEADERS_LIMIT: usize = 1000;
