//! Transports that connect, follow redirects or retry wrongly.

use std::sync::Mutex;

use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingResponse, BlockingTransport, Options, Proxy, Request, TransportError,
    blocking_transport_fn,
};
use methodical_testkit::conformance::Subject;

use crate::broken::support::{around, other};

broken! { CONNECTIONS:
    follows_redirects ["response.redirects_are_not_followed"] = |setup| around(setup, |good, request| {
        let response = good.send(request.clone())?;
        let Some(location) = response.headers().get("location") else { return Ok(response) };
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let target = format!("http://{authority}{}", location.to_str().unwrap_or_default());
        let mut next = request;
        *next.uri_mut() = target.parse().map_err(|_| other("no address"))?;
        good.send(next)
    });
    follows_redirects_to_other_hosts [
        "secrecy.redirects_get_no_credentials",
        "tls.redirect_to_plain_text_is_not_followed",
    ] = |setup| around(setup, |good, request| {
        let response = good.send(request.clone())?;
        let Some(location) = response.headers().get("location") else { return Ok(response) };
        let mut next = request;
        *next.uri_mut() =
            location.to_str().unwrap_or_default().parse().map_err(|_| other("no address"))?;
        good.send(next)
    });
    retries ["response.nothing_is_retried", "errors.closed_before_the_head"] =
        |setup| around(setup, |good, request| match good.send(request.clone()) {
        Ok(response) if response.status() != 503 => Ok(response),
        _ => good.send(request),
    });
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
            let turn = turn.lock();
            let response = good.send(request);
            drop(turn);
            response
        })
    };
    reveals_a_token_in_its_name ["secrecy.debug_reveals_nothing"] = |setup| {
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
    };
    /// Tries only the IPv6 address of `localhost`. The server listens on the other one.
    tries_one_address ["connections.every_address_of_a_name_is_tried"] =
        |setup| around(setup, |good, request| good.send(with_host(request, "[::1]")?));
    /// Connects over TLS to the address of `localhost`, without its name.
    hides_the_server_name ["tls.server_name_is_sent"] =
        |setup| around(setup, |good, request| match request.uri().scheme_str() {
        Some("https") => good.send(with_host(request, "127.0.0.1")?),
        _ => good.send(request),
    });
    /// Trusts only the authorities of the system.
    ignores_the_extra_root ["tls.trusted_certificate_is_accepted"] = |setup| {
        let options = Options::default()
            .connect_timeout(setup.connect_timeout)
            .idle_timeout(setup.idle_timeout)
            .proxy(Proxy::Never);
        Ok(Subject::blocking(UreqTransport::new(&options)?))
    };
}

/// Replaces the host name `localhost` of a request.
fn with_host(mut request: Request, host: &str) -> Result<Request, TransportError> {
    let text = request.uri().to_string().replacen("//localhost", &format!("//{host}"), 1);
    *request.uri_mut() = text.parse().map_err(|_| other("no address"))?;
    Ok(request)
}
