//! Transports that break a promise only sometimes: for one method, at one point of a call, or beside another setting.

use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingTransport as _, Deadline, Options, Phase, Request, Sent, TransportError,
    TransportErrorKind, blocking_transport_fn,
};
use http::{HeaderName, HeaderValue, Method, Response};
use methodical_testkit::conformance::{Setup, Subject};

use crate::broken::Broken;
use crate::broken::support::{around, other};

macro_rules! broken_by {
    ($(#[$attribute:meta])* $list:ident, $by:ident: $($name:ident $([$fails:literal])+ = $break:expr;)+) => {
        $(#[$attribute])*
        pub(crate) const $list: &[Broken] = &[$(Broken {
            name: stringify!($name),
            factory: |setup| $by(setup, $break),
            fails: &[$($fails),+],
        }),+];
    };
}

broken_by! {
    /// Transports that change an error, given the method of its request.
    ERRORS, changes_errors:
    reports_a_late_head_as_unsent ["errors.sent_and_phase_of_each_failure"] = |_, error| {
        if is_of_head(&error, TransportErrorKind::Timeout) { error.with_sent(Sent::No) } else { error }
    };
    reports_a_late_post_as_unsent ["errors.sent_and_phase_of_each_failure"] = |method, error| {
        let is_late = is_of_head(&error, TransportErrorKind::Timeout);
        if is_late && method == Method::POST { error.with_sent(Sent::No) } else { error }
    };
    reports_a_lost_head_as_unsent
        ["errors.sent_and_phase_of_each_failure"]
        ["errors.closed_before_the_head"]
        ["connections.reused_connection_that_dies"] = |_, error| {
        if is_of_head(&error, TransportErrorKind::Interrupted) { error.with_sent(Sent::No) } else { error }
    };
    reports_a_lost_post_as_unsent ["errors.sent_and_phase_of_each_failure"] = |method, error| {
        let is_lost = is_of_head(&error, TransportErrorKind::Interrupted);
        if is_lost && method == Method::POST { error.with_sent(Sent::No) } else { error }
    };
    reports_a_malformed_head_as_unsent ["errors.sent_and_phase_of_each_failure"] = |_, error| {
        if is_of_head(&error, TransportErrorKind::Protocol) { error.with_sent(Sent::No) } else { error }
    };
    reports_a_large_head_as_unsent ["errors.sent_and_phase_of_each_failure"] = |_, error| {
        if is_of_head(&error, TransportErrorKind::TooLarge) { error.with_sent(Sent::No) } else { error }
    };
    reports_a_failed_body_as_unsent ["errors.sent_and_phase_of_each_failure"] = |_, error| {
        if error.phase() == Phase::Body { error.with_sent(Sent::No) } else { error }
    };
    reports_a_late_body_as_unsent ["errors.sent_and_phase_of_each_failure"] = |_, error| {
        let is_late = error.kind() == TransportErrorKind::Timeout && error.phase() == Phase::Body;
        if is_late { error.with_sent(Sent::No) } else { error }
    };
    reports_a_late_body_for_the_head ["errors.sent_and_phase_of_each_failure"] = |_, error| {
        if error.kind() == TransportErrorKind::Timeout { error.with_phase(Phase::Head) } else { error }
    };
    reports_a_lost_body_for_the_head
        ["errors.sent_and_phase_of_each_failure"]
        ["body.failure_is_of_the_body"] = |_, error| {
        if error.kind() == TransportErrorKind::Interrupted { error.with_phase(Phase::Head) } else { error }
    };
    reports_a_late_head_for_the_body ["errors.sent_and_phase_of_each_failure"] = |_, error| {
        if error.kind() == TransportErrorKind::Timeout { error.with_phase(Phase::Body) } else { error }
    };
    reports_a_lost_head_as_a_failed_connection
        ["errors.sent_and_phase_of_each_failure"] = |_, error| {
        let is_lost = is_of_head(&error, TransportErrorKind::Interrupted);
        if is_lost { error.with_phase(Phase::Connect) } else { error }
    };
}

broken_by! {
    /// Transports that change a request, given whether it is the first.
    REQUESTS, changes_requests:
    adds_a_header_to_a_post ["request.every_method_with_and_without_a_body"] = |request, _| {
        if request.method() == Method::POST {
            add(request, "x-requested-with", "kit");
        }
    };
    adds_a_header_to_a_delete ["request.every_method_with_and_without_a_body"] = |request, _| {
        if request.method() == Method::DELETE {
            add(request, "x-requested-with", "kit");
        }
    };
    adds_a_media_type_to_a_body ["request.every_method_with_and_without_a_body"] = |request, _| {
        if !request.body().is_empty() {
            add(request, "content-type", "application/octet-stream");
        }
    };
    adds_a_header_to_every_request_but_the_first
        ["request.every_method_with_and_without_a_body"] = |request, is_first| {
        if !is_first {
            add(request, "accept-encoding", "gzip");
        }
    };
    drops_the_body_of_a_delete ["request.every_method_with_and_without_a_body"] = |request, _| {
        if request.method() == Method::DELETE {
            request.body_mut().clear();
        }
    };
    drops_the_body_of_a_get ["request.every_method_with_and_without_a_body"] = |request, _| {
        if request.method() == Method::GET {
            request.body_mut().clear();
        }
    };
    drops_the_body_of_an_unknown_method
        ["request.every_method_with_and_without_a_body"] = |request, _| {
        if request.method().as_str() == "PURGE" {
            request.body_mut().clear();
        }
    };
    ends_a_body_at_a_nul ["request.every_method_with_and_without_a_body"] = |request, _| {
        let end = request.body().iter().position(|byte| *byte == 0);
        request.body_mut().truncate(end.unwrap_or(usize::MAX));
    };
    sends_a_body_as_text ["request.every_method_with_and_without_a_body"] = |request, _| {
        *request.body_mut() = String::from_utf8_lossy(request.body()).into_owned().into();
    };
    truncates_a_body_to_64_kib ["request.every_method_with_and_without_a_body"] = |request, _| {
        request.body_mut().truncate(64 << 10);
    };
    sends_a_put_as_a_post_without_a_body
        ["request.every_method_with_and_without_a_body"] = |request, _| {
        if request.method() == Method::PUT && request.body().is_empty() {
            *request.method_mut() = Method::POST;
        }
    };
    lowers_if_none_match ["request.header_values_keep_their_case"] = |request, _| {
        lower(request.headers_mut(), "if-none-match");
    };
    lowers_a_content_disposition ["request.header_values_keep_their_case"] = |request, _| {
        lower(request.headers_mut(), "content-disposition");
    };
}

broken_by! {
    /// Transports that send a request again if a call after the first loses its connection.
    AGAIN, sends_again:
    sends_again_on_a_reused_connection ["connections.reused_connection_that_dies"] = |_, _| true;
    sends_a_post_again_on_a_reused_connection
        ["connections.reused_connection_that_dies"] = |method, _| method == Method::POST;
    sends_a_get_again_on_a_reused_connection
        ["connections.reused_connection_that_dies"] = |method, _| method == Method::GET;
    sends_again_after_a_lost_body
        ["connections.reused_connection_that_dies"] = |_, phase| phase == Phase::Body;
}

broken_by! {
    /// Transports with other settings for some requests.
    SETTINGS, changes_settings:
    ignores_the_idle_timeout_beside_a_deadline
        ["time.idle_timeout_beside_a_deadline"] = |request, options| {
        Deadline::of(request).map(|_| options.idle_timeout(LONG))
    };
    ignores_the_idle_timeout_beside_a_deadline_of_the_head
        ["time.idle_timeout_beside_a_deadline"] = |request, options| {
        let deadline = Deadline::of(request)?;
        (deadline.head() < deadline.instant()).then(|| options.idle_timeout(LONG))
    };
    ignores_the_idle_timeout_of_a_post ["time.idle_timeout_beside_a_deadline"] = |request, options| {
        (request.method() == Method::POST).then(|| options.idle_timeout(LONG))
    };
    ignores_the_connect_timeout_beside_a_deadline ["time.connect_timeout"] = |request, options| {
        Deadline::of(request).map(|_| options.connect_timeout(LONG))
    };
}

broken_by! {
    /// Transports that handle some dropped bodies wrongly.
    DROPS, drops_bodies:
    drains_small_bodies ["memory.small_dropped_body_closes"] = |body, _| drain(body);
    drains_bodies_that_were_begun
        ["memory.small_dropped_body_closes"] = |body, read| if read > 0 { drain(body); };
    drains_bodies_that_nobody_read
        ["memory.small_dropped_body_closes"] = |body, read| if read == 0 { drain(body); };
    drains_bodies_on_a_thread ["memory.small_dropped_body_closes"] = |body, _| {
        std::thread::spawn(move || drain(body));
    };
    keeps_bodies_that_were_begun_open
        ["memory.small_dropped_body_closes"]
        ["memory.body_dropped_half_read_closes"] = |body, read| {
        if read > 0 {
            std::mem::forget(body);
        }
    };
}

broken_by! {
    /// Transports that send the `Host` of another request.
    HOSTS, changes_hosts:
    sends_the_first_host ["connections.authorities_do_not_share_connections"] = |first, _| first;
    sends_the_name_of_the_first_host
        ["connections.authorities_do_not_share_connections"] = |first, port| {
        let name = first.rsplit_once(':').map_or("", |(name, _)| name);
        format!("{name}:{port}")
    };
}

fn changes_errors(
    setup: &Setup,
    change: fn(&Method, TransportError) -> TransportError,
) -> Result<Subject, TransportError> {
    around(setup, move |good, request| {
        let method = request.method().clone();
        let response = good.send(request).map_err(|error| change(&method, error))?;
        Ok(response.map(|body| {
            BlockingBody::with_errors(body, move |error| {
                change(&method, TransportError::from_io(error))
            })
        }))
    })
}

fn changes_requests(
    setup: &Setup,
    change: fn(&mut Request, bool),
) -> Result<Subject, TransportError> {
    let is_first = AtomicBool::new(true);
    around(setup, move |good, mut request| {
        change(&mut request, is_first.swap(false, Ordering::SeqCst));
        good.send(request)
    })
}

fn sends_again(
    setup: &Setup,
    whether: fn(&Method, Phase) -> bool,
) -> Result<Subject, TransportError> {
    let has_connection = AtomicBool::new(false);
    around(setup, move |good, request| {
        let send = || {
            let (head, body) = good.send(request.clone())?.into_parts();
            Ok(Response::from_parts(head, body.collect(1 << 20)?.into()))
        };
        let response = send().or_else(|error: TransportError| {
            let is_again = error.kind() == TransportErrorKind::Interrupted
                && has_connection.load(Ordering::SeqCst)
                && whether(request.method(), error.phase());
            if is_again { send() } else { Err(error) }
        });
        has_connection.store(response.is_ok(), Ordering::SeqCst);
        response
    })
}

fn changes_settings(
    setup: &Setup,
    change: fn(&Request, Options) -> Option<Options>,
) -> Result<Subject, TransportError> {
    let options = setup.options();
    let good = UreqTransport::new(&options)?;
    Ok(Subject::blocking(blocking_transport_fn(move |request| {
        match change(&request, options.clone()) {
            Some(options) => UreqTransport::new(&options)?.send(request),
            None => good.send(request),
        }
    })))
}

fn drops_bodies(setup: &Setup, end: fn(BlockingBody, usize)) -> Result<Subject, TransportError> {
    struct Dropped(BlockingBody, usize, fn(BlockingBody, usize));
    impl Read for Dropped {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(buffer)?;
            self.1 += count;
            Ok(count)
        }
    }
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.2(std::mem::take(&mut self.0), self.1);
        }
    }
    around(setup, move |good, request| {
        Ok(good.send(request)?.map(|body| BlockingBody::new(Dropped(body, 0, end))))
    })
}

fn changes_hosts(
    setup: &Setup,
    host: fn(String, u16) -> String,
) -> Result<Subject, TransportError> {
    let first = Mutex::new(None::<String>);
    around(setup, move |good, mut request| {
        let authority = request.uri().authority().cloned().ok_or_else(|| other("no authority"))?;
        let mut first = first.lock().map_err(|_| other("poisoned"))?;
        let first = first.get_or_insert_with(|| authority.to_string()).clone();
        add(&mut request, "host", &host(first, authority.port_u16().unwrap_or(80)));
        good.send(request)
    })
}

/// Reads up to 64 KiB.
fn drain(body: BlockingBody) {
    drop(body.collect(64 << 10));
}

fn is_of_head(error: &TransportError, kind: TransportErrorKind) -> bool {
    error.kind() == kind && error.phase() == Phase::Head
}

fn add(request: &mut Request, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        request.headers_mut().insert(HeaderName::from_static(name), value);
    }
}

fn lower(headers: &mut http::HeaderMap, name: &str) {
    if let Some(value) = headers.get_mut(name) {
        let lower = HeaderValue::from_bytes(&value.as_bytes().to_ascii_lowercase());
        *value = lower.unwrap_or_else(|_| HeaderValue::from_static(""));
    }
}

const LONG: Duration = Duration::from_secs(3600);
