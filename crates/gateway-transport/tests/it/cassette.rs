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
    MemoryTransport::new([Ok(text.unwrap()), Ok(http::Response::new("[]".into()))])
}

/// Returns the body of an async exchange.
fn fetch(transport: &impl Transport, target: &str) -> Bytes {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let response = runtime.block_on(transport.send(request(target))).unwrap();
    runtime.block_on(response.into_body().collect(100)).unwrap()
}

fn record() -> String {
    let recorder = Recorder::new(service(), Vec::new());
    let first = BlockingTransport::send(&recorder, request("/a?token=canary&b=1")).unwrap();
    assert_eq!(first.headers()["set-cookie"], "session=canary");
    assert_eq!(first.into_body().collect(100).unwrap(), "zu viel: ä");
    assert_eq!(fetch(&recorder, "/b"), "[]");
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
            r#"{"method":"POST","target":"/b","request":"client_secret=-","status":200,"headers":[],"body":"[]"}"#,
            "\n",
        )
    );
    assert_eq!(record(), cassette);
}

#[test]
fn a_replay_equals_the_recording() {
    let replayer = Replayer::new(&record()).unwrap();
    // The order of the requests and the value of the secret do not matter.
    assert_eq!(fetch(&replayer, "/b"), "[]");
    let first = BlockingTransport::send(&replayer, request("/a?token=other&b=1")).unwrap();
    assert_eq!(first.status(), 429);
    assert_eq!(first.headers()["retry-after"], "7");
    assert_eq!(replayer.remaining(), 0);

    let error = BlockingTransport::send(&replayer, request("/b")).unwrap_err();
    let requested = error.source().unwrap().to_string();
    assert_eq!(requested, "requested: POST /b client_secret=-");
}

#[test]
fn an_invalid_line_is_reported_with_its_number() {
    let error = Replayer::new("\n{}\n").unwrap_err();
    assert_eq!(error.to_string(), "cassette line 2 is not a recorded exchange");
}

/// A cassette may be written by hand.
#[test]
fn a_line_has_a_body_or_none() {
    let replayed = |fields: &str| {
        let line = format!(r#"{{"method":"GET","target":"/","headers":[],{fields}}}"#);
        let request = http::Request::get("https://host/").body("".into()).unwrap();
        BlockingTransport::send(&Replayer::new(&line).unwrap(), request)
    };
    for (fields, body) in [(r#""status":204"#, ""), (r#""status":200,"body":"text""#, "text")] {
        assert_eq!(replayed(fields).unwrap().into_body().collect(9).unwrap(), body, "{fields}");
    }
    let error = replayed(r#""status":1"#).unwrap_err();
    assert_eq!(error.to_string(), "invalid cassette line: `status` or `headers` are invalid");
}

#[test]
fn a_body_that_is_too_large_or_not_text_is_not_recorded() {
    for (body, kind) in [
        (vec![b'x'; (16 << 20) + 1], TransportErrorKind::TooLarge),
        (vec![0xff], TransportErrorKind::Other),
    ] {
        let service = MemoryTransport::new([Ok(http::Response::new(body.into()))]);
        let recorder = Recorder::new(service, Vec::new());
        let error = BlockingTransport::send(&recorder, request("/")).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(recorder.into_writer(), b"");
    }
}
