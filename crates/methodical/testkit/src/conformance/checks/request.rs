//! A request is sent as the caller gave it, byte for byte.

use bytes::Bytes;
use gateway_transport::ErrorKind;
use http::{HeaderValue, Method};

use crate::conformance::Kit;
use crate::conformance::failure::{ensure_eq, expect_kind, for_input};
use crate::conformance::peer::{echo, friendly, get, get_uri, only_request, playing, with};
use crate::outcome::{Outcome, ensure};
use crate::raw_server::{Next, RawRequest, RawServer};

/// The target arrives unchanged: percent-encoding, empty parameters and unusual characters included.
///
/// A client that decodes and encodes the target again changes the request. RFC 9112 section 3.2, RFC 3986 section
/// 6.2.2.
pub fn target_is_verbatim(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let target = "/c/v1?method=a/b&status=a%20b+c%2Fd&x=%E2%82%AC&e=&&y=1,2;3:4@!$*()~-._";
    kit.fetch(get(&server, target)?)?;
    ensure_eq!(only_request(&server)?.target(), target, "the target");
    Ok(())
}

/// A target that many URL libraries rewrite arrives unchanged, or is refused before anything is sent.
///
/// RFC 9112 section 3.2, and RFC 3986 section 6.2.2.3 for dot segments.
pub fn odd_target_is_verbatim_or_refused(kit: &Kit) -> Outcome {
    for target in ["/v1?n=O'Brien", "/a/./b/../c?x=1", "/a/%2e%2e/b", "/p?q={a|b}^`", "/p?a=\"x\""]
    {
        let server = friendly()?;
        let Ok(request) = get(&server, target) else { continue };
        let outcome = if kit.fetch(request).is_ok() {
            arrived_as(&server, target)
        } else {
            none_arrived(&server)
        };
        for_input(target, outcome)?;
    }
    Ok(())
}

/// `/a` is sent as `/a`, and `/a?` as `/a?`.
///
/// They are different resources. RFC 3986 section 3.4.
pub fn empty_query_is_kept(kit: &Kit) -> Outcome {
    for target in ["/a", "/a?"] {
        let server = friendly()?;
        kit.fetch(get(&server, target)?)?;
        for_input(target, arrived_as(&server, target))?;
    }
    Ok(())
}

/// The request line has the version HTTP/1.1, and `Host` is the authority with its port.
///
/// RFC 9112 sections 3 and 3.2.
pub fn method_and_host(kit: &Kit) -> Outcome {
    let server = friendly()?;
    kit.fetch(get(&server, "/")?)?;
    let request = only_request(&server)?;
    ensure_eq!(request.line(), "GET / HTTP/1.1", "the request line");
    let host = vec![server.address().to_string().into_bytes()];
    ensure_eq!(request.header("host"), host, "the host");
    Ok(())
}

/// Header values arrive byte for byte, including inner whitespace and bytes that are not ASCII.
///
/// A value may contain `obs-text`: RFC 9110 section 5.5.
pub fn header_bytes_are_preserved(kit: &Kit) -> Outcome {
    let values: [(&str, &[u8]); 3] = [
        ("authorization", b"Bearer aB-._~+/09=="),
        ("x-latin", b"caf\xe9"),
        ("x-inner", b"a  b\tc"),
    ];
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    for (name, value) in values {
        request.headers_mut().insert(name, HeaderValue::from_bytes(value)?);
    }
    kit.fetch(request)?;
    let request = only_request(&server)?;
    for (name, value) in values {
        ensure_eq!(request.header(name), [value], name);
    }
    Ok(())
}

/// Header values keep their upper-case and lower-case letters.
///
/// Most values are case-sensitive: tokens, entity tags, boundaries, trace states. RFC 9110 section 5.5.
pub fn header_values_keep_their_case(kit: &Kit) -> Outcome {
    // Not those that a client or a browser sets itself.
    let names = [
        "accept",
        "accept-language",
        "authorization",
        "cache-control",
        "content-disposition",
        "content-language",
        "content-location",
        "content-type",
        "from",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "link",
        "pragma",
        "range",
        "traceparent",
        "user-agent",
        "x-api-key",
    ];
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    for name in names {
        request.headers_mut().insert(name, HeaderValue::from_static(MIXED_CASE));
    }
    kit.fetch(request)?;
    let request = only_request(&server)?;
    for name in names {
        ensure_eq!(request.header(name), [MIXED_CASE.as_bytes()], name);
    }
    Ok(())
}

/// Two headers of the same name arrive in order, as two lines or as one list.
///
/// RFC 9110 section 5.3.
pub fn repeated_headers_keep_their_order(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    for value in ["1", "2"] {
        request.headers_mut().append("x-multi", HeaderValue::from_static(value));
    }
    kit.fetch(request)?;
    let values = only_request(&server)?.header("x-multi").join(&b", "[..]);
    ensure_eq!(values, b"1, 2".to_vec(), "the values");
    Ok(())
}

/// No header is added except `Host`, `Connection` and `User-Agent`: no `Accept-Encoding`, no `Referer`.
///
/// An added header may be logged by the service, and may change the response. RFC 9110 section 12.5.3.
pub fn nothing_is_added(kit: &Kit) -> Outcome {
    let server = friendly()?;
    kit.fetch(get(&server, "/")?)?;
    let allowed = ["accept", "connection", "host", "user-agent"];
    for (name, _) in only_request(&server)?.headers() {
        ensure!(allowed.contains(&name.as_str()), "the client adds the header {name}");
    }
    Ok(())
}

/// `Accept` arrives once, with the caller's value.
///
/// A client that prepends its own value may get another format. RFC 9110 section 12.5.1.
pub fn accept_is_not_replaced(kit: &Kit) -> Outcome {
    let server = friendly()?;
    kit.fetch(get(&server, "/")?)?;
    let accept = only_request(&server)?.header("accept");
    ensure_eq!(accept, vec![b"application/json".to_vec()], "accept");
    Ok(())
}

/// `User-Agent` arrives once, with the caller's value.
///
/// It tells the operator of a service who is calling. RFC 9110 section 10.1.5.
pub fn user_agent_is_not_replaced(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    request.headers_mut().insert("user-agent", HeaderValue::from_static("kit/1"));
    kit.fetch(request)?;
    ensure_eq!(only_request(&server)?.header("user-agent"), vec![b"kit/1".to_vec()], "user-agent");
    Ok(())
}

/// A GET without a body has no body framing: no `Content-Length`, no `Transfer-Encoding`.
///
/// Some servers refuse a GET that seems to have a body. RFC 9110 section 9.3.1.
pub fn get_has_no_body_framing(kit: &Kit) -> Outcome {
    let server = friendly()?;
    kit.fetch(get(&server, "/")?)?;
    let request = only_request(&server)?;
    for name in ["content-length", "transfer-encoding"] {
        ensure!(request.header(name).is_empty(), "a GET without a body has {name}");
    }
    Ok(())
}

/// A header of 8 KiB arrives complete.
///
/// Signed tokens can be that large. RFC 9110 section 5.4.
pub fn large_header_arrives_whole(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let value = format!("Bearer {}", "t".repeat(8192));
    let mut request = get(&server, "/")?;
    request.headers_mut().insert("authorization", HeaderValue::from_str(&value)?);
    kit.fetch(request)?;
    let values = only_request(&server)?.header("authorization");
    ensure!(
        values == [value.into_bytes()],
        "the header arrived changed, with {} values",
        values.len()
    );
    Ok(())
}

/// A body is sent complete, with its length and its media type.
///
/// Some operations and token requests have a body. RFC 9112 section 6.2.
pub fn body_is_sent_with_its_length(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let mut request = get(&server, "/token")?;
    *request.method_mut() = Method::POST;
    *request.body_mut() = Bytes::from_static(b"grant_type=client_credentials");
    let form = "application/x-www-form-urlencoded";
    request.headers_mut().insert("content-type", HeaderValue::from_static(form));
    kit.fetch(request)?;
    let request = only_request(&server)?;
    ensure_eq!(request.method(), "POST", "the method");
    ensure_eq!(request.header("content-length"), vec![b"29".to_vec()], "the length");
    ensure_eq!(request.header("content-type"), vec![form.as_bytes().to_vec()], "content-type");
    ensure_eq!(request.body, b"grant_type=client_credentials".to_vec(), "the body");
    Ok(())
}

/// HEAD is sent as HEAD, and the client expects no body even if the response declares a length.
///
/// RFC 9110 section 9.3.2.
pub fn head_is_sent_as_head(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n", Next::KeepAlive)?;
    let mut request = get(&server, "/")?;
    *request.method_mut() = Method::HEAD;
    let response = kit.fetch(request)?;
    ensure_eq!(only_request(&server)?.method(), "HEAD", "the method");
    ensure!(response.body.is_empty(), "the response to HEAD has a body");
    Ok(())
}

/// A URI whose scheme is not `http` or `https` is refused as an invalid request.
///
/// A configuration error must not look like a network failure, which is retried. RFC 9110 section 4.2.
pub fn other_schemes_are_refused(kit: &Kit) -> Outcome {
    let error = kit.failure(get_uri("ftp://127.0.0.1/")?)?;
    expect_kind(&error, &[ErrorKind::InvalidRequest])
}

/// A URI without an authority is refused as an invalid request.
///
/// RFC 9112 section 3.2.1.
pub fn relative_addresses_are_refused(kit: &Kit) -> Outcome {
    let error = kit.failure(get_uri("/c/v1")?)?;
    expect_kind(&error, &[ErrorKind::InvalidRequest])
}

/// A port that is not a number, or is out of range, is refused before anything is sent.
///
/// A client that uses another port instead sends the credentials to the wrong server. RFC 3986 section 3.2.3.
pub fn invalid_ports_are_refused(kit: &Kit) -> Outcome {
    let server = friendly()?;
    // Some clients truncate such a port to the digits or bits that fit.
    let port = u32::from(server.address().port());
    for port in [format!("{}", port + 0x1_0000), format!("{port}x"), format!("{port}00000")] {
        let failure = kit.failure(get_uri(&format!("http://127.0.0.1:{port}/"))?);
        let outcome = failure.and_then(|error| expect_kind(&error, &[ErrorKind::InvalidRequest]));
        for_input(format_args!("port {port}"), outcome)?;
    }
    ensure_eq!(server.progress().connections, 0, "connections to the truncated port");
    Ok(())
}

/// A URI without a path is sent with the path `/`, with or without a query.
///
/// A request line without a path is malformed. RFC 9112 section 3.2.1.
pub fn empty_path_is_a_slash(kit: &Kit) -> Outcome {
    for (rest, target) in [("", "/"), ("?a=1", "/?a=1")] {
        let server = friendly()?;
        for_input(target, kit.fetch(get(&server, rest)?))?;
        arrived_as(&server, target)?;
    }
    Ok(())
}

/// The method is sent unchanged, including an unregistered one.
///
/// Methods are case-sensitive tokens. RFC 9110 section 9.1.
pub fn methods_are_kept(kit: &Kit) -> Outcome {
    for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PURGE"] {
        let server = playing("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Next::KeepAlive)?;
        let mut request = get(&server, "/")?;
        *request.method_mut() = Method::from_bytes(method.as_bytes()).unwrap_or_default();
        for_input(method, kit.fetch(request))?;
        let line = format!("{method} / HTTP/1.1");
        ensure_eq!(only_request(&server)?.line(), line, "the request line");
    }
    Ok(())
}

/// A `Host` header from the caller replaces the client's own, or the request is refused.
///
/// Servers must answer 400 to two `Host` headers, and proxies may disagree about which one counts. RFC 9112 section
/// 3.2.
pub fn given_host_is_not_doubled(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    request.headers_mut().insert("host", HeaderValue::from_static("gateway.example"));
    match kit.send(request) {
        Ok(_) => {
            let sent = only_request(&server)?.header("host");
            ensure_eq!(sent, [b"gateway.example".to_vec()], "host");
        }
        Err(error) => expect_kind(&error, &[ErrorKind::InvalidRequest])?,
    }
    Ok(())
}

/// A header with an empty value is sent, not left out.
///
/// A field value may be empty: RFC 9110 section 5.5.
pub fn empty_header_is_sent(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let mut request = get(&server, "/")?;
    request.headers_mut().insert("x-empty", HeaderValue::from_static(""));
    kit.fetch(request)?;
    ensure_eq!(only_request(&server)?.header("x-empty"), [b""], "x-empty");
    Ok(())
}

/// A request with a body does not carry `Expect: 100-continue`.
///
/// A client that sends it waits about a second for each peer that ignores it. RFC 9110 section 10.1.1.
pub fn expect_continue_is_not_sent(kit: &Kit) -> Outcome {
    let server = echo()?;
    let body = Bytes::from(vec![b'x'; 2 << 20]);
    kit.fetch(http::Request::post(server.uri("/")).body(body)?)?;
    ensure!(
        only_request(&server)?.header("expect").is_empty(),
        "the client adds the header expect"
    );
    Ok(())
}

/// A cookie from one response is not sent with the next request.
///
/// A transport that stores cookies mixes up the sessions of two callers. Storing them is up to the user agent: RFC
/// 6265 section 5.4.
pub fn cookies_are_not_kept(kit: &Kit) -> Outcome {
    let response = "HTTP/1.1 200 OK\r\nset-cookie: session=1; Path=/\r\ncontent-length: 0\r\n\r\n";
    let server = playing(response, Next::KeepAlive)?;
    for _ in 0..2 {
        kit.fetch(get_uri(&server.uri_by_name("/"))?)?;
    }
    for request in server.progress().requests {
        ensure!(request.header("cookie").is_empty(), "the cookie is sent back");
    }
    Ok(())
}

/// Every method is sent with and without a body, byte for byte and without additions; or it is refused, and nothing
/// is sent.
///
/// Clients treat methods differently: some drop the body of a DELETE, or add a media type to a POST. RFC 9110 section
/// 9.3, RFC 9112 section 6.
pub fn every_method_with_and_without_a_body(kit: &Kit) -> Outcome {
    let server = playing("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Next::KeepAlive)?;
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let large = every_byte.repeat(1024);
    let mut arrived = 0;
    for name in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PURGE"] {
        let method = Method::from_bytes(name.as_bytes()).unwrap_or_default();
        for body in [&[], b"x".as_slice(), &every_byte, &large] {
            let input = format!("{name} with a body of {} bytes", body.len());
            let outcome = kit.send(with(&method, body.to_vec(), get(&server, "/")?));
            let requests = server.progress().requests;
            match outcome {
                Ok(response) => response.collect(0)?,
                Err(error) => {
                    for_input(&input, expect_kind(&error, &[ErrorKind::InvalidRequest]))?;
                    ensure_eq!(requests.len(), arrived, format_args!("{input}: requests"));
                    continue;
                }
            };
            arrived += 1;
            ensure_eq!(requests.len(), arrived, format_args!("{input}: requests"));
            for_input(input, requests.last().map_or(Ok(()), |sent| sent_with(sent, name, body)))?;
        }
    }
    Ok(())
}

/// Checks the method, the headers and the body of a request.
fn sent_with(request: &RawRequest, method: &str, body: &[u8]) -> Outcome {
    ensure_eq!(request.method(), method, "the method");
    let has_right_bytes = request.body == body;
    ensure!(has_right_bytes, "the body arrived changed, with {} bytes", request.body.len());
    for (name, value) in request.headers() {
        let is_allowed = match name.as_str() {
            "accept" | "connection" | "host" | "user-agent" => true,
            "content-length" => value == body.len().to_string().into_bytes(),
            _ => false,
        };
        ensure!(is_allowed, "the client adds the header {name}");
    }
    let lengths = request.header("content-length").len();
    let expected = if body.is_empty() { 0..=1 } else { 1..=1 };
    ensure!(expected.contains(&lengths), "the request has {lengths} lengths");
    Ok(())
}

/// Checks that the only request has this target.
fn arrived_as(server: &RawServer, target: &str) -> Outcome {
    ensure_eq!(only_request(server)?.target(), target, "the target");
    Ok(())
}

/// Checks that no request has arrived.
fn none_arrived(server: &RawServer) -> Outcome {
    ensure_eq!(server.progress().requests.len(), 0, "requests after a refusal");
    Ok(())
}

/// A header value that changes if its letters become lower or upper case.
const MIXED_CASE: &str = "aB-Cd/EF;gH=\"Ij\"";
