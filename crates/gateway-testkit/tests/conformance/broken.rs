//! Transports that break a promise each.

#![expect(clippy::map_err_ignore, clippy::mem_forget, reason = "broken on purpose")]

use std::sync::Mutex;

use bytes::Bytes;
use gateway_testkit::conformance::{Factory, Setup, Subject};
use gateway_transport::bridge::OffThread;
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Deadline, ErrorKind, Request, Transport,
    TransportError, blocking_transport_fn, transport_fn,
};
use http::{HeaderMap, HeaderValue, Response};

/// A transport that breaks a promise, and the checks that must notice.
pub(crate) struct Broken {
    pub(crate) name: &'static str,
    pub(crate) factory: Factory,
    pub(crate) fails: &'static [&'static str],
}

macro_rules! broken {
    ($($name:ident: [$($fails:literal),+ $(,)?]),+ $(,)?) => {
        pub(crate) const BROKEN: &[Broken] = &[$(Broken {
            name: stringify!($name),
            factory: $name,
            fails: &[$($fails),+],
        }),+];
    };
}

broken! {
    adds_a_header: ["request.nothing_is_added"],
    replaces_headers: ["request.accept_is_not_replaced", "request.user_agent_is_not_replaced"],
    keeps_one_header_of_a_name: [
        "request.repeated_headers_keep_their_order",
        "response.repeated_headers_are_kept",
    ],
    rewrites_the_target: [
        "request.target_is_verbatim",
        "request.odd_target_is_verbatim_or_refused",
        "request.empty_query_is_kept",
    ],
    follows_redirects: ["response.redirects_are_not_followed"],
    tries_again: ["response.nothing_is_tried_again", "errors.closed_before_the_head"],
    takes_a_status_for_an_error: [
        "response.every_status_is_an_answer",
        "response.retry_after_is_visible",
    ],
    receives_everything_first: [
        "body.head_comes_before_the_body",
        "body.pieces_come_as_they_are_sent",
        "memory.slow_reader_slows_the_peer",
    ],
    takes_a_cut_body_for_a_whole_one: [
        "body.shorter_than_its_length",
        "body.cut_within_a_chunk",
        "body.without_its_last_chunk",
        "body.reset_within",
        "body.failure_is_of_the_body",
        "tls.end_without_goodbye_is_an_interruption",
    ],
    keeps_what_was_dropped: [
        "memory.dropped_body_closes",
        "memory.body_dropped_half_read_closes",
    ],
    leaks_connections: ["memory.calls_leave_nothing_behind"],
    has_one_kind_of_error: [
        "errors.lengths_that_contradict",
        "errors.nobody_listens",
        "errors.name_that_does_not_exist",
        "tls.peer_without_tls",
        "time.limit_of_connecting",
    ],
    knows_no_deadline: [
        "time.deadline_of_the_head",
        "time.deadline_of_a_dripping_head",
        "time.deadline_of_a_dripping_body",
        "time.deadline_that_has_passed",
    ],
    keeps_the_first_deadline: ["time.deadline_belongs_to_its_request"],
    is_impatient: ["time.slow_answer_within_its_deadline"],
    goes_on_after_a_drop: ["cancellation.dropped_while_waiting_closes"],
    sends_before_it_is_awaited: ["cancellation.not_awaited_sends_nothing"],
    needs_a_runtime: ["runtime.awaited_without_a_runtime"],
    panics_in_a_runtime: ["runtime.blocking_within_a_runtime"],
    connects_each_time: [
        "connections.connection_is_reused",
        "connections.connection_is_reused_after_chunks",
    ],
    sends_one_at_a_time: ["connections.requests_run_side_by_side"],
    mixes_up_answers: ["connections.answers_are_not_mixed_up", "runtime.shared_by_threads"],
    talks_to_anybody: [
        "tls.self_signed_is_refused",
        "tls.expired_is_refused",
        "tls.other_host_is_refused",
    ],
    tells_the_request: [
        "secrecy.errors_before_the_answer_tell_nothing",
        "secrecy.errors_in_the_answer_tell_nothing",
        "secrecy.errors_of_tls_tell_nothing",
    ],
    tells_its_name: ["secrecy.debug_tells_nothing"],
    remembers_the_token: ["secrecy.token_is_for_one_request"],
}

/// Makes a subject that does something to a good transport.
fn around(
    setup: &Setup,
    send: impl Fn(&UreqTransport, Request) -> Result<BlockingResponse, TransportError>
    + Send
    + Sync
    + 'static,
) -> Result<Subject, TransportError> {
    let good = UreqTransport::new(&setup.options())?;
    Ok(Subject::blocking(blocking_transport_fn(move |request| send(&good, request))))
}

fn adds_a_header(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, mut request| {
        request.headers_mut().insert("accept-encoding", HeaderValue::from_static("gzip"));
        good.send(request)
    })
}

fn replaces_headers(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, mut request| {
        request.headers_mut().insert("accept", HeaderValue::from_static("*/*"));
        request.headers_mut().insert("user-agent", HeaderValue::from_static("own/1"));
        good.send(request)
    })
}

fn keeps_one_header_of_a_name(setup: &Setup) -> Result<Subject, TransportError> {
    fn one_each(headers: &mut HeaderMap) {
        let all = std::mem::take(headers);
        for name in all.keys() {
            if let Some(value) = all.get(name) {
                headers.insert(name, value.clone());
            }
        }
    }
    around(setup, |good, mut request| {
        one_each(request.headers_mut());
        let mut response = good.send(request)?;
        one_each(response.headers_mut());
        Ok(response)
    })
}

fn rewrites_the_target(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, mut request| {
        let text = request.uri().to_string();
        let text = text.replace("%20", "+").replace('\'', "%27");
        let text = text.strip_suffix('?').unwrap_or(&text);
        *request.uri_mut() = text.parse().map_err(|_| other("no address"))?;
        good.send(request)
    })
}

fn follows_redirects(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let response = good.send(request.clone())?;
        let Some(location) = response.headers().get("location") else { return Ok(response) };
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let target = format!("http://{authority}{}", location.to_str().unwrap_or_default());
        let mut next = request;
        *next.uri_mut() = target.parse().map_err(|_| other("no address"))?;
        good.send(next)
    })
}

fn tries_again(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| match good.send(request.clone()) {
        Ok(response) if response.status() != 503 => Ok(response),
        _ => good.send(request),
    })
}

fn takes_a_status_for_an_error(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| match good.send(request)? {
        response if response.status().is_success() => Ok(response),
        response => Err(other(format!("status {}", response.status()))),
    })
}

fn receives_everything_first(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let (head, body) = good.send(request)?.into_parts();
        Ok(Response::from_parts(head, body.collect(1 << 30)?.into()))
    })
}

fn takes_a_cut_body_for_a_whole_one(setup: &Setup) -> Result<Subject, TransportError> {
    struct Lenient(BlockingBody);
    impl std::io::Read for Lenient {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            Ok(self.0.read(buffer).unwrap_or(0))
        }
    }
    around(setup, |good, request| {
        Ok(good.send(request)?.map(|body| BlockingBody::new(Lenient(body))))
    })
}

fn keeps_what_was_dropped(setup: &Setup) -> Result<Subject, TransportError> {
    struct Kept(Option<BlockingBody>);
    impl std::io::Read for Kept {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0.as_mut().map_or(Ok(0), |body| body.read(buffer))
        }
    }
    impl Drop for Kept {
        fn drop(&mut self) {
            std::mem::forget(self.0.take());
        }
    }
    around(setup, |good, request| {
        Ok(good.send(request)?.map(|body| BlockingBody::new(Kept(Some(body)))))
    })
}

fn leaks_connections(setup: &Setup) -> Result<Subject, TransportError> {
    let options = setup.options();
    Ok(Subject::blocking(blocking_transport_fn(move |request| {
        let each = UreqTransport::new(&options)?;
        let response = each.send(request);
        std::mem::forget(each);
        response
    })))
}

fn has_one_kind_of_error(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let (head, body) = good.send(request).map_err(|_| other("it failed"))?.into_parts();
        let body = body.collect(1 << 20).map_err(|_| other("it failed"))?;
        Ok(Response::from_parts(head, body.into()))
    })
}

fn knows_no_deadline(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, mut request| {
        request.extensions_mut().remove::<Deadline>();
        good.send(request)
    })
}

fn keeps_the_first_deadline(setup: &Setup) -> Result<Subject, TransportError> {
    let first = Mutex::new(None);
    around(setup, move |good, mut request| {
        let mut first = first.lock().map_err(|_| other("poisoned"))?;
        *first = first.or(Deadline::of(&request));
        if let Some(deadline) = *first {
            request.extensions_mut().insert(deadline);
        }
        drop(first);
        good.send(request)
    })
}

fn is_impatient(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, mut request| {
        let soon = std::time::Duration::from_millis(100);
        request.extensions_mut().insert(Deadline::after(soon));
        good.send(request)
    })
}

fn goes_on_after_a_drop(setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::asynchronous(OffThread::new(UreqTransport::new(&setup.options())?)))
}

fn sends_before_it_is_awaited(setup: &Setup) -> Result<Subject, TransportError> {
    let good = UreqTransport::new(&setup.options())?;
    Ok(Subject::asynchronous(transport_fn(move |request| {
        let early = good.send(request).and_then(|response| {
            let (head, body) = response.into_parts();
            Ok(Response::from_parts(head, body.collect(1 << 20)?))
        });
        async move { early.map(|response| response.map(Into::into)) }
    })))
}

fn needs_a_runtime(setup: &Setup) -> Result<Subject, TransportError> {
    let good = ReqwestTransport::new(&setup.options())?;
    Ok(Subject::asynchronous(transport_fn(move |request| {
        let good = good.clone();
        async move {
            tokio::task::yield_now().await;
            drop(tokio::runtime::Handle::current());
            good.send(request).await
        }
    })))
}

fn panics_in_a_runtime(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        assert!(tokio::runtime::Handle::try_current().is_err(), "broken");
        good.send(request)
    })
}

fn connects_each_time(setup: &Setup) -> Result<Subject, TransportError> {
    let options = setup.options();
    Ok(Subject::blocking(blocking_transport_fn(move |request| {
        UreqTransport::new(&options)?.send(request)
    })))
}

fn sends_one_at_a_time(setup: &Setup) -> Result<Subject, TransportError> {
    let turn = Mutex::new(());
    around(setup, move |good, request| {
        let turn = turn.lock();
        let response = good.send(request);
        drop(turn);
        response
    })
}

fn mixes_up_answers(setup: &Setup) -> Result<Subject, TransportError> {
    let last = Mutex::new(Bytes::new());
    around(setup, move |good, request| {
        let (head, body) = good.send(request)?.into_parts();
        let body = body.collect(1 << 20)?;
        let mut last = last.lock().map_err(|_| other("poisoned"))?;
        Ok(Response::from_parts(head, std::mem::replace(&mut *last, body).into()))
    })
}

fn talks_to_anybody(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| match good.send(request) {
        Err(error) if error.kind() == ErrorKind::Tls => Ok(Response::new(Bytes::new().into())),
        outcome => outcome,
    })
}

fn tells_the_request(setup: &Setup) -> Result<Subject, TransportError> {
    around(setup, |good, request| {
        let told = format!("{} {:?}", request.uri(), request.headers());
        let tell = |error: TransportError| other(told.clone()).with_source(error);
        let (head, body) = good.send(request).map_err(tell)?.into_parts();
        Ok(Response::from_parts(head, body.collect(1 << 20).map_err(tell)?.into()))
    })
}

fn tells_its_name(setup: &Setup) -> Result<Subject, TransportError> {
    struct Named(UreqTransport);
    impl BlockingTransport for Named {
        fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
            self.0.send(request)
        }

        fn name(&self) -> &'static str {
            "a client with canarytoken"
        }
    }
    Ok(Subject::blocking(Named(UreqTransport::new(&setup.options())?)))
}

fn remembers_the_token(setup: &Setup) -> Result<Subject, TransportError> {
    let token = Mutex::new(None::<HeaderValue>);
    around(setup, move |good, mut request| {
        let mut token = token.lock().map_err(|_| other("poisoned"))?;
        match request.headers().get("authorization") {
            Some(value) => *token = Some(value.clone()),
            None => {
                if let Some(value) = &*token {
                    request.headers_mut().insert("authorization", value.clone());
                }
            }
        }
        drop(token);
        good.send(request)
    })
}

/// Refuses to send anything.
pub(crate) fn refuses_everything(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(blocking_transport_fn(|_| Err(other("no")))))
}

/// The same, as a future.
pub(crate) fn refuses_everything_async(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::asynchronous(transport_fn(|_| async { Err(other("no")) })))
}

/// Brings the caller down.
pub(crate) fn panics(_setup: &Setup) -> Result<Subject, TransportError> {
    Ok(Subject::blocking(blocking_transport_fn(|_| panic!("broken"))))
}

fn other(text: impl Into<std::borrow::Cow<'static, str>>) -> TransportError {
    TransportError::new(ErrorKind::Other, text)
}
