//! HTTP/2 as a well-behaved client uses it: the same responses as over HTTP/1.1, many concurrently.

use bytes::Bytes;
use http::Request;

use crate::front::Here;
use crate::http2_client::Client;

/// The same limits and the same problems as in HTTP/1.1.
#[test]
fn a_head_that_is_refused_gets_its_problem() {
    let here = Here::start(|_config| {});
    let base_url = here.running.base_url();
    let client = Client::plain(&base_url);
    let address = base_url.strip_prefix("http://").unwrap();
    let request = |path: &str| {
        Request::get(format!("http://{address}{path}"))
            .header("authorization", format!("Bearer {}", here.token))
    };
    let path = "/c/oauth/v1?method=credits/get";
    let many = |count: usize| {
        (0..count).fold(request(path), |request, number| request.header(format!("a{number}"), "b"))
    };
    let long = |length: usize| request(path).header("a", "b".repeat(length));
    let with = |name: &str, value: &str| request(path).header(name, value);
    let with_user = request(path).uri(format!("http://user@{address}{path}"));
    let cases = [
        ("good", request(path), 200, ""),
        ("62 more fields", many(62), 200, ""),
        ("63 more fields", many(63), 431, "head-too-large"),
        ("field of 15 KiB", long(15_360), 200, ""),
        ("field of 17 KiB", long(17_408), 431, "head-too-large"),
        // The library answers this request.
        ("field of 40 KiB", long(40_960), 431, "no problem"),
        ("long target", request(&format!("{path}&a={}", "a".repeat(8_192))), 414, "uri-too-long"),
        ("same host", with("host", address), 200, ""),
        ("another host", with("host", "example.org"), 400, "host-invalid"),
        ("user in the authority", with_user, 400, "host-invalid"),
        ("other path", request("/"), 404, "not-found"),
        ("post", Request::post(format!("http://a{path}")), 405, "method-not-allowed"),
    ];
    for (name, request, status, problem) in cases {
        let response = client.send(request.body(Bytes::new()).unwrap()).unwrap();
        assert_eq!(response.status(), status, "{name}: {response:?}");
        let text = std::str::from_utf8(response.body()).unwrap();
        match problem {
            "" => assert!(text.contains("currency"), "{name}: {text}"),
            "no problem" => assert_eq!(text, "", "{name}"),
            _ => assert!(
                text.contains(&format!("urn:gateway:problem:{problem}\"")),
                "{name}: {text}"
            ),
        }
        assert!(!response.headers().contains_key("connection"), "{name}");
    }
}

#[test]
fn a_request_with_a_body_is_answered_without_reading_it() {
    let here = Here::start(|_config| {});
    let client = Client::plain(&here.running.base_url());
    let uri = "http://a/c/oauth/v1?method=credits/get";
    for length in [1, 100_000] {
        let request = Request::get(uri).body(Bytes::from(vec![b'a'; length])).unwrap();
        let response = client.send(request).unwrap();
        assert_eq!(response.status(), 400);
        let text = std::str::from_utf8(response.body()).unwrap();
        assert!(text.contains("urn:gateway:problem:body-not-allowed"), "{text}");
    }
    // The connection is still in use.
    assert_eq!(client.get(&here.token, "method=credits/get").status(), 200);
}
