//! Transports that an author writes who has read the promises and the guide, but not the checks.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport as _, Deadline, Request, TransportError,
    TransportErrorKind,
};
use http::{HeaderMap, HeaderValue, Method, Response};

use crate::broken::support::{around, other};

broken! { PROMISES:
    writes_methods_in_upper_case ["request.every_method_with_and_without_a_body"] =
        |setup| around(setup, |good, mut request| {
        let upper = request.method().as_str().to_ascii_uppercase();
        *request.method_mut() =
            Method::from_bytes(upper.as_bytes()).map_err(|_| other("method"))?;
        good.send(request)
    });
    sends_fifty_headers_at_most ["request.header_bytes_are_preserved"] =
        |setup| around(setup, |good, mut request| {
        let headers = std::mem::take(request.headers_mut());
        request.headers_mut().extend(headers.into_iter().take(50));
        good.send(request)
    });
    cuts_long_header_values ["request.header_bytes_are_preserved"] =
        |setup| around(setup, |good, mut request| {
        for value in request.headers_mut().values_mut() {
            let cut = value.as_bytes().get(..4096).map(HeaderValue::from_bytes);
            if let Some(Ok(cut)) = cut {
                *value = cut;
            }
        }
        good.send(request)
    });
    drops_sensitive_headers ["request.header_bytes_are_preserved"] =
        |setup| around(setup, |good, mut request| {
        let headers = std::mem::take(request.headers_mut());
        let kept: HeaderMap =
            headers.iter().filter(|(_, value)| !value.is_sensitive()).map(owned).collect();
        *request.headers_mut() = kept;
        good.send(request)
    });
    refuses_long_targets ["request.target_is_verbatim"] = |setup| around(setup, |good, request| {
        let length = request.uri().path_and_query().map_or(0, |it| it.as_str().len());
        if length > 2083 {
            let text = "the target is too long";
            return Err(TransportError::new(TransportErrorKind::InvalidRequest, text));
        }
        good.send(request)
    });
    returns_an_error_for_partial_content ["response.every_status_is_returned"] =
        |setup| around(setup, |good, request| {
        let response = good.send(request)?;
        if response.status() == 206 {
            Err(other("a partial response"))
        } else {
            Ok(response)
        }
    });
    drops_empty_response_headers ["response.headers_are_those_of_the_peer"] =
        |setup| around(setup, |good, request| {
        let mut response = good.send(request)?;
        let headers = response.headers();
        let kept = headers.iter().filter(|(_, value)| !value.is_empty()).map(owned);
        *response.headers_mut() = kept.collect();
        Ok(response)
    });
    collects_the_body_of_a_failure [
        "body.head_comes_before_the_body",
        "body.chunks_arrive_as_they_are_sent",
    ] = |setup| around(setup, |good, request| {
        let response = good.send(request)?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        Ok(Response::from_parts(head, body.collect(1 << 20)?.into()))
    });
    stops_the_deadline_while_the_caller_pauses ["time.deadline_of_a_dripping_body"] =
        |setup| around(setup, |good, request| with_pauses(good, request, None));
    counts_a_pause_of_the_caller_as_silence ["time.slow_body_is_not_idle"] = |setup| {
        let limit = setup.idle_timeout;
        around(setup, move |good, request| with_pauses(good, request, Some(limit)))
    };
}

fn owned<N: Clone>((name, value): (&N, &HeaderValue)) -> (N, HeaderValue) {
    (name.clone(), value.clone())
}

/// Sends a request whose body limits the time that it waits, not the time that passes, or the time between two reads.
fn with_pauses(
    good: &UreqTransport,
    mut request: Request,
    idle: Option<Duration>,
) -> Result<BlockingResponse, TransportError> {
    let left = Deadline::remaining(&request)?.unwrap_or(Duration::MAX);
    if idle.is_none() {
        request.extensions_mut().remove::<Deadline>();
    }
    let response = good.send(request)?;
    Ok(response.map(|body| BlockingBody::new(Paused { body, left, idle, last: Instant::now() })))
}

struct Paused {
    body: BlockingBody,
    left: Duration,
    idle: Option<Duration>,
    last: Instant,
}

impl Read for Paused {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let start = Instant::now();
        if self.idle.is_some_and(|idle| start > self.last + idle) || self.left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let count = self.body.read(buffer)?;
        self.last = Instant::now();
        self.left = self.left.saturating_sub(start.elapsed());
        Ok(count)
    }
}
