//! Transports that connect incorrectly, follow redirects, or retry.

use std::io::Read as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingResponse, BlockingTransport as _, Options, Phase, Proxy, Request, TransportError,
    TransportErrorKind, blocking_transport_fn,
};
use http::{Method, Response};
use methodical_testkit::conformance::{Setup, Subject};

use crate::broken::support::{Built, address, around, built, other, requests, set, uris, whole};

broken! {
    @around:
    follows_redirects ["response.redirects_are_not_followed"] = |good, request| {
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        follow(good, request, &format!("http://{authority}"))
    };
    follows_redirects_to_other_hosts [
        "secrecy.redirects_get_no_credentials",
        "tls.redirect_to_plain_text_is_not_followed",
    ] = |good, request| follow(good, request, "");
    retries ["response.nothing_is_retried", "errors.closed_before_the_head"] =
        |good, request| match good.send(request.clone()) {
        Ok(response) if response.status() != 503 => Ok(response),
        _ => good.send(request),
    };
    sends_a_post_again_after_408 ["response.nothing_is_retried"] =
        |good, request| match good.send(request.clone()) {
        Ok(response) if response.status() == 408 && request.method() == Method::POST => good.send(request),
        outcome => outcome,
    };
    /// Requests the rest of a truncated body, and joins the two parts.
    resumes_a_body ["connections.reused_connection_that_dies"] = |good, request| {
        let (head, mut body) = good.send(request.clone())?.into_parts();
        let (mut received, mut request) = (Vec::new(), request);
        let Err(lost) = body.read_to_end(&mut received) else {
            return Ok(Response::from_parts(head, received.into()));
        };
        set(&mut request, "range", &format!("bytes={}-", received.len()))?;
        let rest = good.send(request)?;
        if rest.status() != 206 {
            return Err(TransportError::from_io(lost));
        }
        received.extend_from_slice(&rest.into_body().collect(1 << 20)?);
        Ok(Response::from_parts(head, received.into()))
    };

    @built:
    leaks_connections ["memory.calls_leave_nothing_behind"] = |setup| {
        let options = setup.options();
        Ok(Subject::blocking(blocking_transport_fn(move |request| {
            let each = UreqTransport::new(&options)?;
            let response = each.send(request);
            std::mem::forget(each);
            response
        })))
    };
    connects_each_time [
        "connections.connection_is_reused",
        "connections.connection_is_reused_after_chunks",
        "tls.sessions_are_reused",
    ] = |setup| {
        let options = setup.options();
        Ok(Subject::blocking(blocking_transport_fn(move |request| {
            UreqTransport::new(&options)?.send(request)
        })))
    };
    sends_one_at_a_time ["connections.requests_run_side_by_side"] = |setup| {
        let turn = Mutex::new(());
        around(setup, move |good, request| {
            let _turn = turn.lock();
            good.send(request)
        })
    };
    /// Trusts only the system's authorities.
    ignores_the_extra_root ["tls.trusted_certificate_is_accepted"] = |setup| {
        let options = Options::default()
            .connect_timeout(setup.connect_timeout)
            .idle_timeout(setup.idle_timeout)
            .proxy(Proxy::Never);
        Ok(Subject::blocking(UreqTransport::new(&options)?))
    };

    @uris:
    /// Tries only the IPv6 address of `localhost`. The server listens on the other one.
    tries_one_address ["connections.every_address_of_a_name_is_tried"] =
        |uri| uri.replacen("//localhost", "//[::1]", 1);
    /// Connects over TLS to the address of `localhost`, without its name.
    hides_the_server_name ["tls.server_name_is_sent"] =
        |uri| uri.replacen("https://localhost", "https://127.0.0.1", 1);

    @changes_hosts:
    sends_the_first_host ["connections.authorities_do_not_share_connections"] = |first, _| first;
    sends_the_name_of_the_first_host ["connections.authorities_do_not_share_connections"] = |first, port| {
        let name = first.rsplit_once(':').map_or("", |(name, _)| name);
        format!("{name}:{port}")
    };

    @sends_again:
    sends_again_on_a_reused_connection ["connections.reused_connection_that_dies"] = |_, _| true;
    sends_a_post_again_on_a_reused_connection ["connections.reused_connection_that_dies"] =
        |method, _| method == Method::POST;
    sends_a_get_again_on_a_reused_connection ["connections.reused_connection_that_dies"] =
        |method, _| method == Method::GET;
    sends_again_after_a_lost_body ["connections.reused_connection_that_dies"] =
        |_, phase| phase == Phase::Body;
}

/// Sends a request, and then another one to the target of a redirect, after this text.
fn follow(
    good: &UreqTransport,
    mut request: Request,
    before: &str,
) -> Result<BlockingResponse, TransportError> {
    let response = good.send(request.clone())?;
    let Some(location) = response.headers().get("location") else { return Ok(response) };
    address(&mut request, &format!("{before}{}", location.to_str().unwrap_or_default()))?;
    good.send(request)
}

/// Sends a request again if a call after the first loses its connection.
fn sends_again(setup: &Setup, whether: fn(&Method, Phase) -> bool) -> Built {
    let has_connection = AtomicBool::new(false);
    around(setup, move |good, request| {
        let send = || good.send(request.clone()).and_then(whole);
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

/// Sends a `Host` computed from the first request's `Host` and this request's port.
fn changes_hosts(setup: &Setup, host: fn(String, u16) -> String) -> Built {
    let first = Mutex::new(None::<String>);
    requests(setup, move |request| {
        let authority = request.uri().authority().cloned().ok_or_else(|| other("no authority"))?;
        let mut first = first.lock().map_err(|_| other("poisoned"))?;
        let first = first.get_or_insert_with(|| authority.to_string()).clone();
        set(request, "host", &host(first, authority.port_u16().unwrap_or(80)))
    })
}
