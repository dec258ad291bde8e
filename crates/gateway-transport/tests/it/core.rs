//! Properties of the core types that no signature shows: auto traits, dyn-compatibility, sizes, `Debug` output.
use std::collections::BTreeSet;
use std::env;
use std::fmt::Debug;
use std::process::Command;
use std::sync::Arc;

use gateway_transport::bridge::{OffThread, OnThread};
use gateway_transport::cassette::{Recorder, Replayer};
use gateway_transport::gzip::Gzip;
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::tower::{ServiceTransport, TransportService};
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, BoxFuture, Deadline, MapRequest,
    MemoryTransport, Options, Phase, Request, Response, Sent, SharedTransport, Transport,
    TransportError, TransportErrorKind,
};

#[test]
fn types_are_send_and_sync() {
    fn send_sync<T: Send + Sync + Debug>() {}
    fn send<T: Send + Debug>() {}
    send_sync::<SharedTransport>();
    send_sync::<MemoryTransport>();
    send_sync::<TransportError>();
    send_sync::<Options>();
    send_sync::<Deadline>();
    send_sync::<Request>();
    send::<Body>();
    send::<BlockingBody>();
    send_sync::<ReqwestTransport>();
    send_sync::<ReqwestBlockingTransport>();
}

#[test]
fn a_call_through_a_shared_transport_can_be_spawned() {
    let shared = SharedTransport::new(MemoryTransport::default());
    let _call: BoxFuture<'static, Result<Response, TransportError>> =
        Box::pin(async move { shared.send(Request::default()).await });
}

#[test]
fn blocking_transports_are_dyn_compatible() {
    let boxed: Box<dyn BlockingTransport> = Box::new(MemoryTransport::default());
    let shared: Arc<dyn BlockingTransport> = Arc::new(boxed);
    assert_eq!(shared.name(), "memory");
}

/// Logs and traces name the transport that sends, not what wraps it.
#[test]
fn a_wrapper_has_the_name_of_the_transport_in_it() {
    #[track_caller]
    fn check(transport: &impl Transport, expected: &str) {
        assert_eq!(transport.name(), expected);
    }
    #[track_caller]
    fn check_blocking(transport: &impl BlockingTransport, expected: &str) {
        assert_eq!(transport.name(), expected);
    }
    #[track_caller]
    fn both<T: Transport + BlockingTransport>(transport: &T) {
        check(transport, "memory");
        check_blocking(transport, "memory");
    }
    struct Unnamed;
    impl Transport for Unnamed {
        async fn send(&self, _: Request) -> Result<Response, TransportError> {
            Err(TransportError::new(TransportErrorKind::Other, "cannot send"))
        }
    }
    impl BlockingTransport for Unnamed {
        fn send(&self, _: Request) -> Result<BlockingResponse, TransportError> {
            Err(TransportError::new(TransportErrorKind::Other, "cannot send"))
        }
    }
    let own = std::any::type_name::<Unnamed>();
    check(&Unnamed, own);
    check_blocking(&Unnamed, own);
    let memory = MemoryTransport::default;
    both(&memory());
    both(&Arc::new(memory()));
    both(&MapRequest::new(memory(), |request: Request| Ok(request)));
    both(&Gzip::new(memory()));
    both(&Recorder::new(memory(), Vec::new()));
    check_blocking(&Box::new(memory()), "memory");
    check_blocking(&OnThread::new(memory()).unwrap(), "memory");
    check(&OffThread::new(memory()), "memory");
    check(&SharedTransport::new(memory()), "memory");
    check(&Replayer::new("").unwrap(), "cassette");
    check_blocking(&Replayer::new("").unwrap(), "cassette");
    let options = Options::default();
    check_blocking(&ReqwestBlockingTransport::new(&options).unwrap(), "reqwest-blocking");
    // The options may contain the password of a proxy.
    let (reqwest, ureq) =
        (ReqwestTransport::new(&options).unwrap(), UreqTransport::new(&options).unwrap());
    check(&reqwest, "reqwest");
    check_blocking(&ureq, "ureq");
    assert_eq!(format!("{reqwest:?} {ureq:?}"), "ReqwestTransport UreqTransport");
}

#[test]
fn an_error_is_one_pointer_wide() {
    assert_eq!(size_of::<TransportError>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), TransportError>>(), size_of::<usize>());
}

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

/// Logs show which transport a wrapper sends with.
#[test]
fn debug_of_a_wrapper_shows_the_transport_in_it() {
    const MEMORY: &str = "MemoryTransport { requests: 0, remaining: 0 }";
    let memory = MemoryTransport::default;
    let service = TransportService::new(memory());
    let shown = [
        format!("{:?}", OnThread::new(memory()).unwrap()),
        format!("{:?}", OffThread::new(memory())),
        format!("{:?}", Recorder::new(memory(), Vec::new())),
        format!("{service:?}"),
        format!("{:?}", ServiceTransport::<u8>::new(0)),
    ];
    let expected = [
        format!("OnThread({MEMORY})"),
        format!("OffThread({MEMORY})"),
        format!("Recorder({MEMORY})"),
        "TransportService(memory)".to_owned(),
        "ServiceTransport(u8)".to_owned(),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn clones_of_a_bridge_share_the_transport() {
    let entry = || Ok(http::Response::new(bytes::Bytes::from_static(b"x")));
    let memory = MemoryTransport::new([entry(), entry(), entry(), entry()]);
    let on_thread = OnThread::new(memory.clone()).unwrap();
    for bridge in [on_thread.clone(), on_thread] {
        let body = bridge.send(Request::default()).unwrap().into_body();
        assert_eq!(body.collect(1).unwrap(), "x");
    }
    let off_thread = OffThread::new(memory.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for bridge in [off_thread.clone(), off_thread] {
        let response = runtime.block_on(bridge.send(Request::default())).unwrap();
        assert_eq!(runtime.block_on(response.into_body().collect(1)).unwrap(), "x");
    }
    assert_eq!(memory.requests().len(), 4);
}

#[test]
fn the_core_has_few_dependencies() {
    let crates = dependencies("");
    assert!(crates.len() <= 12, "{crates:?}");
}

#[test]
fn a_client_is_a_dependency_only_with_its_feature() {
    let crates = dependencies("bridge,cassette,gzip,tower-service,rustls");
    let clients = ["hyper", "reqwest", "ureq", "hyper-util", "url"];
    assert_eq!(clients.iter().find(|name| crates.contains(**name)), None);
}

#[test]
fn ureq_does_not_depend_on_tokio() {
    assert!(!dependencies("cassette,gzip,rustls,ureq").contains("tokio"));
}

/// Returns the crates of a build with these features, this one included.
fn dependencies(features: &str) -> BTreeSet<String> {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none"])
        .args(["--no-default-features", "--features", features])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}
