//! Transports that change the request: always, for one method or header, or after the first call.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use gateway_transport::{
    BlockingBody, BlockingTransport as _, Request, TransportError, TransportErrorKind,
};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, Response};
use methodical_testkit::conformance::Setup;

use crate::broken::support::{
    Built, address, around, built, edits, keep, lower, other, requests, set, uris,
};

/// The check of every method with and without a body.
const EVERY: &str = "request.every_method_with_and_without_a_body";

broken! {
    @requests:
    adds_a_header ["request.nothing_is_added"] = |request| set(request, "accept-encoding", "gzip");
    sends_expect_continue ["request.expect_continue_is_not_sent"] = |request| {
        if request.body().is_empty() { Ok(()) } else { set(request, "expect", "100-continue") }
    };
    writes_methods_in_upper_case [EVERY] = |request| {
        let upper = request.method().as_str().to_ascii_uppercase();
        *request.method_mut() = Method::from_bytes(upper.as_bytes()).map_err(|_| other("method"))?;
        Ok(())
    };
    adds_a_media_type_to_a_body [EVERY] = |request| {
        if request.body().is_empty() { Ok(()) } else { set(request, "content-type", "application/octet-stream") }
    };
    sends_bodies_in_chunks ["request.body_is_sent_with_its_length"] = |request| {
        if request.body().is_empty() { Ok(()) } else { set(request, "transfer-encoding", "chunked") }
    };
    cuts_long_header_values ["request.header_bytes_are_preserved"] = |request| {
        for value in request.headers_mut().values_mut() {
            if let Some(start) = value.as_bytes().get(..4096) {
                *value = HeaderValue::from_bytes(start).map_err(|_| other("no value"))?;
            }
        }
        Ok(())
    };
    replaces_headers ["request.header_values_keep_their_case"] = |request| {
        set(request, "accept", "*/*")?;
        set(request, "user-agent", "own/1")
    };
    adds_a_second_host ["request.given_host_is_not_doubled"] = |request| {
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let host = HeaderValue::from_str(&authority).map_err(|_| other("no host"))?;
        request.headers_mut().append("host", host);
        Ok(())
    };
    omits_the_port_of_the_host ["request.method_and_host"] = |request| {
        let host = request.uri().host().unwrap_or_default().to_owned();
        set(request, "host", &host)
    };
    refuses_an_empty_path ["request.empty_path_is_a_slash"] = |request| {
        let target = request.uri().path_and_query().map_or("", |target| target.as_str());
        if target.starts_with('/') { Ok(()) } else { Err(invalid("no path")) }
    };
    refuses_long_targets ["request.target_is_verbatim"] = |request| {
        let length = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
        if length > 2083 { Err(invalid("the target is too long")) } else { Ok(()) }
    };
    sends_the_password_of_a_uri ["secrecy.password_of_an_address_is_not_sent"] = |request| {
        let uri = request.uri().to_string();
        let Some((user, rest)) = uri.strip_prefix("http://").and_then(|rest| rest.split_once('@')) else {
            return Ok(());
        };
        address(request, &format!("http://{rest}"))?;
        set(request, "authorization", user)
    };

    @changes_one_method:
    drops_the_body_of_a_delete [EVERY] = ("DELETE", |request| { request.body_mut().clear(); Ok(()) });
    drops_the_body_of_a_get [EVERY] = ("GET", |request| { request.body_mut().clear(); Ok(()) });
    drops_the_body_of_an_unknown_method [EVERY] = ("PURGE", |request| { request.body_mut().clear(); Ok(()) });
    adds_a_header_to_a_post [EVERY] = ("POST", |request| set(request, "x-requested-with", "kit"));
    adds_a_header_to_a_delete [EVERY] = ("DELETE", |request| set(request, "x-requested-with", "kit"));
    sends_a_length_with_get ["request.nothing_is_added"] =
        ("GET", |request| set(request, "content-length", "0"));

    @lowers:
    lowers_request_values ["request.header_values_keep_their_case"] = |name| name != AUTHORIZATION;
    lowers_the_content_type_of_a_request ["request.header_values_keep_their_case"] =
        |name| name == CONTENT_TYPE;
    lowers_if_none_match ["request.header_values_keep_their_case"] = |name| name == "if-none-match";
    lowers_a_content_disposition ["request.header_values_keep_their_case"] =
        |name| name == "content-disposition";

    @keeps:
    drops_empty_headers ["request.empty_header_is_sent"] = |value| !value.is_empty();
    drops_sensitive_headers ["request.header_bytes_are_preserved"] = |value| !value.is_sensitive();

    @uris:
    decodes_unreserved_characters ["request.target_is_verbatim"] =
        |uri| uri.replace("%7E", "~").replace("%2d", "-");
    writes_escapes_in_upper_case ["request.target_is_verbatim"] =
        |uri| uri.replace("%ac", "%AC").replace("%2d", "%2D");
    rewrites_the_target [
        "request.target_is_verbatim",
        "request.odd_target_is_verbatim_or_refused",
        "request.empty_query_is_kept",
    ] = |uri| {
        let uri = uri.replace("%20", "+").replace('\'', "%27");
        uri.strip_suffix('?').unwrap_or(&uri).to_owned()
    };
    truncates_a_port ["request.invalid_ports_are_refused"] = |uri| {
        let digits = uri.strip_prefix("http://127.0.0.1:").unwrap_or_default();
        let digits = digits.trim_end_matches(|byte: char| !byte.is_ascii_digit());
        digits.parse::<u64>().map_or(uri, |port| format!("http://127.0.0.1:{}/", port & 0xffff))
    };
    sends_every_scheme_as_http ["request.other_schemes_are_refused"] = |uri| match uri.split_once("://") {
        Some((scheme, rest)) if scheme != "https" => format!("http://{rest}"),
        _ => uri,
    };
    completes_relative_addresses ["request.relative_addresses_are_refused"] = |uri| {
        if uri.contains("://") { uri } else { format!("http://no-such-host.invalid{uri}") }
    };

    @returns:
    keeps_cookies ["request.nothing_of_a_response_is_kept"] = ("set-cookie", "cookie");
    revalidates_responses ["request.nothing_of_a_response_is_kept"] = ("etag", "if-none-match");

    @built:
    adds_a_header_to_every_request_but_the_first [EVERY] = |setup| {
        let is_first = AtomicBool::new(true);
        requests(setup, move |request| {
            let is_first = is_first.swap(false, Ordering::SeqCst);
            if is_first { Ok(()) } else { set(request, "accept-encoding", "gzip") }
        })
    };
    keeps_responses ["request.nothing_of_a_response_is_kept"] = |setup| {
        let kept = Mutex::new(HashMap::new());
        around(setup, move |good, request| {
            let mut kept = kept.lock().map_err(|_| other("poisoned"))?;
            let target = request.uri().to_string();
            if let Some(response) = kept.get(&target).cloned() {
                return Ok(Response::map(response, BlockingBody::from));
            }
            let (head, body) = good.send(request)?.into_parts();
            let response = Response::from_parts(head, body.collect(1 << 20)?);
            if response.headers().contains_key("cache-control") {
                kept.insert(target, response.clone());
            }
            Ok(response.map(BlockingBody::from))
        })
    };
    remembers_the_token ["secrecy.token_is_for_one_request"] = |setup| {
        let token = Mutex::new(None::<HeaderValue>);
        requests(setup, move |request| {
            let mut token = token.lock().map_err(|_| other("poisoned"))?;
            *token = request.headers().get(AUTHORIZATION).or(token.as_ref()).cloned();
            request.headers_mut().extend(token.clone().map(|token| (AUTHORIZATION, token)));
            Ok(())
        })
    };
    sends_a_referer ["request.nothing_of_a_response_is_kept"] = |setup| {
        let last = Mutex::new(None::<String>);
        requests(setup, move |request| {
            let last = last.lock().map_err(|_| other("poisoned"))?.replace(request.uri().to_string());
            last.map_or(Ok(()), |last| set(request, "referer", &last))
        })
    };

    @around:
    /// Sends HEAD as GET, and drops the body.
    sends_head_as_get ["request.head_is_sent_as_head"] = |good, mut request| {
        if request.method() != Method::HEAD {
            return good.send(request);
        }
        *request.method_mut() = Method::GET;
        Ok(good.send(request)?.map(|_| BlockingBody::default()))
    };

    @edits:
    drops_connection_headers ["request.connection_headers_arrive_or_are_refused"] = |request| {
        for name in ["keep-alive", "proxy-connection", "te", "trailer", "upgrade"] {
            request.headers_mut().remove(name);
        }
    };
    drops_the_credentials_of_a_proxy ["request.connection_headers_arrive_or_are_refused"] = |request| {
        request.headers_mut().remove("proxy-authorization");
    };
    supports_four_methods [EVERY] = |request| {
        if !["GET", "HEAD", "POST", "PUT"].contains(&request.method().as_str()) {
            *request.method_mut() = Method::GET;
        }
    };
    sends_a_put_as_a_post_without_a_body [EVERY] = |request| {
        if request.method() == Method::PUT && request.body().is_empty() {
            *request.method_mut() = Method::POST;
        }
    };
    ends_a_body_at_a_nul [EVERY] = |request| {
        let end = request.body().iter().position(|byte| *byte == 0);
        request.body_mut().truncate(end.unwrap_or(usize::MAX));
    };
    sends_a_body_as_text [EVERY] = |request| {
        *request.body_mut() = String::from_utf8_lossy(request.body()).into_owned().into();
    };
    truncates_a_body_to_64_kib [EVERY] = |request| {
        request.body_mut().truncate(64 << 10);
    };
    sends_fifty_headers_at_most ["request.header_bytes_are_preserved"] = |request| {
        let headers = std::mem::take(request.headers_mut());
        request.headers_mut().extend(headers.into_iter().take(50));
    };
}

type Change = fn(&mut Request) -> Result<(), TransportError>;

fn changes_one_method(setup: &Setup, (method, change): (&'static str, Change)) -> Built {
    requests(
        setup,
        move |request| {
            if request.method().as_str() == method { change(request) } else { Ok(()) }
        },
    )
}

fn lowers(setup: &Setup, which: fn(&HeaderName) -> bool) -> Built {
    requests(setup, move |request| {
        lower(request.headers_mut(), which);
        Ok(())
    })
}

fn keeps(setup: &Setup, which: fn(&HeaderValue) -> bool) -> Built {
    requests(setup, move |request| {
        keep(request.headers_mut(), which);
        Ok(())
    })
}

/// Sends a header of a response in a header of the next request.
fn returns(setup: &Setup, (received, sent): (&'static str, &'static str)) -> Built {
    let kept = Mutex::new(None::<HeaderValue>);
    around(setup, move |good, mut request| {
        let mut kept = kept.lock().map_err(|_| other("poisoned"))?;
        let sent = kept.take().map(|value| (HeaderName::from_static(sent), value));
        request.headers_mut().extend(sent);
        let response = good.send(request)?;
        *kept = response.headers().get(received).cloned();
        Ok(response)
    })
}

fn invalid(text: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::InvalidRequest, text)
}
