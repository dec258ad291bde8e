//! Gzip on top of a transport: what is requested, decoded and refused, and how much memory decoding takes.
use std::io::{Read as _, Write};
use std::iter;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::{self, StreamExt as _};
use gateway_transport::gzip::Gzip;
use gateway_transport::{
    BlockingBody, BlockingTransport, Body, MemoryTransport, Phase, Request, Transport,
    TransportError, TransportErrorKind, blocking_transport_fn, transport_fn,
};

/// Returns a response with these codings of its body.
fn encoded<B>(codings: &[&str], body: B) -> http::Response<B> {
    let response = codings.iter().fold(http::Response::builder(), |response, coding| {
        response.header("content-encoding", *coding)
    });
    response.body(body).unwrap()
}

/// Sends a blocking and an async request to a memory transport that answers with this encoding and body.
fn exchange(encoding: &str, body: &[u8], limit: u64) -> Result<Bytes, TransportError> {
    let response = || {
        let mut response = encoded(&[encoding], Bytes::copy_from_slice(body));
        response.headers_mut().insert("content-length", body.len().into());
        Ok(response)
    };
    let transport = Gzip::new(MemoryTransport::new([response(), response()]));
    let blocking = BlockingTransport::send(&transport, Request::default())
        .and_then(|response| response.into_body().collect(limit));
    let asynchronous = runtime().block_on(async {
        let response = Transport::send(&transport, Request::default()).await?;
        assert!(!response.headers().contains_key("content-length") || encoding == "identity");
        response.into_body().collect(limit).await
    });
    assert_eq!(
        blocking.as_ref().map_err(TransportError::kind),
        asynchronous.as_ref().map_err(TransportError::kind)
    );
    asynchronous
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_is_decoded() {
    for length in [0, 1, 70_000, 1 << 20] {
        let data: Vec<u8> = (0..length).map(|i| u8::try_from(i % 251).unwrap()).collect();
        assert_eq!(exchange("gzip", &gzip(&data), 1 << 20).unwrap(), data);
    }
    assert_eq!(exchange("X-Gzip", &gzip(b"a"), 10).unwrap(), "a");
    // Several gzip members form one body.
    let two = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(exchange("gzip", &two, 10).unwrap(), "one two");
    // A body that is not encoded is returned unchanged.
    assert_eq!(exchange("identity", b"plain", 10).unwrap(), "plain");
    assert_eq!(exchange("gzip", b"", 10).unwrap(), "");
}

#[test]
fn truncated_and_corrupt_streams_are_errors() {
    use TransportErrorKind::{Interrupted, Protocol};

    let check = |encoding: &str, body: &[u8], kind| {
        assert_eq!(exchange(encoding, body, 1 << 20).unwrap_err().kind(), kind);
    };
    let whole = gzip(&[7; 5000]);
    for end in [1, 9, 12, whole.len() - 9, whole.len() - 1] {
        check("gzip", &whole[..end], Interrupted);
    }
    let mut wrong_checksum = whole.clone();
    wrong_checksum[whole.len() - 8] ^= 1;
    check("gzip", &wrong_checksum, Interrupted);
    // A block of a type that does not exist.
    let mut corrupt = whole.clone();
    corrupt[10] |= 0b110;
    check("gzip", &corrupt, Interrupted);
    check("gzip", &[&whole[..], &corrupt].concat(), Interrupted);
    check("gzip", b"not gzip at all", Protocol);
    check("gzip", &[&whole[..], b"data after the end"].concat(), Protocol);
    check("zstd", b"", Protocol);
}

#[test]
fn a_body_with_two_codings_is_refused_and_one_without_is_returned_unchanged() {
    let with = |codings: &[&str]| {
        let transport = MemoryTransport::new([Ok(encoded(codings, "plain".into()))]);
        BlockingTransport::send(&Gzip::new(transport), Request::default())
    };
    assert_eq!(with(&[]).unwrap().into_body().collect(5).unwrap(), "plain");
    let error = with(&["gzip", "gzip"]).unwrap_err();
    assert_eq!((error.kind(), error.phase()), (TransportErrorKind::Protocol, Phase::Head));
}

#[test]
fn the_limit_counts_decoded_bytes() {
    // About 64 KiB that decode to 64 MiB of zeros. The limit stops the decoder long before that.
    let bomb = gzip(&vec![0; 64 << 20]);
    assert!(bomb.len() < 80_000);
    let error = exchange("gzip", &bomb, 100_000).unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::TooLarge);

    // No single chunk needs much memory, either.
    let transport = Gzip::new(MemoryTransport::new([Ok(encoded(&["gzip"], bomb.into()))]));
    let response = runtime().block_on(Transport::send(&transport, Request::default())).unwrap();
    let (mut body, mut length) = (response.into_body(), 0);
    while let Some(chunk) = runtime().block_on(body.chunk()).unwrap() {
        assert!(chunk.len() <= 96 << 10, "{}", chunk.len());
        length += chunk.len();
    }
    assert_eq!(length, 64 << 20);
}

#[test]
fn a_request_with_accept_encoding_gets_the_raw_body() {
    let raw = gzip(b"raw");
    let transport = MemoryTransport::new([Ok(encoded(&["gzip"], raw.clone().into()))]);
    let transport = Gzip::new(transport);
    let request = http::Request::get("/").header("accept-encoding", "gzip, br").body("".into());
    let response = BlockingTransport::send(&transport, request.unwrap()).unwrap();
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert_eq!(response.into_body().collect(100).unwrap(), raw);
}

/// A list is decoded while it is received: its next record may take a long time to arrive.
#[test]
fn what_has_been_received_is_decoded() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"first").unwrap();
    encoder.flush().unwrap();
    let part = Bytes::from(std::mem::take(encoder.get_mut()));

    // A transport may pass the bytes on in one chunk, or in several.
    for length in [part.len(), 1] {
        let chunks: Vec<Bytes> = part.chunks(length).map(Bytes::copy_from_slice).collect();
        let received = chunks.clone();
        let asynchronous = Gzip::new(transport_fn(move |_| {
            let received: Vec<_> = received.iter().cloned().map(Ok).collect();
            let body = Body::from_chunks(stream::iter(received).chain(stream::pending()));
            async { Ok(encoded(&["gzip"], body)) }
        }));
        let response = runtime().block_on(asynchronous.send(Request::default())).unwrap();
        let mut body = response.into_body();
        let mut context = Context::from_waker(Waker::noop());
        let mut decoded = Vec::new();
        while let Poll::Ready(chunk) = pin!(body.chunk()).poll(&mut context) {
            decoded.extend(chunk.unwrap().unwrap());
        }
        assert_eq!(decoded, b"first");

        let blocking = Gzip::new(blocking_transport_fn(move |_| {
            let mut received = chunks.clone().into_iter();
            let chunks = iter::from_fn(move || Some(Ok(received.next().expect("waits"))));
            Ok(encoded(&["gzip"], BlockingBody::from_chunks(chunks)))
        }));
        let mut body = blocking.send(Request::default()).unwrap().into_body();
        let mut first = [0; 5];
        body.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"first");
    }
}
