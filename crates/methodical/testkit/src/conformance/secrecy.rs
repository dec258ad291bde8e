//! Checks of TLS and secrecy: secrets must stay between the two peers. The transport under test trusts one authority.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};

use gateway_transport::{Request, TransportError, TransportErrorKind};
use http::HeaderValue;

use crate::certificates::{Authority, CertificateError, Identity};
use crate::conformance::Kit;
use crate::conformance::peer::{
    PATIENCE, SHORT, closed_port, describe, equal, expect_kind, expect_unsent, friendly, get,
    get_uri, ok, playing, secure, stalling, within,
};
use crate::conformance::time::not_connected_in_time;
use crate::outcome::{Outcome, ensure, fail};
use crate::raw_server::{Next, RawServer};

pub(super) fn trusted_certificate_is_accepted(kit: &Kit) -> Outcome {
    let server = secure(kit, ok)?;
    for uri in [server.uri("/"), server.uri_by_name("/")] {
        kit.gets(get_uri(&uri)?, "{}")?;
    }
    Ok(())
}

pub(super) fn server_name_is_sent(kit: &Kit) -> Outcome {
    let server = secure(kit, ok)?;
    kit.fetch(get_uri(&server.uri_by_name("/"))?)?;
    let requests = server.progress().requests.into_iter();
    let names: Vec<_> = requests.filter_map(|request| request.server_name).collect();
    equal("the server name in the handshake", names.join(", "), "localhost")
}

/// Expects a certificate to be refused before the request is sent.
pub(super) fn certificate_is_refused(
    kit: &Kit,
    issue: fn(&Authority) -> Result<Identity, CertificateError>,
) -> Outcome {
    let server = RawServer::start_tls(&issue(kit.authority()?)?, ok)?;
    let Err(error) = kit.send(get_uri(&server.uri_by_name("/"))?) else {
        return fail("the certificate was accepted");
    };
    expect_kind(&error, &[TransportErrorKind::Tls])?;
    expect_unsent(&error)?;
    ensure!(!error.is_transient(), "the error is transient: {}", describe(&error));
    equal("requests", server.progress().requests.len(), 0)
}

pub(super) fn peer_without_tls(kit: &Kit) -> Outcome {
    kit.authority()?;
    let plain = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let uri = format!("https://localhost:{}/", plain.local_addr()?.port());
    let peer = std::thread::spawn(move || -> std::io::Result<()> {
        let (mut stream, _) = plain.accept()?;
        stream.read_exact(&mut [0; 16])?;
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        drop(std::io::copy(&mut stream, &mut std::io::sink()));
        Ok(())
    });
    let error = kit.failure(get_uri(&uri)?)?;
    drop(peer);
    expect_kind(&error, &[TransportErrorKind::Tls])?;
    expect_unsent(&error)
}

pub(super) fn end_without_close_notify_is_an_error(kit: &Kit) -> Outcome {
    let server = secure(kit, |_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhalf a li");
        connection.cut();
        Next::Close
    })?;
    let error = kit.failure(get_uri(&server.uri_by_name("/"))?)?;
    expect_kind(&error, &[TransportErrorKind::Interrupted])
}

pub(super) fn end_with_close_notify_is_complete(kit: &Kit) -> Outcome {
    let server = secure(kit, |_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nwhole");
        Next::Close
    })?;
    kit.gets(get_uri(&server.uri_by_name("/"))?, "whole")
}

pub(super) fn silent_handshake_times_out(kit: &Kit) -> Outcome {
    kit.authority()?;
    let kit = kit.with(|setup| setup.connect_timeout = SHORT)?;
    // The system completes connections to a listener that never accepts.
    let peer = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = peer.local_addr()?.port();
    not_connected_in_time(&kit, get_uri(&format!("https://localhost:{port}/"))?)
}

pub(super) fn redirect_to_plain_text_is_not_followed(kit: &Kit) -> Outcome {
    let plain = friendly()?;
    let location = plain.uri("/plain");
    let server = secure(kit, move |_, connection| {
        let head = format!("HTTP/1.1 302 X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        connection.send(head.as_bytes());
        Next::KeepAlive
    })?;
    let response = kit.fetch(get_uri(&server.uri_by_name("/"))?)?;
    equal("the status", response.status().as_u16(), 302)?;
    equal("connections in plain text", plain.progress().connections, 0)
}

pub(super) fn errors_before_the_response_reveal_nothing(kit: &Kit) -> Outcome {
    let (silent, closing) = (stalling("")?, playing("", Next::Close)?);
    let requests = [
        get_uri(&format!("http://{}{TARGET}", closed_port()?))?,
        get_uri(&format!("http://no-such-host.invalid{TARGET}"))?,
        get_uri(&format!("ftp://127.0.0.1{TARGET}"))?,
        within(SHORT, get(&silent, TARGET)?),
        get(&closing, TARGET)?,
    ];
    requests.into_iter().try_for_each(|request| error_reveals_nothing(kit, request))
}

pub(super) fn errors_in_the_response_reveal_nothing(kit: &Kit) -> Outcome {
    let responses = [
        format!("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{{\"name\":\"{PERSON}\"}}"),
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{PERSON}\r\n"),
        format!("HTTP/1.1 200 OK\r\nbroken header {PERSON}\r\n\r\n"),
        format!("{PERSON}\r\n\r\n"),
    ];
    responses.into_iter().try_for_each(|response| {
        let server = playing(response, Next::Close)?;
        error_reveals_nothing(kit, get(&server, TARGET)?)
    })
}

pub(super) fn tls_errors_reveal_nothing(kit: &Kit) -> Outcome {
    kit.authority()?;
    let server = RawServer::start_tls(&Identity::self_signed()?, ok)?;
    error_reveals_nothing(kit, get_uri(&server.uri_by_name(TARGET))?)
}

pub(super) fn token_is_for_one_request(kit: &Kit) -> Outcome {
    let (first, second) = (friendly()?, friendly()?);
    kit.fetch(with_token(get(&first, "/")?))?;
    kit.fetch(get(&second, "/")?)?;
    kit.fetch(get(&first, "/")?)?;
    let requests = [first.progress().requests, second.progress().requests].concat();
    let tokens: Vec<_> = requests.iter().map(|sent| sent.header("authorization").len()).collect();
    ensure!(tokens == [1, 0, 0], "the requests have {tokens:?} tokens instead of [1, 0, 0]");
    Ok(())
}

pub(super) fn password_of_an_address_is_not_sent(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let uri = format!("http://name:{PERSON}@{}/", server.address());
    let response = kit.send(get_uri(&uri)?);
    let requests = server.progress().requests;
    if let Err(error) = response {
        expect_kind(&error, &[TransportErrorKind::InvalidRequest])?;
        let text = describe_fully(&error);
        ensure!(!text.contains(PERSON), "the error contains the password: {text}");
        ensure!(requests.is_empty(), "it was refused, but only after it was sent");
    }
    for request in requests {
        ensure!(request.header("authorization").is_empty(), "the credentials are sent");
        let head = String::from_utf8_lossy(&request.head).into_owned();
        ensure!(!head.contains(PERSON), "the password is sent");
    }
    Ok(())
}

pub(super) fn redirects_get_no_credentials(kit: &Kit) -> Outcome {
    const NAMES: [&str; 4] = ["authorization", "x-api-key", "cookie", "referer"];
    let thief = friendly()?;
    let location = thief.uri("/thief");
    let head = format!("HTTP/1.1 307 X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    let server = playing(head, Next::KeepAlive)?;
    let mut request = get(&server, "/")?;
    for name in NAMES.into_iter().take(3) {
        request.headers_mut().insert(name, HeaderValue::from_static(TOKEN));
    }
    kit.fetch(request)?;
    for stolen in thief.progress().requests {
        for name in NAMES {
            ensure!(stolen.header(name).is_empty(), "{name} is sent to the target of the redirect");
        }
    }
    Ok(())
}

fn with_token(mut request: Request) -> Request {
    request.headers_mut().insert("authorization", HeaderValue::from_static(TOKEN));
    request
}

/// Expects a request with a token to fail with an error that reveals nothing.
fn error_reveals_nothing(kit: &Kit, request: Request) -> Outcome {
    let text = describe_fully(&kit.failure(with_token(request))?);
    for (what, secret) in
        [("the query", "canaryquery"), ("the token", "canarytoken"), ("the body", PERSON)]
    {
        ensure!(!text.contains(secret), "the output contains {what}");
    }
    Ok(())
}

/// Returns everything that an error prints, in each of its formats.
fn describe_fully(error: &TransportError) -> String {
    format!("{} {error:?} {error:#?}", describe(error))
}

const TARGET: &str = "/c/v1?status=canaryquery";
const TOKEN: &str = "Bearer canarytoken";
const PERSON: &str = "canaryperson";
