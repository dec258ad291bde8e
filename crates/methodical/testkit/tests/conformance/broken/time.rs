//! Transports that mishandle time limits, cancellation or runtimes.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport as _, Deadline, Options, Request,
    Transport as _, TransportError, TransportErrorKind, blocking_transport_fn, transport_fn,
};
use http::{Method, Response};
use methodical_testkit::conformance::{Setup, Subject};
use tokio::runtime::Handle;

use crate::broken::support::{Built, around, built, edits, other, requests};

broken! {
    @requests:
    overflows_on_a_far_deadline ["time.far_deadline_does_no_harm"] = |request| {
        // About 25 days overflow 32 bits of milliseconds.
        let left = Deadline::remaining(request)?.map_or(0, |left| left.as_millis());
        i32::try_from(left).map(drop).map_err(|_| other("the deadline is too far"))
    };

    @around:
    ignores_the_deadline_of_a_body [
        "time.deadline_of_a_dripping_body",
        "time.deadline_of_a_fast_body",
        "time.deadline_of_a_silent_body",
    ] = without_the_deadline_of_the_body;
    panics_in_a_runtime ["runtime.blocking_within_a_runtime"] = |good, request| {
        assert!(Handle::try_current().is_err(), "broken");
        good.send(request)
    };
    stops_the_deadline_while_the_caller_pauses ["time.deadline_of_a_dripping_body"] =
        |good, request| with_pauses(good, request, None);

    @built:
    checks_the_clock_only_while_waiting ["time.deadline_of_a_fast_body"] = |setup| {
        /// A body that checks its deadline only while it waits for data.
        struct Waiting(BlockingBody, Option<Deadline>);
        impl Read for Waiting {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                loop {
                    let is_over =
                        self.1.is_some_and(|deadline| deadline.instant() <= Instant::now());
                    match self.0.read(buffer).map_err(TransportError::from_io) {
                        Err(error) if error.kind() == TransportErrorKind::Timeout && !is_over => {}
                        outcome => return outcome.map_err(TransportError::into_io),
                    }
                }
            }
        }
        let good = UreqTransport::new(&setup.options().idle_timeout(SOON))?;
        Ok(Subject::blocking(blocking_transport_fn(move |request| {
            let deadline = Deadline::of(&request);
            let response = without_the_deadline_of_the_body(&good, request)?;
            Ok(response.map(|body| BlockingBody::new(Waiting(body, deadline))))
        })))
    };
    keeps_the_first_deadline ["time.deadline_belongs_to_its_request"] = |setup| {
        let first = Mutex::new(None);
        requests(setup, move |request| {
            let mut first = first.lock().map_err(|_| other("poisoned"))?;
            *first = first.or(Deadline::of(request));
            limit(request, *first);
            Ok(())
        })
    };
    continues_after_a_drop ["cancellation.dropped_while_waiting_closes"] = |setup| {
        let good = UreqTransport::new(&setup.options())?;
        Ok(Subject::asynchronous(transport_fn(move |request| {
            let good = good.clone();
            async move {
                let call = tokio::task::spawn_blocking(move || received(&good, request));
                call.await.map_err(|_| other("the call panicked"))?
            }
        })))
    };
    sends_before_it_is_awaited ["cancellation.not_awaited_sends_nothing"] = |setup| {
        let good = UreqTransport::new(&setup.options())?;
        Ok(Subject::asynchronous(transport_fn(move |request| {
            let early = received(&good, request);
            async move { early }
        })))
    };
    needs_a_runtime ["runtime.awaited_without_a_runtime"] =
        |setup| around_async(setup, |good, request| async move {
        tokio::task::yield_now().await;
        drop(Handle::current());
        good.send(request).await
    });
    /// Refuses every call after one that was dropped.
    breaks_after_a_drop ["cancellation.works_after_a_drop"] = |setup| {
        let is_busy = Arc::new(AtomicBool::new(false));
        around_async(setup, move |good, request| {
            let is_busy = Arc::clone(&is_busy);
            async move {
                if is_busy.swap(true, Ordering::SeqCst) {
                    return Err(other("busy"));
                }
                let response = good.send(request).await;
                is_busy.store(false, Ordering::SeqCst);
                response
            }
        })
    };
    /// Blocks the thread that drops a call until the call has connected, or has failed to.
    connects_to_the_end ["cancellation.dropped_while_connecting"] = |setup| {
        /// A thread that is joined when it is dropped.
        struct Joined(Option<JoinHandle<()>>);
        impl Drop for Joined {
            fn drop(&mut self) {
                self.0.take().map(JoinHandle::join);
            }
        }
        let long = setup.options().connect_timeout(Duration::from_secs(6));
        let good = Arc::new(UreqTransport::new(&long)?);
        Ok(Subject::asynchronous(transport_fn(move |request| {
            let good = Arc::clone(&good);
            async move {
                let (answer, response) = tokio::sync::oneshot::channel();
                let call = thread::spawn(move || drop(answer.send(received(&good, request))));
                let _joined = Joined(Some(call));
                response.await.map_err(|_| other("no response"))?
            }
        })))
    };
    /// Runs every call in the runtime of the first.
    keeps_its_first_runtime ["runtime.used_from_two_runtimes"] = |setup| {
        let first = Arc::new(OnceLock::new());
        around_async(setup, move |good, request| {
            let first = Arc::clone(&first);
            async move {
                let call = async move { good.send(request).await };
                let call = first.get_or_init(Handle::current).spawn(call);
                call.await.map_err(|_| other("the runtime has ended"))?
            }
        })
    };
    counts_a_pause_of_the_caller_as_silence ["time.slow_body_is_not_idle"] = |setup| {
        let limit = setup.idle_timeout;
        around(setup, move |good, request| with_pauses(good, request, Some(limit)))
    };

    @changes_settings:
    ignores_the_idle_timeout ["time.idle_timeout_of_the_body", "time.idle_timeout_of_the_head"] =
        |_, options| Some(options.idle_timeout(LONG));
    ignores_the_connect_timeout ["time.connect_timeout"] = |_, options| Some(options.connect_timeout(LONG));
    ignores_the_idle_timeout_beside_a_deadline ["time.idle_timeout_beside_a_deadline"] =
        |request, options| Deadline::of(request).map(|_| options.idle_timeout(LONG));
    ignores_the_idle_timeout_beside_a_deadline_of_the_head ["time.idle_timeout_beside_a_deadline"] =
        |request, options| {
        let deadline = Deadline::of(request)?;
        (deadline.head() < deadline.instant()).then(|| options.idle_timeout(LONG))
    };
    ignores_the_idle_timeout_of_a_post ["time.idle_timeout_beside_a_deadline"] =
        |request, options| (request.method() == Method::POST).then(|| options.idle_timeout(LONG));
    ignores_the_connect_timeout_beside_a_deadline ["time.connect_timeout"] =
        |request, options| Deadline::of(request).map(|_| options.connect_timeout(LONG));

    @edits:
    ignores_deadlines [
        "time.deadline_of_the_head",
        "time.deadline_of_a_dripping_head",
        "time.early_deadline_of_a_dripping_head",
        "time.deadline_of_a_dripping_body",
        "time.deadline_of_a_silent_body",
        "time.deadline_of_connecting",
        "time.deadline_that_has_passed",
    ] = |request| {
        request.extensions_mut().remove::<Deadline>();
    };
    applies_the_head_deadline_to_the_body ["time.body_later_than_the_deadline_of_its_head"] = |request| {
        let head = Deadline::of(request).map(|deadline| Deadline::at(deadline.head()));
        limit(request, head);
    };
    gives_up_early ["time.slow_response_within_its_deadline", "time.slow_body_is_not_idle"] = |request| {
        limit(request, Some(Deadline::after(SOON)));
    };
}

/// Wraps a working async transport in a function that breaks it.
fn around_async<F>(
    setup: &Setup,
    send: impl Fn(ReqwestTransport, Request) -> F + Send + Sync + 'static,
) -> Built
where
    F: Future<Output = Result<gateway_transport::Response, TransportError>> + Send + 'static,
{
    let good = ReqwestTransport::new(&setup.options())?;
    Ok(Subject::asynchronous(transport_fn(move |request| send(good.clone(), request))))
}

/// Sends a request, and reads the whole body of its response.
fn received(
    good: &UreqTransport,
    request: Request,
) -> Result<gateway_transport::Response, TransportError> {
    let (head, body) = good.send(request)?.into_parts();
    Ok(Response::from_parts(head, body.collect(1 << 20)?.into()))
}

/// Replaces the deadline of a request, if a new one is given.
fn limit(request: &mut Request, deadline: Option<Deadline>) {
    if let Some(deadline) = deadline {
        request.extensions_mut().insert(deadline);
    }
}

/// Uses other settings for some requests.
fn changes_settings(setup: &Setup, change: fn(&Request, Options) -> Option<Options>) -> Built {
    let options = setup.options();
    around(setup, move |good, request| match change(&request, options.clone()) {
        Some(options) => UreqTransport::new(&options)?.send(request),
        None => good.send(request),
    })
}

fn without_the_deadline_of_the_body(
    good: &UreqTransport,
    mut request: Request,
) -> Result<BlockingResponse, TransportError> {
    let long = |deadline: Deadline| Deadline::after(LONG).head_by(deadline.head());
    let deadline = Deadline::of(&request).map(long);
    limit(&mut request, deadline);
    good.send(request)
}

/// Sends a request. The limit of its body counts only the time spent waiting, or only the time between two reads.
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

const SOON: Duration = Duration::from_millis(100);

const LONG: Duration = Duration::from_secs(3600);
