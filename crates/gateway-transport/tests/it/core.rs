//! Properties of the core types that signatures do not show: kinds of errors, deadlines, `Debug` output.
use gateway_transport::cassette::Replayer;
use gateway_transport::{
    BlockingBody, BlockingTransport, Body, Deadline, MemoryTransport, Phase, Request, Sent,
    TransportError, TransportErrorKind,
};

#[test]
fn phase_and_sent_are_derived_from_the_kind() {
    let of = |kind| {
        let error = TransportError::new(kind, "");
        (error.phase(), error.sent(), error.is_transient())
    };
    assert_eq!(of(TransportErrorKind::InvalidRequest), (Phase::Unknown, Sent::No, false));
    assert_eq!(of(TransportErrorKind::Resolve), (Phase::Connect, Sent::No, true));
    assert_eq!(of(TransportErrorKind::Connect), (Phase::Connect, Sent::No, true));
    assert_eq!(of(TransportErrorKind::Tls), (Phase::Connect, Sent::No, false));
    assert_eq!(of(TransportErrorKind::Timeout), (Phase::Unknown, Sent::Maybe, true));
    assert_eq!(of(TransportErrorKind::Interrupted), (Phase::Unknown, Sent::Maybe, true));
    assert_eq!(of(TransportErrorKind::Protocol), (Phase::Unknown, Sent::Maybe, false));
    assert_eq!(of(TransportErrorKind::TooLarge), (Phase::Unknown, Sent::Maybe, false));
    assert_eq!(of(TransportErrorKind::Other), (Phase::Unknown, Sent::Maybe, false));
}

#[test]
fn a_transport_error_survives_an_io_error() {
    let error = TransportError::timeout(Phase::Body).into_io();
    assert_eq!(TransportError::from_io(error).phase(), Phase::Body);

    let error = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    assert_eq!(TransportError::from_io(error).kind(), TransportErrorKind::Interrupted);
}

#[test]
fn the_kind_of_an_io_error_decides_the_kind_of_the_exchange() {
    use std::io::ErrorKind as Io;

    for (kind, expected) in [
        (Io::TimedOut, TransportErrorKind::Timeout),
        (Io::WouldBlock, TransportErrorKind::Timeout),
        (Io::ConnectionRefused, TransportErrorKind::Connect),
        (Io::NetworkUnreachable, TransportErrorKind::Connect),
        (Io::ConnectionReset, TransportErrorKind::Interrupted),
        (Io::UnexpectedEof, TransportErrorKind::Interrupted),
        (Io::InvalidData, TransportErrorKind::Protocol),
        (Io::PermissionDenied, TransportErrorKind::Other),
    ] {
        assert_eq!(TransportError::from_io(kind.into()).kind(), expected, "{kind:?}");
    }
}

#[test]
fn an_expired_deadline_fails_before_anything_is_sent() {
    let transport = MemoryTransport::new([Ok(http::Response::default())]);
    let mut request = Request::default();
    request.extensions_mut().insert(Deadline::at(std::time::Instant::now()));
    let error = BlockingTransport::send(&transport, request).unwrap_err();
    assert_eq!((error.kind(), error.sent()), (TransportErrorKind::Timeout, Sent::No));
    assert_eq!(transport.requests().len(), 0);
}

#[test]
fn debug_shows_no_data() {
    let transport = MemoryTransport::new([Ok(http::Response::new("secret".into()))]);
    let request = http::Request::get("/secret").body("".into()).unwrap();
    let response = BlockingTransport::send(&transport, request).unwrap();
    let shown = format!("{transport:?} {:?}", response.body());
    assert_eq!(shown, "MemoryTransport { requests: 1, remaining: 0 } BlockingBody(6 bytes)");
    let line = r#"{"method":"GET","target":"/secret","status":200,"headers":[],"body":"secret"}"#;
    let shown = format!("{:?}", Replayer::new(line).unwrap());
    assert_eq!(shown, "Replayer(1 lines)");
    let bodies = [
        Body::from("secret".to_owned()),
        Body::from(b"secret".to_vec()),
        Body::from_chunks(futures_util::stream::iter([Ok("secret".into())])),
    ];
    let shown = bodies.map(|body| format!("{body:?}"));
    assert_eq!(shown, ["Body(6 bytes)", "Body(6 bytes)", "Body(stream)"]);
    let bodies = [
        BlockingBody::from("secret".to_owned()),
        BlockingBody::new(&b"secret"[..]),
        BlockingBody::from_chunks([Ok("secret".into())]),
    ];
    let shown = bodies.map(|body| format!("{body:?}"));
    assert_eq!(shown, ["BlockingBody(6 bytes)", "BlockingBody(stream)", "BlockingBody(stream)"]);
}
