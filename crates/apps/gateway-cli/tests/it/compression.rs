//! Compressed responses: requested from other machines, decoded, and limited after decoding.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::run::{Person, code, stderr, stdout};

const GZIP: &str = "content-type: application/json\r\ncontent-encoding: gzip\r\n";

/// Starts a service that sends this body with these headers.
fn service(headers: &'static str, body: Vec<u8>) -> RawServer {
    RawServer::start(move |_: &RawRequest, connection: &mut Connection| {
        connection.respond(&format!("{headers}connection: close\r\n"), &body);
        Next::Close
    })
    .unwrap()
}

/// Returns a person who reaches the service through a proxy, as if it were on another machine.
fn person(server: &RawServer) -> Person {
    Person::of_service("http://gateway.test").with("HTTP_PROXY", &server.uri(""))
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn limits_count_decoded_bytes() {
    // 65 MiB of spaces and one record of 2 MiB, both in a few KiB.
    let spaces = [&vec![b' '; 65 << 20][..], b"{}"].concat();
    let long = format!("[{{\"id\":\"1\"}},{{\"id\":\"{}\"}}]", "7".repeat(2 << 20));
    let (object, list) = (service(GZIP, gzip(&spaces)), service(GZIP, gzip(long.as_bytes())));
    let output = person(&object).run(&["credits", "get", "--allow-insecure-http"]);
    assert_eq!(code(&output), 5, "{}", stderr(&output));
    assert!(stderr(&output).contains("exceeds the body limit"), "{}", stderr(&output));
    let plain = service("content-type: application/json\r\n", long.into());
    let args = ["vacancies", "list", "-o", "ndjson", "--allow-insecure-http"];
    let (decoded, plain) = (person(&list).run(&args), person(&plain).run(&args));
    assert_ne!(code(&plain), 0);
    assert_eq!((code(&decoded), stdout(&decoded)), (code(&plain), stdout(&plain)));
    assert_eq!(stderr(&decoded), stderr(&plain));
}
