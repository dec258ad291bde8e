//! Certificates that are not trusted, and peers that break TLS.

use std::io::Write as _;
use std::net::TcpStream;

use gateway_testkit::certificates::{Authority, Identity};

use super::case::{End, Group, LIST, Peer, Script, answer, document, fault, head};
use super::peer::drain;

pub(super) fn tls() -> Group {
    let whole = answer(LIST);
    let in_the_body = whole.split_at(whole.len() - 30).0.to_vec();
    let without_a_length = (head("connection: close\r\n") + LIST).into_bytes();
    let secure = |script: Script| Peer::Secure(Authority::identity, script);
    let cases = vec![
        fault("trusted certificate", secure(document(LIST))),
        fault("expired certificate", Peer::Secure(Authority::expired, document(LIST))),
        fault("certificate for another host", {
            Peer::Secure(Authority::other_host, document(LIST))
        }),
        fault("self-signed certificate", {
            Peer::Secure(|_| Identity::self_signed(), document(LIST))
        }),
        fault("certificate of an unknown authority", {
            Peer::Secure(|_| Authority::new()?.identity(), document(LIST))
        }),
        fault("plain HTTP instead of TLS", Peer::InPlaceOfTls(plain_text)),
        fault("SSLv3 alert", Peer::InPlaceOfTls(alert)),
        fault("garbage instead of a TLS handshake", Peer::InPlaceOfTls(garbage)),
        fault("FIN instead of the handshake", Peer::InPlaceOfTls(drop)),
        fault("silence instead of the handshake", Peer::InPlaceOfTls(drain)).waits(),
        fault("close-delimited body, with close_notify", {
            secure(Script::Plays(without_a_length.clone(), End::Fin))
        }),
        fault("close-delimited body, without close_notify", {
            secure(Script::Plays(without_a_length, End::Cut))
        }),
        fault(
            "truncated in the body, without close_notify",
            secure(Script::Plays(in_the_body, End::Cut)),
        ),
        fault("closed before the head, without close_notify", {
            secure(Script::Plays(Vec::new(), End::Cut))
        }),
    ];
    Group { name: "TLS", cases }
}

fn plain_text(stream: TcpStream) {
    send(stream, b"HTTP/1.1 400 CANARY\r\ncontent-length: 0\r\n\r\n");
}

/// Sends a fatal `handshake_failure` alert (RFC 6101, section 5.4).
fn alert(stream: TcpStream) {
    send(stream, &[21, 3, 0, 0, 2, 2, 40]);
}

/// Sends the header of a handshake record with an invalid payload.
fn garbage(stream: TcpStream) {
    send(stream, b"\x16\x03\x03\x00\x06CANARY");
}

/// Sends these bytes, and waits until the peer closes the connection.
fn send(mut stream: TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).unwrap();
    drain(stream);
}
