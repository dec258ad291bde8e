//! The peer is not who it should be, or does not speak TLS as it should.

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
        fault("a trusted certificate", secure(document(LIST))),
        fault("an expired certificate", Peer::Secure(Authority::expired, document(LIST))),
        fault("a certificate of another name", {
            Peer::Secure(Authority::other_host, document(LIST))
        }),
        fault("a certificate that signs itself", {
            Peer::Secure(|_| Identity::self_signed(), document(LIST))
        }),
        fault("a certificate of an unknown authority", {
            Peer::Secure(|_| Authority::new()?.identity(), document(LIST))
        }),
        fault("plain text in place of TLS", Peer::InPlaceOfTls(plain_text)),
        fault("an alert of SSLv3", Peer::InPlaceOfTls(alert)),
        fault("garbage in place of a TLS record", Peer::InPlaceOfTls(garbage)),
        fault("FIN in place of the handshake", Peer::InPlaceOfTls(drop)),
        fault("a handshake that hangs", Peer::InPlaceOfTls(drain)).waits(),
        fault("ended by closing, with a goodbye", {
            secure(Script::Plays(without_a_length.clone(), End::Fin))
        }),
        fault("ended by closing, without a goodbye", {
            secure(Script::Plays(without_a_length, End::Cut))
        }),
        fault("cut in the body, without a goodbye", secure(Script::Plays(in_the_body, End::Cut))),
        fault("cut before the head, without a goodbye", {
            secure(Script::Plays(Vec::new(), End::Cut))
        }),
    ];
    Group { name: "TLS", cases }
}

fn plain_text(stream: TcpStream) {
    say(stream, b"HTTP/1.1 400 CANARY\r\ncontent-length: 0\r\n\r\n");
}

/// Fatal, handshake failure (RFC 6101, section 5.4).
fn alert(stream: TcpStream) {
    say(stream, &[21, 3, 0, 0, 2, 2, 40]);
}

/// The header of a handshake record, and nothing sensible in it.
fn garbage(stream: TcpStream) {
    say(stream, b"\x16\x03\x03\x00\x06CANARY");
}

/// Sends these bytes, and lets the peer end it.
fn say(mut stream: TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).unwrap();
    drain(stream);
}
