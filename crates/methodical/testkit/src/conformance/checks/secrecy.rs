//! Secrets stay between the two peers.

use gateway_transport::{ErrorKind, Request, TransportError};
use http::HeaderValue;

use crate::certificates::Identity;
use crate::conformance::Kit;
use crate::conformance::failure::{describe_fully, ensure_eq, expect_kind};
use crate::conformance::peer::{
    SHORT, closed_port, friendly, get, get_uri, playing, server, within,
};
use crate::outcome::{Outcome, ensure};
use crate::raw_server::{Next, RawServer};

/// An error before the response contains neither the query nor a header.
///
/// Errors end up in logs, which more people read than may see a token. RFC 6750 section 5.3.
pub fn errors_before_the_response_reveal_nothing(kit: &Kit) -> Outcome {
    let silent = server(|_, connection| {
        connection.wait_for_close(SHORT * 4);
        Next::Close
    })?;
    let closing = server(|_, _| Next::Close)?;
    let requests = [
        get_uri(&format!("http://{}{TARGET}", closed_port()?))?,
        get_uri(&format!("http://no-such-host.invalid{TARGET}"))?,
        get_uri(&format!("ftp://127.0.0.1{TARGET}"))?,
        within(SHORT, get(&silent, TARGET)?),
        get(&closing, TARGET)?,
    ];
    for request in requests {
        error_reveals_nothing(&kit.failure(with_token(request))?)?;
    }
    Ok(())
}

/// An error in the response contains neither the query, nor a header, nor any part of the response.
///
/// A body contains the names of people.
pub fn errors_in_the_response_reveal_nothing(kit: &Kit) -> Outcome {
    let responses = [
        format!("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{{\"name\":\"{PERSON}\"}}"),
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{PERSON}\r\n"),
        format!("HTTP/1.1 200 OK\r\nbroken header {PERSON}\r\n\r\n"),
        format!("{PERSON}\r\n\r\n"),
    ];
    for response in responses {
        let server = playing(response, Next::Close)?;
        error_reveals_nothing(&kit.failure(with_token(get(&server, TARGET)?))?)?;
    }
    Ok(())
}

/// A TLS error contains neither the query nor a header.
///
/// RFC 6750 section 5.3.
pub fn tls_errors_reveal_nothing(kit: &Kit) -> Outcome {
    kit.authority()?;
    let identity = Identity::self_signed()?;
    let server = RawServer::start_tls(&identity, |_, _| Next::Close)?;
    error_reveals_nothing(&kit.failure(with_token(get_uri(&server.uri_by_name(TARGET))?))?)
}

/// The `Debug` output of a transport and of a response contains neither a token nor a body.
///
/// The `Debug` output of a type that holds a transport ends up in logs.
pub fn debug_reveals_nothing(kit: &Kit) -> Outcome {
    let server = server(|_, connection| {
        connection.respond("", PERSON.as_bytes());
        Next::KeepAlive
    })?;
    let response = kit.send(with_token(get(&server, TARGET)?))?;
    reveals_nothing(&format!("{} {response:?}", kit.debug_text()))
}

/// A token is sent only with the request that it was given for.
///
/// One service must not see the token of another.
pub fn token_is_for_one_request(kit: &Kit) -> Outcome {
    let first = friendly()?;
    let second = friendly()?;
    kit.fetch(with_token(get(&first, "/")?))?;
    kit.fetch(get(&second, "/")?)?;
    kit.fetch(get(&first, "/")?)?;
    let with = first.progress().requests;
    ensure!(
        with.first().is_some_and(|request| !request.header("authorization").is_empty()),
        "the token was not sent with its own request"
    );
    let others =
        with.iter().skip(1).chain(&second.progress().requests).cloned().collect::<Vec<_>>();
    ensure!(
        others.iter().all(|request| request.header("authorization").is_empty()),
        "the token was also sent with another request"
    );
    Ok(())
}

/// A user name and password in a URI are not sent, or the URI is refused without quoting them.
///
/// The caller did not give them as a header. RFC 9110 section 4.2.4.
pub fn password_of_an_address_is_not_sent(kit: &Kit) -> Outcome {
    let server = friendly()?;
    let uri = format!("http://name:{PERSON}@{}/", server.address());
    match kit.send(get_uri(&uri)?) {
        Err(error) => {
            let text = describe_fully(&error);
            expect_kind(&error, &[ErrorKind::InvalidRequest])?;
            ensure!(!text.contains(PERSON), "the error contains the password: {text}");
            ensure!(server.progress().requests.is_empty(), "refused, but after it was sent");
        }
        Ok(_) => {
            for request in server.progress().requests {
                ensure!(request.header("authorization").is_empty(), "the credentials are sent");
                let head = String::from_utf8_lossy(&request.head).into_owned();
                ensure!(!head.contains(PERSON), "the password is sent");
            }
        }
    }
    Ok(())
}

/// The target of a redirect does not receive the credentials of the request.
///
/// RFC 9110 section 15.4.
pub fn redirects_get_no_credentials(kit: &Kit) -> Outcome {
    let thief = friendly()?;
    let location = thief.uri("/thief");
    let server = server(move |_, connection| {
        let head = format!("HTTP/1.1 307 X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        connection.send(head.as_bytes());
        Next::KeepAlive
    })?;
    let mut request = get(&server, "/")?;
    request.headers_mut().insert("authorization", HeaderValue::from_static(TOKEN));
    request.headers_mut().insert("x-api-key", HeaderValue::from_static(TOKEN));
    request.headers_mut().insert("cookie", HeaderValue::from_static(TOKEN));
    kit.fetch(request)?;
    for stolen in thief.progress().requests {
        for name in ["authorization", "x-api-key", "cookie", "referer"] {
            ensure!(stolen.header(name).is_empty(), "{name} is sent to the target of the redirect");
        }
    }
    Ok(())
}

/// A request carries no `Referer`.
///
/// A `Referer` would reveal the previous URI, whose query may contain personal data. RFC 9110 sections 10.1.3 and 17.9.
pub fn no_referer_is_sent(kit: &Kit) -> Outcome {
    let location = "/next";
    let response = format!("HTTP/1.1 302 X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    let server = server(move |request, connection| {
        if request.target().starts_with(location) {
            connection.respond("", b"{}");
        } else {
            connection.send(response.as_bytes());
        }
        Next::KeepAlive
    })?;
    for target in ["/first?status=canaryquery", "/next"] {
        kit.fetch(get(&server, target)?)?;
    }
    for request in server.progress().requests {
        ensure_eq!(request.header("referer").len(), 0, "the number of Referer headers");
    }
    Ok(())
}

fn with_token(mut request: Request) -> Request {
    request.headers_mut().insert("authorization", HeaderValue::from_static(TOKEN));
    request
}

fn error_reveals_nothing(error: &TransportError) -> Outcome {
    reveals_nothing(&describe_fully(error))
}

fn reveals_nothing(text: &str) -> Outcome {
    for (what, secret) in
        [("the query", "canaryquery"), ("the token", "canarytoken"), ("the body", PERSON)]
    {
        ensure!(!text.contains(secret), "the output contains {what}");
    }
    Ok(())
}

const TARGET: &str = "/c/v1?status=canaryquery";
const TOKEN: &str = "Bearer canarytoken";
const PERSON: &str = "canaryperson";
