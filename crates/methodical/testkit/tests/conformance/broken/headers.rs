//! Transports that change or remove headers, or the coding of a body.

use std::io::Read;

use flate2::read::{GzDecoder, ZlibDecoder};
use gateway_transport::{BlockingBody, BlockingTransport as _, TransportError};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use methodical_testkit::conformance::{Setup, Subject};

use crate::broken::support::{around, other};

broken! { HEADERS:
    lowers_request_values ["request.header_values_keep_their_case"] =
        |setup| around(setup, |good, mut request| {
        lower(request.headers_mut(), |name| name != "authorization");
        good.send(request)
    });
    lowers_the_content_type_of_a_request ["request.header_values_keep_their_case"] =
        |setup| around(setup, |good, mut request| {
        lower(request.headers_mut(), |name| name == CONTENT_TYPE);
        good.send(request)
    });
    lowers_response_values ["response.header_values_keep_their_case"] =
        |setup| around(setup, |good, request| {
        let mut response = good.send(request)?;
        lower(response.headers_mut(), |_| true);
        Ok(response)
    });
    lowers_the_content_type_of_a_response ["response.header_values_keep_their_case"] =
        |setup| around(setup, |good, request| {
        let mut response = good.send(request)?;
        lower(response.headers_mut(), |name| name == CONTENT_TYPE);
        Ok(response)
    });
    strips_set_cookie ["response.headers_are_those_of_the_peer"] = |setup| {
        strips(setup, "set-cookie")
    };
    strips_www_authenticate ["response.headers_are_those_of_the_peer"] = |setup| {
        strips(setup, "www-authenticate")
    };
    strips_content_length ["response.headers_are_those_of_the_peer"] = |setup| {
        strips(setup, "content-length")
    };
    strips_via ["response.headers_are_those_of_the_peer"] = |setup| {
        strips(setup, "via")
    };
    strips_connection ["response.headers_are_those_of_the_peer"] = |setup| {
        strips(setup, "connection")
    };
    strips_proxy_authenticate ["response.headers_are_those_of_the_peer"] = |setup| {
        strips(setup, "proxy-authenticate")
    };
    adds_a_media_type_to_a_response ["response.headers_are_those_of_the_peer"] =
        |setup| around(setup, |good, request| {
        let mut response = good.send(request)?;
        let unknown = HeaderValue::from_static("application/octet-stream");
        response.headers_mut().entry(CONTENT_TYPE).or_insert(unknown);
        Ok(response)
    });
    replaces_bytes_that_are_not_ascii ["request.header_bytes_are_preserved", "response.header_bytes_are_kept"] =
        |setup| {
        fn replace(headers: &mut HeaderMap) {
            for value in headers.values_mut() {
                let text = String::from_utf8_lossy(value.as_bytes()).replace('\u{fffd}', "?");
                *value = HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("?"));
            }
        }
        around(setup, |good, mut request| {
            replace(request.headers_mut());
            let mut response = good.send(request)?;
            replace(response.headers_mut());
            Ok(response)
        })
    };
    treats_trailers_as_headers ["response.trailers_are_not_headers"] = |setup| around(setup, |good, request| {
        let mut response = good.send(request)?;
        if let Some(name) = response.headers_mut().remove("trailer")
            && let Ok(name) = HeaderName::from_bytes(name.as_bytes())
        {
            response.headers_mut().insert(name, HeaderValue::from_static("1"));
        }
        Ok(response)
    });
    decodes_gzip ["response.encoded_body_is_not_decoded"] = |setup| {
        decodes(setup, "gzip", |body| Box::new(GzDecoder::new(body)))
    };
    decodes_deflate ["response.encoded_body_is_not_decoded"] = |setup| {
        decodes(setup, "deflate", |body| Box::new(ZlibDecoder::new(body)))
    };
}

fn decodes(
    setup: &Setup,
    coding: &'static str,
    decoder: fn(BlockingBody) -> Box<dyn Read>,
) -> Result<Subject, TransportError> {
    around(setup, move |good, request| {
        let response = good.send(request)?;
        if response.headers().get(CONTENT_ENCODING).is_none_or(|found| found != coding) {
            return Ok(response);
        }
        let (mut head, body) = response.into_parts();
        let mut whole = Vec::new();
        decoder(body).read_to_end(&mut whole).map_err(|_| other("the body is not encoded"))?;
        head.headers.remove(CONTENT_ENCODING);
        Ok(Response::from_parts(head, whole.into()))
    })
}

fn strips(setup: &Setup, name: &'static str) -> Result<Subject, TransportError> {
    around(setup, move |good, request| {
        let mut response = good.send(request)?;
        response.headers_mut().remove(name);
        Ok(response)
    })
}

fn lower(headers: &mut HeaderMap, which: impl Fn(&HeaderName) -> bool) {
    for (name, value) in headers.iter_mut() {
        if which(name) {
            let bytes = value.as_bytes().to_ascii_lowercase();
            *value =
                HeaderValue::from_bytes(&bytes).unwrap_or_else(|_| HeaderValue::from_static(""));
        }
    }
}
