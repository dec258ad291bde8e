//! Cassettes: any exchange is replayed as it was recorded, without its secrets; any text is refused or replayed.

#![no_main]

use arbitrary::{Arbitrary as _, Unstructured};
use bytes::Bytes;
use gateway_transport::cassette::{Recorder, Replayer};
use gateway_transport::{BlockingTransport as _, MemoryTransport};
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, Uri};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Path, query, body of the request, status, headers and body of the response.
type Exchange<'a> =
    (&'a str, Vec<(u8, &'a str, &'a str)>, &'a [u8], u16, Vec<(u8, &'a [u8])>, &'a [u8]);

fuzz_target!(|bytes: &[u8]| match bytes.split_first() {
    Some((0, text)) => any_text(&String::from_utf8_lossy(text)),
    Some((_, rest)) => {
        if let Ok(exchanges) = <_>::arbitrary_take_rest(Unstructured::new(rest)) {
            recorded(exchanges);
        }
    }
    None => {}
});

fn recorded(exchanges: Vec<Exchange<'_>>) {
    let built = exchanges.iter().filter_map(|one| Some((request(one)?, response(one)?)));
    let built: Vec<(Request<Bytes>, Response<Bytes>)> = built.collect();
    let answers = built.iter().map(|(_, response)| Ok(response.clone()));
    let recorder = Recorder::new(MemoryTransport::new(answers), Vec::new());
    for (request, _) in &built {
        recorder.send(request.clone()).unwrap();
    }
    let cassette = String::from_utf8(recorder.into_writer()).unwrap();
    assert_eq!(cassette.lines().count(), built.len());
    assert!(!cassette.contains(CANARY), "{cassette}");

    let replayer = Replayer::new(&cassette).unwrap();
    for (request, expected) in &built {
        let (head, body) = replayer.send(request.clone()).unwrap().into_parts();
        assert_eq!(head.status, expected.status());
        assert_eq!(body.collect(u64::MAX).unwrap(), *expected.body());
        for (name, value) in &head.headers {
            assert!(expected.headers().get_all(name).iter().any(|other| other == value));
        }
        // Every header that a client acts on and that is text; `location` only without secrets.
        for name in ["content-type", "retry-after"] {
            let texts = expected.headers().get_all(name).iter().filter(|one| one.to_str().is_ok());
            assert!(texts.eq(head.headers.get_all(name).iter()));
        }
        assert!(!head.headers.contains_key("set-cookie"));
    }
    assert_eq!(replayer.remaining(), 0);
}

fn request((path, query, body, ..): &Exchange<'_>) -> Option<Request<Bytes>> {
    let pairs = query.iter().map(|(kind, name, value)| match kind % 4 {
        0 => format!("access_token={CANARY}"),
        1 => format!("Client_Secret={CANARY}"),
        _ => format!("{}={}", encoded(name), encoded(value)),
    });
    let query = pairs.collect::<Vec<_>>().join("&");
    let uri: Uri = format!("https://host/{}?{query}", encoded(path)).parse().ok()?;
    Request::post(uri).body(Bytes::copy_from_slice(body)).ok()
}

fn response((.., status, headers, body): &Exchange<'_>) -> Option<Response<Bytes>> {
    let mut response = Response::new(Bytes::copy_from_slice(body));
    *response.status_mut() = StatusCode::from_u16(*status).ok()?;
    for (name, value) in headers {
        let names = ["content-type", "location", "retry-after", "set-cookie"];
        let name = HeaderName::from_static(names[usize::from(*name) % names.len()]);
        response.headers_mut().append(name, HeaderValue::from_bytes(value).ok()?);
    }
    Some(response)
}

fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'/' | b'.' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

/// A text that is a cassette answers the requests that it names, and records the same exchanges again.
fn any_text(text: &str) {
    let Ok(replayer) = Replayer::new(text) else { return };
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(replayer.remaining(), lines.len());
    let recorder = Recorder::new(replayer, Vec::new());
    let mut answered = 0;
    for line in lines {
        let line: Value = serde_json::from_str(line).unwrap();
        let (method, target) = (line["method"].as_str().unwrap(), line["target"].as_str().unwrap());
        let body = line["request"].as_str().unwrap_or_default().to_owned();
        let request = Request::builder().method(method).uri(target).body(Bytes::from(body));
        answered += usize::from(request.is_ok_and(|request| recorder.send(request).is_ok()));
    }
    let again = String::from_utf8(recorder.into_writer()).unwrap();
    assert_eq!(Replayer::new(&again).unwrap().remaining(), answered);
}

const CANARY: &str = "CANARY-7f3a91";
