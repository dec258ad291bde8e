//! Transports that change the request.

use std::collections::HashMap;
use std::sync::Mutex;

use gateway_transport::{BlockingBody, BlockingTransport as _, TransportError, TransportErrorKind};
use http::{HeaderMap, HeaderValue, Response};

use crate::broken::support::{around, other};

broken! { REQUESTS:
    adds_a_header ["request.nothing_is_added"] = |setup| around(setup, |good, mut request| {
        request.headers_mut().insert("accept-encoding", HeaderValue::from_static("gzip"));
        good.send(request)
    });
    sends_expect_continue ["request.expect_continue_is_not_sent"] =
        |setup| around(setup, |good, mut request| {
        if !request.body().is_empty() {
            request.headers_mut().insert("expect", HeaderValue::from_static("100-continue"));
        }
        good.send(request)
    });
    keeps_cookies ["request.nothing_of_a_response_is_kept"] = |setup| {
        let kept = Mutex::new(None::<HeaderValue>);
        around(setup, move |good, mut request| {
            let mut kept = kept.lock().map_err(|_| other("poisoned"))?;
            if let Some(cookie) = &*kept {
                request.headers_mut().insert("cookie", cookie.clone());
            }
            let response = good.send(request)?;
            *kept = response.headers().get("set-cookie").cloned();
            Ok(response)
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
    revalidates_responses ["request.nothing_of_a_response_is_kept"] = |setup| {
        let kept = Mutex::new(None::<HeaderValue>);
        around(setup, move |good, mut request| {
            let mut kept = kept.lock().map_err(|_| other("poisoned"))?;
            if let Some(tag) = &*kept {
                request.headers_mut().insert("if-none-match", tag.clone());
            }
            let response = good.send(request)?;
            *kept = response.headers().get("etag").cloned();
            Ok(response)
        })
    };
    drops_connection_headers ["request.connection_headers_arrive_or_are_refused"] =
        |setup| around(setup, |good, mut request| {
        for name in ["keep-alive", "proxy-connection", "te", "trailer", "upgrade"] {
            request.headers_mut().remove(name);
        }
        good.send(request)
    });
    drops_the_credentials_of_a_proxy ["request.connection_headers_arrive_or_are_refused"] =
        |setup| around(setup, |good, mut request| {
        request.headers_mut().remove("proxy-authorization");
        good.send(request)
    });
    decodes_unreserved_characters ["request.target_is_verbatim"] =
        |setup| around(setup, |good, mut request| {
        let text = request.uri().to_string().replace("%7E", "~").replace("%2d", "-");
        *request.uri_mut() = text.parse().map_err(|_| other("no address"))?;
        good.send(request)
    });
    writes_escapes_in_upper_case ["request.target_is_verbatim"] =
        |setup| around(setup, |good, mut request| {
        let text = request.uri().to_string().replace("%ac", "%AC").replace("%2d", "%2D");
        *request.uri_mut() = text.parse().map_err(|_| other("no address"))?;
        good.send(request)
    });
    supports_four_methods ["request.every_method_with_and_without_a_body"] =
        |setup| around(setup, |good, mut request| {
        if !["GET", "HEAD", "POST", "PUT"].contains(&request.method().as_str()) {
            *request.method_mut() = http::Method::GET;
        }
        good.send(request)
    });
    drops_empty_headers ["request.empty_header_is_sent"] = |setup| around(setup, |good, mut request| {
        let all = std::mem::take(request.headers_mut());
        let full = all.iter().filter(|(_, value)| !value.is_empty());
        request.headers_mut().extend(full.map(|(name, value)| (name.clone(), value.clone())));
        good.send(request)
    });
    adds_a_second_host ["request.given_host_is_not_doubled"] = |setup| around(setup, |good, mut request| {
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let host = HeaderValue::from_str(&authority).map_err(|_| other("no host"))?;
        request.headers_mut().append("host", host);
        good.send(request)
    });
    truncates_a_port ["request.invalid_ports_are_refused"] = |setup| around(setup, |good, mut request| {
        let text = request.uri().to_string();
        if let Some(rest) = text.strip_prefix("http://127.0.0.1:") {
            let digits = rest.trim_end_matches(|byte: char| !byte.is_ascii_digit());
            let port: u64 = digits.parse().map_err(|_| other("no port"))?;
            let text = format!("http://127.0.0.1:{}/", port & 0xffff);
            *request.uri_mut() = text.parse().map_err(|_| other("no address"))?;
        }
        good.send(request)
    });
    refuses_an_empty_path ["request.empty_path_is_a_slash"] = |setup| around(setup, |good, request| {
        let target = request.uri().path_and_query().map_or("", |target| target.as_str());
        if !target.starts_with('/') {
            return Err(TransportError::new(TransportErrorKind::InvalidRequest, "no path"));
        }
        good.send(request)
    });
    replaces_headers ["request.accept_is_not_replaced", "request.user_agent_is_not_replaced"] =
        |setup| around(setup, |good, mut request| {
        request.headers_mut().insert("accept", HeaderValue::from_static("*/*"));
        request.headers_mut().insert("user-agent", HeaderValue::from_static("own/1"));
        good.send(request)
    });
    keeps_one_header_per_name [
        "request.repeated_headers_keep_their_order",
        "response.repeated_headers_are_kept",
    ] = |setup| {
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
    };
    rewrites_the_target [
        "request.target_is_verbatim",
        "request.odd_target_is_verbatim_or_refused",
        "request.empty_query_is_kept",
    ] = |setup| around(setup, |good, mut request| {
        let text = request.uri().to_string();
        let text = text.replace("%20", "+").replace('\'', "%27");
        let text = text.strip_suffix('?').unwrap_or(&text);
        *request.uri_mut() = text.parse().map_err(|_| other("no address"))?;
        good.send(request)
    });
    remembers_the_token ["secrecy.token_is_for_one_request"] = |setup| {
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
    };
    sends_a_referer ["secrecy.no_referer_is_sent"] = |setup| {
        let last = Mutex::new(None::<HeaderValue>);
        around(setup, move |good, mut request| {
            let here = HeaderValue::from_str(&request.uri().to_string()).ok();
            let mut last = last.lock().map_err(|_| other("poisoned"))?;
            if let Some(before) = std::mem::replace(&mut *last, here) {
                request.headers_mut().insert("referer", before);
            }
            drop(last);
            good.send(request)
        })
    };
    sends_the_password_of_a_uri ["secrecy.password_of_an_address_is_not_sent"] =
        |setup| around(setup, |good, mut request| {
        let text = request.uri().to_string();
        if let Some((user, rest)) = text.strip_prefix("http://").and_then(|t| t.split_once('@')) {
            *request.uri_mut() = format!("http://{rest}").parse().map_err(|_| other("none"))?;
            let credentials = HeaderValue::from_str(user).map_err(|_| other("none"))?;
            request.headers_mut().insert("authorization", credentials);
        }
        good.send(request)
    });
    omits_the_port_of_the_host ["request.method_and_host"] = |setup| around(setup, |good, mut request| {
        let host = request.uri().host().unwrap_or_default().to_owned();
        let host = HeaderValue::from_str(&host).map_err(|_| other("no host"))?;
        request.headers_mut().insert("host", host);
        good.send(request)
    });
    sends_a_length_with_get ["request.get_has_no_body_framing"] = |setup| around(setup, |good, mut request| {
        if request.method() == http::Method::GET {
            request.headers_mut().insert("content-length", HeaderValue::from_static("0"));
        }
        good.send(request)
    });
    truncates_large_headers ["request.large_header_arrives_whole"] =
        |setup| around(setup, |good, mut request| {
        for value in request.headers_mut().values_mut() {
            if let Some(start) = value.as_bytes().get(..4096) {
                *value = HeaderValue::from_bytes(start).map_err(|_| other("no value"))?;
            }
        }
        good.send(request)
    });
    sends_bodies_in_chunks ["request.body_is_sent_with_its_length"] =
        |setup| around(setup, |good, mut request| {
        if !request.body().is_empty() {
            let chunked = HeaderValue::from_static("chunked");
            request.headers_mut().insert("transfer-encoding", chunked);
        }
        good.send(request)
    });
    /// Sends HEAD as GET, and drops the body.
    sends_head_as_get ["request.head_is_sent_as_head"] = |setup| around(setup, |good, mut request| {
        if request.method() != http::Method::HEAD {
            return good.send(request);
        }
        *request.method_mut() = http::Method::GET;
        Ok(good.send(request)?.map(|_| BlockingBody::default()))
    });
    sends_every_scheme_as_http ["request.other_schemes_are_refused"] =
        |setup| around(setup, |good, mut request| {
        let text = request.uri().to_string();
        if let Some((scheme, rest)) = text.split_once("://")
            && scheme != "https"
        {
            *request.uri_mut() = format!("http://{rest}").parse().map_err(|_| other("none"))?;
        }
        good.send(request)
    });
    completes_relative_addresses ["request.relative_addresses_are_refused"] =
        |setup| around(setup, |good, mut request| {
        if request.uri().authority().is_none() {
            let text = format!("http://no-such-host.invalid{}", request.uri());
            *request.uri_mut() = text.parse().map_err(|_| other("no address"))?;
        }
        good.send(request)
    });
}
