//! TLS over sockets, through both clients: what the conformance kit does not check.
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingTransport, Options, Phase, Proxy, Sent, TransportError, TransportErrorKind,
};
use methodical_testkit::certificates::{Authority, Identity};
use methodical_testkit::raw_server::RawServer;

use crate::{adapters, fetch, greet};

#[test]
fn a_close_during_the_handshake_is_a_connect_error() {
    fails(&options_without_roots(), TransportErrorKind::Connect, |mut stream| {
        // Read the whole first message, so that closing does not cause a reset.
        let mut header = [0; 5];
        stream.read_exact(&mut header).unwrap();
        let length = u16::from_be_bytes([header[3], header[4]]).into();
        stream.read_exact(&mut vec![0; length]).unwrap();
    });
}

#[test]
fn the_handshake_counts_as_connecting() {
    let options = options_without_roots().connect_timeout(Duration::from_millis(100));
    fails(&options, TransportErrorKind::Timeout, |mut stream| {
        // A handshake record of 256 bytes, sent one byte at a time.
        stream.write_all(&[22, 3, 3, 1, 0]).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let mut hello = [0; 4096];
        for _ in 0..256 {
            // Waits for the read timeout, or notices that the client has closed.
            if matches!(stream.read(&mut hello), Ok(0)) || stream.write_all(&[0]).is_err() {
                break;
            }
        }
    });
}

/// Requires an error of this kind, before anything is sent, from a peer with this behavior.
#[track_caller]
fn fails(options: &Options, kind: TransportErrorKind, act: fn(TcpStream)) {
    for adapter in adapters(options) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = format!("https://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || act(listener.accept().unwrap().0));
        let error = get(&*adapter, &target);
        server.join().unwrap();
        let actual = (error.kind(), error.phase(), error.sent());
        assert_eq!(actual, (kind, Phase::Connect, Sent::No), "{error:?}");
    }
}

/// The kit checks the kind and the phase of these errors, and that nothing was sent.
#[test]
fn the_reason_of_a_refused_certificate_is_in_debug() {
    let authority = Authority::new().unwrap();
    for (identity, reason) in [
        (Identity::self_signed().unwrap(), "BadSignature"),
        (authority.expired().unwrap(), "Expired"),
        (authority.other_host().unwrap(), "NotValidForName"),
    ] {
        assert_eq!(format!("{authority:?} {identity:?}"), "Authority Identity", "the key is shown");
        let server = RawServer::start_tls(&identity, greet).unwrap();
        for adapter in adapters(&trusting(&authority)) {
            let error = get(&*adapter, &server.uri("/"));
            assert!(format!("{error:?}").contains(reason), "{error:?}");
        }
    }
}

#[test]
fn a_service_that_asks_for_a_certificate_gets_that_of_the_client() {
    let authority = Authority::new().unwrap();
    let (identity, client) = authority.mutual().unwrap();
    let options = trusting(&authority);
    let with_certificate = adapters(&options.clone().client_certificate(client.clone()));
    for (with, without) in with_certificate.into_iter().zip(adapters(&options)) {
        let server = RawServer::start_tls(&identity, greet).unwrap();
        assert_eq!(fetch(&*with, &server.uri("/")).unwrap(), "hello");
        get(&*without, &server.uri("/"));
        assert_eq!(server.progress().requests.len(), 1);
    }
    // The key is missing, or both are.
    let (certificate, _) = client.split_once("-----BEGIN PRIVATE").unwrap();
    for invalid in [certificate, "CANARY"] {
        let options = Options::default().client_certificate(invalid.to_owned());
        let error = UreqTransport::new(&options).unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Tls);
        assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
    }
}

#[test]
fn an_invalid_extra_root_is_refused() {
    let options = Options::default().extra_root("not a certificate");
    assert_eq!(ReqwestTransport::new(&options).unwrap_err().kind(), TransportErrorKind::Tls);
    assert_eq!(UreqTransport::new(&options).unwrap_err().kind(), TransportErrorKind::Tls);
}

fn get(transport: &dyn BlockingTransport, target: &str) -> TransportError {
    fetch(transport, target).unwrap_err()
}

fn trusting(authority: &Authority) -> Options {
    options_without_roots().extra_root(authority.certificate())
}

fn options_without_roots() -> Options {
    Options::default().proxy(Proxy::Never)
}
