//! TLS over sockets, through every adapter: trusted roots, errors for untrusted peers, and truncated sessions.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::ureq::UreqTransport;
use gateway_transport::{
    BlockingTransport, ErrorKind, Options, Phase, Proxy, Sent, Transport, TransportError,
};
use methodical_testkit::certificates::{Authority, Identity};
use methodical_testkit::raw_server::{Connection, Next, RawRequest, RawServer};

#[test]
fn a_private_authority_is_trusted_if_it_is_an_extra_root() {
    let authority = Authority::new().unwrap();
    for adapter in ADAPTERS {
        let server = RawServer::start_tls(&authority.identity().unwrap(), greet).unwrap();
        let options = trusting(&authority);
        assert_eq!(get(adapter, &options, &server.uri("/")).unwrap(), "hello", "{adapter}");
        assert_eq!(get(adapter, &options, &server.uri_by_name("/")).unwrap(), "hello", "{adapter}");

        let names = server.progress().requests.into_iter().map(|request| request.server_name);
        // An address is not a name (RFC 6066, section 3).
        assert!(names.eq([None, Some("localhost".to_owned())]), "{adapter}");

        let error = get(adapter, &options_without_roots(), &server.uri("/")).unwrap_err();
        assert_untrusted(adapter, &error);
    }
}

#[test]
fn invalid_certificates_are_refused_before_anything_is_sent() {
    let authority = Authority::new().unwrap();
    let identities = [
        (Identity::self_signed().unwrap(), "BadSignature"),
        (authority.expired().unwrap(), "Expired"),
        (authority.other_host().unwrap(), "NotValidForName"),
    ];
    for adapter in ADAPTERS {
        for (identity, reason) in &identities {
            let server = RawServer::start_tls(identity, greet).unwrap();
            let error = get(adapter, &trusting(&authority), &server.uri("/?secret")).unwrap_err();
            assert_untrusted(adapter, &error);
            assert!(format!("{error:?}").contains(reason), "{adapter}: {error:?}");
            assert!(server.wait_until(TIMEOUT, |seen| seen.ended == 1), "{adapter}, {reason}");
            assert_eq!(server.progress().requests.len(), 0, "{adapter}, {reason}");
        }
    }
}

#[test]
fn a_peer_without_tls_is_not_trusted() {
    for adapter in ADAPTERS {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = format!("https://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").unwrap();
            // Wait until the peer has closed: closing earlier could discard the response.
            drop(stream.read_to_end(&mut Vec::new()));
        });
        let error = get(adapter, &options_without_roots(), &target);
        server.join().unwrap();
        assert_untrusted(adapter, &error.unwrap_err());
    }
}

#[test]
fn a_close_during_the_handshake_is_a_connect_error() {
    for adapter in ADAPTERS {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = format!("https://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            // Read the whole first message, so that closing does not cause a reset.
            let mut header = [0; 5];
            stream.read_exact(&mut header).unwrap();
            let length = u16::from_be_bytes([header[3], header[4]]).into();
            stream.read_exact(&mut vec![0; length]).unwrap();
        });
        let error = get(adapter, &options_without_roots(), &target).unwrap_err();
        server.join().unwrap();
        let actual = (error.kind(), error.phase(), error.sent());
        assert_eq!(actual, (ErrorKind::Connect, Phase::Connect, Sent::No), "{adapter}: {error:?}");
    }
}

#[test]
fn the_handshake_counts_as_connecting() {
    for adapter in ADAPTERS {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = format!("https://{}/", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
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
        let options = options_without_roots().connect_timeout(Duration::from_millis(100));
        let error = get(adapter, &options, &target).unwrap_err();
        server.join().unwrap();
        let actual = (error.kind(), error.phase(), error.sent());
        assert_eq!(actual, (ErrorKind::Timeout, Phase::Connect, Sent::No), "{adapter}: {error:?}");
    }
}

#[test]
fn an_end_without_close_notify_is_a_truncated_body() {
    let authority = Authority::new().unwrap();
    for adapter in ADAPTERS {
        let server = RawServer::start_tls(&authority.identity().unwrap(), |request, connection| {
            // The body ends with the connection (RFC 9112, section 9.8).
            connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello");
            if request.target() == "/cut" {
                connection.cut();
            }
            Next::Close
        })
        .unwrap();
        let options = trusting(&authority);
        assert_eq!(get(adapter, &options, &server.uri("/whole")).unwrap(), "hello", "{adapter}");
        let error = get(adapter, &options, &server.uri("/cut"));
        let error = error.expect_err(adapter);
        assert_eq!(error.kind(), ErrorKind::Interrupted, "{adapter}: {error:?}");
        assert_eq!(error.phase(), Phase::Body, "{adapter}");
    }
}

#[test]
fn a_service_that_asks_for_a_certificate_gets_that_of_the_client() {
    let authority = Authority::new().unwrap();
    let (identity, client) = authority.mutual().unwrap();
    for adapter in ADAPTERS {
        let server = RawServer::start_tls(&identity, greet).unwrap();
        let options = trusting(&authority).client_certificate(client.clone());
        assert_eq!(get(adapter, &options, &server.uri("/")).unwrap(), "hello", "{adapter}");
        get(adapter, &trusting(&authority), &server.uri("/")).unwrap_err();
        assert_eq!(server.progress().requests.len(), 1, "{adapter}");
    }
    // The key is missing, or nothing is there.
    let (certificate, _) = client.split_once("-----BEGIN PRIVATE").unwrap();
    for invalid in [certificate, "CANARY"] {
        let options = Options::default().client_certificate(invalid.to_owned());
        let error = UreqTransport::new(&options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Tls);
        assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
    }
}

#[test]
fn an_invalid_extra_root_is_refused() {
    let options = Options::default().extra_root("not a certificate");
    let error = ReqwestTransport::new(&options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls);
    let error = UreqTransport::new(&options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Tls);
}

#[track_caller]
fn assert_untrusted(adapter: &str, error: &TransportError) {
    let actual = (error.kind(), error.phase(), error.sent());
    assert_eq!(actual, (ErrorKind::Tls, Phase::Connect, Sent::No), "{adapter}: {error:?}");
}

fn get(adapter: &str, options: &Options, target: &str) -> Result<String, TransportError> {
    let request = http::Request::get(target).body("".into()).unwrap();
    let body = if adapter == "reqwest" {
        let transport = ReqwestTransport::new(options)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { transport.send(request).await?.into_body().collect(LIMIT).await })
    } else {
        let transport: Box<dyn BlockingTransport> = match adapter {
            "reqwest-blocking" => Box::new(ReqwestBlockingTransport::new(options)?),
            _ => Box::new(UreqTransport::new(options)?),
        };
        transport.send(request)?.into_body().collect(LIMIT)
    };
    body.map(|body| String::from_utf8(body.to_vec()).unwrap())
}

fn greet(_: &RawRequest, connection: &mut Connection) -> Next {
    connection.respond("", b"hello");
    Next::KeepAlive
}

fn trusting(authority: &Authority) -> Options {
    options_without_roots().extra_root(authority.certificate())
}

fn options_without_roots() -> Options {
    Options::default().proxy(Proxy::Never)
}

const ADAPTERS: [&str; 3] = ["reqwest", "reqwest-blocking", "ureq"];
const LIMIT: u64 = 100;
/// Timeout of anything that must happen in a passing test.
const TIMEOUT: Duration = Duration::from_secs(20);
