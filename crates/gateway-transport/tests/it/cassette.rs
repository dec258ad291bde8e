//! Cassettes: what is recorded, what is never recorded, and that a replay equals the recording.
use std::error::Error;

use bytes::Bytes;
use gateway_transport::cassette::{Recorder, Replayer};
use gateway_transport::{
    BlockingTransport, MemoryTransport, Request, Transport, TransportErrorKind,
};

fn request(target: &str) -> Request {
    http::Request::post(format!("https://user:canary@host{target}"))
        .header("authorization", "Bearer canary")
        .header("x-api-key", "canary")
        .body("client_secret=canary".into())
        .unwrap()
}

fn service() -> MemoryTransport {
    let text = http::Response::builder()
        .status(429)
        .header("retry-after", "7")
        .header("date", "Thu, 01 Jan 1970 00:00:00 GMT")
        .header("set-cookie", "session=canary")
        .body("zu viel: ä".into());
    let bytes = http::Response::builder().body(Bytes::from_static(b"\xff\x00"));
    MemoryTransport::new([Ok(text.unwrap()), Ok(bytes.unwrap())])
}

fn record() -> String {
    let recorder = Recorder::new(service(), Vec::new());
    let first = BlockingTransport::send(&recorder, request("/a?token=canary&b=1")).unwrap();
    assert_eq!(first.headers()["set-cookie"], "session=canary");
    assert_eq!(first.into_body().collect(100).unwrap(), "zu viel: ä");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let second = runtime.block_on(Transport::send(&recorder, request("/b"))).unwrap();
    let body = runtime.block_on(second.into_body().collect(100)).unwrap();
    assert_eq!(body, &b"\xff\x00"[..]);
    String::from_utf8(recorder.into_writer()).unwrap()
}

#[test]
fn no_credential_is_recorded_and_two_recordings_are_equal() {
    let cassette = record();
    assert_eq!(
        cassette,
        concat!(
            r#"{"method":"POST","target":"/a?token=-&b=1","request":"client_secret=-","status":429,"headers":[["retry-after","7"]],"body":"zu viel: ä"}"#,
            "\n",
            r#"{"method":"POST","target":"/b","request":"client_secret=-","status":200,"headers":[],"body_hex":"ff00"}"#,
            "\n",
        )
    );
    assert_eq!(record(), cassette);
}

#[test]
fn a_request_that_was_not_recorded_is_shown_beside_the_nearest_line() {
    let replayer = Replayer::new(&record()).unwrap();
    let error = BlockingTransport::send(&replayer, request("/bc")).unwrap_err();
    assert_eq!(
        error.source().unwrap().to_string(),
        "\n  requested: POST /bc client_secret=-\n   recorded: POST /b client_secret=-\n                    ^"
    );
}

#[test]
fn a_replay_equals_the_recording() {
    let replayer = Replayer::new(&record()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    // The order of the requests and the value of the secret do not matter.
    let second = runtime.block_on(Transport::send(&replayer, request("/b"))).unwrap();
    let body = runtime.block_on(second.into_body().collect(100)).unwrap();
    assert_eq!(body, &b"\xff\x00"[..]);
    let first = BlockingTransport::send(&replayer, request("/a?token=other&b=1")).unwrap();
    assert_eq!(
        (first.status().as_u16(), &first.headers()["retry-after"]),
        (429, &"7".parse().unwrap())
    );
    assert_eq!(replayer.remaining(), 0);

    let error = BlockingTransport::send(&replayer, request("/b")).unwrap_err();
    let mismatch = error.source().unwrap().to_string();
    assert_eq!(
        mismatch,
        "\n  requested: POST /b client_secret=-\n  every recorded line has been used"
    );
}

#[test]
fn an_invalid_line_is_reported_with_its_number() {
    let error = Replayer::new("\n{}\n").unwrap_err();
    assert_eq!(error.to_string(), "cassette line 2 is not a recorded exchange");
}

/// A cassette may be written by hand.
#[test]
fn a_line_has_one_body_or_none() {
    let replayed = |fields: &str| {
        let line = format!(r#"{{"method":"GET","target":"/","headers":[],{fields}}}"#);
        let request = http::Request::get("https://host/").body("".into()).unwrap();
        BlockingTransport::send(&Replayer::new(&line).unwrap(), request)
    };
    for (fields, body) in [
        (r#""status":204"#, ""),
        (r#""status":200,"body":"text""#, "text"),
        (r#""status":200,"body_hex":"74657874""#, "text"),
    ] {
        assert_eq!(replayed(fields).unwrap().into_body().collect(9).unwrap(), body, "{fields}");
    }
    for (fields, reason) in [
        (r#""status":200,"body":"a","body_hex":"61""#, "both `body` and `body_hex` are present"),
        (r#""status":200,"body_hex":"6""#, "`body_hex` is not hexadecimal"),
        (r#""status":200,"body_hex":"6x""#, "`body_hex` is not hexadecimal"),
        (r#""status":1"#, "`status` or `headers` are invalid"),
    ] {
        let error = replayed(fields).unwrap_err();
        assert_eq!(error.to_string(), format!("invalid cassette line: {reason}"));
    }
}

#[test]
fn a_body_above_the_limit_is_not_recorded() {
    let response = || Ok(http::Response::new(Bytes::from_static(b"abcd")));
    let recorder =
        |limit| Recorder::new(MemoryTransport::new([response()]), Vec::new()).limit(limit);
    BlockingTransport::send(&recorder(4), request("/")).unwrap();
    let recorder = recorder(3);
    let error = BlockingTransport::send(&recorder, request("/")).unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::TooLarge);
    assert_eq!(recorder.into_writer(), b"");
}
