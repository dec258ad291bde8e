//! A transport sends a request only to the host that it is for. The transport under test trusts one authority.

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use gateway_transport::{ErrorKind, Phase, Sent};

use crate::certificates::{Authority, Identity};
use crate::conformance::Kit;
use crate::conformance::failure::{describe, ensure_eq, expect_kind};
use crate::conformance::peer::{PATIENCE, SHORT, friendly, get_uri, server, settle};
use crate::outcome::{Outcome, ensure, fail};
use crate::raw_server::{Next, RawServer};

/// A certificate of the trusted authority is accepted, for a host name and for an IP address.
///
/// RFC 9110 section 4.3.4, RFC 6125.
pub fn trusted_certificate_is_accepted(kit: &Kit) -> Outcome {
    let server = secure(&kit.authority()?.identity()?)?;
    for uri in [server.uri("/"), server.uri_by_name("/")] {
        ensure_eq!(kit.fetch(get_uri(&uri)?)?.body, &b"{}"[..], "the body");
    }
    Ok(())
}

/// The host name is sent in the handshake, so that a server with several host names can choose the right certificate.
///
/// RFC 6066 section 3.
pub fn server_name_is_sent(kit: &Kit) -> Outcome {
    let server = secure(&kit.authority()?.identity()?)?;
    kit.fetch(get_uri(&server.uri_by_name("/"))?)?;
    let names: Vec<_> =
        server.progress().requests.into_iter().map(|request| request.server_name).collect();
    ensure_eq!(names, vec![Some("localhost".to_owned())], "the server names");
    Ok(())
}

/// A self-signed certificate is refused.
///
/// RFC 9110 section 4.3.4.
pub fn self_signed_is_refused(kit: &Kit) -> Outcome {
    kit.authority()?;
    refused(kit, &Identity::self_signed()?)
}

/// An expired certificate is refused.
///
/// RFC 5280 section 4.1.2.5.
pub fn expired_is_refused(kit: &Kit) -> Outcome {
    refused(kit, &kit.authority()?.expired()?)
}

/// A certificate of another host is refused.
///
/// RFC 6125 section 6.
pub fn other_host_is_refused(kit: &Kit) -> Outcome {
    refused(kit, &kit.authority()?.other_host()?)
}

/// A peer that does not use TLS is an error of kind `Tls`, and nothing is sent.
///
/// The address is wrong, so a retry is pointless. RFC 8446 section 5.
pub fn peer_without_tls(kit: &Kit) -> Outcome {
    kit.authority()?;
    let server = server(|_, _| Next::Close)?;
    let plain = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = plain.local_addr()?;
    let peer = std::thread::spawn(move || -> std::io::Result<()> {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = plain.accept()?;
        let mut hello = [0; 16];
        stream.read_exact(&mut hello)?;
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        drop(std::io::copy(&mut stream, &mut std::io::sink()));
        Ok(())
    });
    let error = kit.failure(get_uri(&format!("https://localhost:{}/", address.port()))?)?;
    drop((server, peer));
    expect_kind(&error, &[ErrorKind::Tls])?;
    ensure!(error.sent() == Sent::No, "`sent` is not `No`: {}", describe(&error));
    Ok(())
}

/// A body that ends with the connection counts as truncated if TLS sends no `close_notify`.
///
/// Otherwise an attacker who can close the connection could shorten a list. RFC 9112 section 9.8, RFC 8446 section
/// 6.1.
pub fn end_without_close_notify_is_an_error(kit: &Kit) -> Outcome {
    let server = RawServer::start_tls(&kit.authority()?.identity()?, |_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhalf a li");
        connection.cut();
        Next::Close
    })?;
    let error = kit.failure(get_uri(&server.uri_by_name("/"))?)?;
    expect_kind(&error, &[ErrorKind::Interrupted])
}

/// A body that ends with the connection is complete if TLS sends `close_notify`.
///
/// RFC 9112 section 9.8.
pub fn end_with_close_notify_is_complete(kit: &Kit) -> Outcome {
    let server = RawServer::start_tls(&kit.authority()?.identity()?, |_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nwhole");
        Next::Close
    })?;
    ensure_eq!(kit.fetch(get_uri(&server.uri_by_name("/"))?)?.body, &b"whole"[..], "the body");
    Ok(())
}

/// A one-megabyte body arrives in full over TLS.
///
/// TLS splits it into many records. RFC 8446 section 5.1.
pub fn large_body_is_whole(kit: &Kit) -> Outcome {
    let server = RawServer::start_tls(&kit.authority()?.identity()?, |_, connection| {
        connection.respond("", &vec![b'x'; 1_000_000]);
        Next::KeepAlive
    })?;
    let body = kit.fetch(get_uri(&server.uri_by_name("/"))?)?.body;
    ensure!(body.len() == 1_000_000, "{} bytes arrived", body.len());
    Ok(())
}

/// Consecutive calls use one TLS session.
///
/// RFC 9112 section 9.3.
pub fn sessions_are_reused(kit: &Kit) -> Outcome {
    let server = secure(&kit.authority()?.identity()?)?;
    for _ in 0..3 {
        kit.fetch(get_uri(&server.uri_by_name("/"))?)?;
        settle(Duration::from_millis(20));
    }
    ensure_eq!(server.progress().connections, 1, "connections for 3 calls");
    Ok(())
}

/// A certificate of an unknown authority is refused, and nothing is sent.
///
/// RFC 5280 section 6.
pub fn unknown_authority_is_refused(kit: &Kit) -> Outcome {
    kit.authority()?;
    refused(kit, &Authority::new()?.identity()?)
}

/// The connect timeout also ends a TLS handshake that the peer never answers.
///
/// `Setup::connect_timeout`.
pub fn silent_handshake_times_out(kit: &Kit) -> Outcome {
    kit.authority()?;
    let kit = kit.with(|setup| setup.connect_timeout = SHORT)?;
    // The system completes connections to a listener that never accepts.
    let peer = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = peer.local_addr()?;
    let error = kit.failure(get_uri(&format!("https://localhost:{}/", address.port()))?)?;
    drop(peer);
    expect_kind(&error, &[ErrorKind::Timeout])?;
    ensure_eq!(error.phase(), Phase::Connect, "the phase");
    ensure_eq!(error.sent(), Sent::No, "`sent`");
    Ok(())
}

/// A redirect from TLS to plain text is returned to the caller, not followed.
///
/// RFC 9110 section 15.4.
pub fn redirect_to_plain_text_is_not_followed(kit: &Kit) -> Outcome {
    let plain = friendly()?;
    let location = plain.uri("/plain");
    let identity = kit.authority()?.identity()?;
    let server = RawServer::start_tls(&identity, move |_, connection| {
        let head = format!("HTTP/1.1 302 X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        connection.send(head.as_bytes());
        Next::KeepAlive
    })?;
    let response = kit.fetch(get_uri(&server.uri_by_name("/"))?)?;
    ensure_eq!(response.head.status.as_u16(), 302, "the status");
    ensure_eq!(plain.progress().connections, 0, "connections in plain text");
    Ok(())
}

/// Starts a server with this identity that answers `{}`.
fn secure(identity: &Identity) -> Outcome<RawServer> {
    Ok(RawServer::start_tls(identity, |_, connection| {
        connection.respond("", b"{}");
        Next::KeepAlive
    })?)
}

/// Calls a server with this identity, which must be refused and must not receive the request.
fn refused(kit: &Kit, identity: &Identity) -> Outcome {
    let server = secure(identity)?;
    let Err(error) = kit.send(get_uri(&server.uri_by_name("/"))?) else {
        return fail("the certificate was accepted");
    };
    expect_kind(&error, &[ErrorKind::Tls])?;
    ensure!(error.sent() == Sent::No, "`sent` is not `No`: {}", describe(&error));
    ensure!(!error.is_transient(), "the error is transient: {}", describe(&error));
    ensure_eq!(server.progress().requests.len(), 0, "requests");
    Ok(())
}
