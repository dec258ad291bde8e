//! Transports that handle deadlines, cancellation or runtimes wrongly.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

use gateway_transport::bridge::OffThread;
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport as _, Deadline, Request, Transport as _,
    TransportError, TransportErrorKind, blocking_transport_fn, transport_fn,
};
use http::Response;
use methodical_testkit::conformance::Subject;
use tokio::runtime::Handle;

use crate::broken::support::{around, other};

broken! { TIME:
    ignores_deadlines [
        "time.deadline_of_the_head",
        "time.deadline_of_a_dripping_head",
        "time.early_deadline_of_a_dripping_head",
        "time.deadline_of_a_dripping_body",
        "time.deadline_of_a_silent_body",
        "time.deadline_of_connecting",
        "time.deadline_that_has_passed",
    ] = |setup| around(setup, |good, mut request| {
        request.extensions_mut().remove::<Deadline>();
        good.send(request)
    });
    applies_the_head_deadline_to_the_body ["time.body_later_than_the_deadline_of_its_head"] =
        |setup| around(setup, |good, mut request| {
        if let Some(deadline) = Deadline::of(&request) {
            request.extensions_mut().insert(Deadline::at(deadline.head()));
        }
        good.send(request)
    });
    ignores_the_deadline_of_a_body [
        "time.deadline_of_a_dripping_body",
        "time.deadline_of_a_fast_body",
        "time.deadline_of_a_silent_body",
    ] = |setup| around(setup, without_the_deadline_of_the_body);
    checks_the_clock_only_while_waiting ["time.deadline_of_a_fast_body"] = |setup| {
        /// A body that looks at its deadline only if there is no data.
        struct Waiting(BlockingBody, Option<Deadline>);
        impl std::io::Read for Waiting {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                loop {
                    let is_over =
                        self.1.is_some_and(|deadline| deadline.instant() <= std::time::Instant::now());
                    match self.0.read(buffer).map_err(TransportError::from_io) {
                        Err(error) if error.kind() == TransportErrorKind::Timeout && !is_over => {}
                        outcome => return outcome.map_err(TransportError::into_io),
                    }
                }
            }
        }
        let soon = std::time::Duration::from_millis(100);
        let good = UreqTransport::new(&setup.options().idle_timeout(soon))?;
        Ok(Subject::blocking(blocking_transport_fn(move |request| {
            let deadline = Deadline::of(&request);
            let response = without_the_deadline_of_the_body(&good, request)?;
            Ok(response.map(|body| BlockingBody::new(Waiting(body, deadline))))
        })))
    };
    keeps_the_first_deadline ["time.deadline_belongs_to_its_request"] = |setup| {
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
    };
    gives_up_early ["time.slow_response_within_its_deadline", "time.slow_body_is_not_idle"] =
        |setup| around(setup, |good, mut request| {
        let soon = std::time::Duration::from_millis(100);
        request.extensions_mut().insert(Deadline::after(soon));
        good.send(request)
    });
    ignores_the_idle_timeout ["time.idle_timeout_of_the_body", "time.idle_timeout_of_the_head"] = |setup| {
        let hour = std::time::Duration::from_secs(3600);
        let good = UreqTransport::new(&setup.options().idle_timeout(hour))?;
        Ok(Subject::blocking(good))
    };
    ignores_the_connect_timeout ["time.connect_timeout"] = |setup| {
        let long = std::time::Duration::from_secs(5);
        Ok(Subject::blocking(UreqTransport::new(&setup.options().connect_timeout(long))?))
    };
    overflows_on_a_far_deadline ["time.far_deadline_does_no_harm"] =
        |setup| around(setup, |good, mut request| {
        if let Some(left) = Deadline::remaining(&request)? {
            // About 25 days overflow 32 bits of milliseconds.
            let left =
                i32::try_from(left.as_millis()).map_err(|_| other("the deadline is too far"))?;
            let left = std::time::Duration::from_millis(left.unsigned_abs().into());
            request.extensions_mut().insert(Deadline::after(left));
        }
        good.send(request)
    });
    continues_after_a_drop ["cancellation.dropped_while_waiting_closes"] = |setup| {
        Ok(Subject::asynchronous(OffThread::new(UreqTransport::new(&setup.options())?)))
    };
    sends_before_it_is_awaited ["cancellation.not_awaited_sends_nothing"] = |setup| {
        let good = UreqTransport::new(&setup.options())?;
        Ok(Subject::asynchronous(transport_fn(move |request| {
            let early = good.send(request).and_then(|response| {
                let (head, body) = response.into_parts();
                Ok(Response::from_parts(head, body.collect(1 << 20)?))
            });
            async move { early.map(|response| response.map(Into::into)) }
        })))
    };
    needs_a_runtime ["runtime.awaited_without_a_runtime"] = |setup| {
        let good = ReqwestTransport::new(&setup.options())?;
        Ok(Subject::asynchronous(transport_fn(move |request| {
            let good = good.clone();
            async move {
                tokio::task::yield_now().await;
                drop(Handle::current());
                good.send(request).await
            }
        })))
    };
    panics_in_a_runtime ["runtime.blocking_within_a_runtime"] = |setup| around(setup, |good, request| {
        assert!(Handle::try_current().is_err(), "broken");
        good.send(request)
    });
    /// Refuses every call after one that was dropped.
    breaks_after_a_drop ["cancellation.works_after_a_drop"] = |setup| {
        let good = ReqwestTransport::new(&setup.options())?;
        let is_busy = Arc::new(AtomicBool::new(false));
        Ok(Subject::asynchronous(transport_fn(move |request| {
            let (good, is_busy) = (good.clone(), Arc::clone(&is_busy));
            async move {
                if is_busy.swap(true, Ordering::SeqCst) {
                    return Err(other("busy"));
                }
                let response = good.send(request).await;
                is_busy.store(false, Ordering::SeqCst);
                response
            }
        })))
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
        let long = std::time::Duration::from_secs(6);
        let good = Arc::new(UreqTransport::new(&setup.options().connect_timeout(long))?);
        Ok(Subject::asynchronous(transport_fn(move |request| {
            let good = Arc::clone(&good);
            async move {
                let (answer, response) = tokio::sync::oneshot::channel();
                let call = std::thread::spawn(move || drop(answer.send(good.send(request))));
                let _joined = Joined(Some(call));
                let response = response.await.map_err(|_| other("no response"))??;
                let (head, body) = response.into_parts();
                Ok(Response::from_parts(head, body.collect(1 << 20)?.into()))
            }
        })))
    };
    /// Runs every call in the runtime of the first.
    keeps_its_first_runtime ["runtime.used_from_two_runtimes"] = |setup| {
        let good = ReqwestTransport::new(&setup.options())?;
        let first = Arc::new(OnceLock::new());
        Ok(Subject::asynchronous(transport_fn(move |request| {
            let (good, first) = (good.clone(), Arc::clone(&first));
            async move {
                let runtime = first.get_or_init(Handle::current).clone();
                let call = runtime.spawn(async move { good.send(request).await });
                call.await.map_err(|_| other("the runtime has ended"))?
            }
        })))
    };
}

fn without_the_deadline_of_the_body(
    good: &UreqTransport,
    mut request: Request,
) -> Result<BlockingResponse, TransportError> {
    if let Some(deadline) = Deadline::of(&request) {
        let hour = std::time::Duration::from_secs(3600);
        request.extensions_mut().insert(Deadline::after(hour).head_by(deadline.head()));
    }
    good.send(request)
}
