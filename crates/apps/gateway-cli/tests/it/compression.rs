//! Compressed responses: requested from other machines, decoded, and limited after decoding.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use gateway_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

use crate::run::{Person, code, stderr, stdout};

const LIST: &str = r#"[{"id":"1","project":"Welder"},{"id":"2","project":"Fitter"}]"#;
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
fn compressed_responses_are_decoded() {
    // One response of two gzip members.
    let (one, two) = LIST.split_at(20);
    let body = [gzip(one.as_bytes()), gzip(two.as_bytes())].concat();
    let server = service(GZIP, body);
    let person = person(&server);
    let lines = LIST.trim_matches(['[', ']']).replace("},{", "}\n{") + "\n";
    for (args, expected) in [
        ("vacancies list -o ndjson", lines.as_str()),
        ("vacancies list -o raw", LIST),
        ("api vacancies/list -o raw", LIST),
    ] {
        let args: Vec<&str> = args.split(' ').chain(["--allow-insecure-http"]).collect();
        let output = person.run(&args);
        assert_eq!((code(&output), stdout(&output)), (0, expected), "{}", stderr(&output));
    }
    for request in server.progress().requests {
        assert_eq!(request.header("accept-encoding"), [b"gzip"]);
    }
    // The log shows what was sent: the size is that of the compressed body.
    let output = person.run(&["vacancies", "list", "-vv", "--allow-insecure-http"]);
    let log = stderr(&output);
    assert!(
        log.contains(">   accept-encoding: gzip") && log.contains("<   content-encoding: gzip")
    );
}

#[test]
fn compression_is_requested_only_where_it_saves_time() {
    let server = service("content-type: application/json\r\n", LIST.into());
    assert_eq!(code(&Person::of_service(&server.uri("")).run(&["vacancies", "list"])), 0);
    assert!(server.progress().requests[0].header("accept-encoding").is_empty());
    // A service may send its response uncompressed.
    let output = person(&server).run(&["vacancies", "list", "-o", "raw", "--allow-insecure-http"]);
    assert_eq!(stdout(&output), LIST);
}

#[test]
fn truncated_and_corrupt_compressed_responses_are_errors() {
    let records: Vec<String> =
        (0..5000).map(|id| format!("{{\"id\":\"{}\"}}", id * 7919)).collect();
    let list = format!("[{}]", records.join(","));
    let whole = gzip(list.as_bytes());
    let mut corrupt = whole.clone();
    let checksum = whole.len() - 8;
    corrupt[checksum] ^= 1;
    let cut = whole[..whole.len() - 4].to_vec();
    for (body, expected) in [(cut, 4), (corrupt, 4), (b"[] is not gzip".to_vec(), 5)] {
        let server = service(GZIP, body);
        let person = person(&server);
        let list = ["vacancies", "list", "--output-file", "v.csv", "--allow-insecure-http"];
        let output = person.run(&list);
        assert_eq!(code(&output), expected, "{}", stderr(&output));
        assert!(stderr(&output).contains("gzip"), "{}", stderr(&output));
        assert!(!person.home.path().join("v.csv").exists());
    }
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
