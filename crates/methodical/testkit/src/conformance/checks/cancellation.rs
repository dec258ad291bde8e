//! A dropped call ends. For async transports only: a blocking call cannot be dropped.

use std::time::Instant;

use gateway_transport::Transport as _;

use crate::conformance::Kit;
use crate::conformance::failure::ensure_eq;
use crate::conformance::peer::{BlackHole, PATIENCE, SHORT, friendly, get, get_uri, server};
use crate::outcome::{Outcome, ensure, fail};
use crate::raw_server::{Next, RawRequest};

/// A future that is dropped while it waits for the head closes its connection.
///
/// Promise 6 of a transport.
pub fn dropped_while_waiting_closes(kit: &Kit) -> Outcome {
    let (transport, runtime) = kit.asynchronous()?;
    let server = server(|_, connection| {
        connection.wait_for_close(PATIENCE);
        Next::Close
    })?;
    let request = get(&server, "/")?;
    let transport = transport.clone();
    let call = runtime.spawn(async move { transport.send(request).await.map(drop) });
    let is_sent = server.wait_until(PATIENCE, |progress| progress.requests.len() == 1);
    ensure!(is_sent, "the request was never sent");
    call.abort();
    let is_closed = server.wait_until(PATIENCE, |progress| progress.closed_by_peer > 0);
    ensure!(is_closed, "the connection is still open after the future was dropped");
    Ok(())
}

/// A transport still works after one of its calls has been dropped.
///
/// The connection of the dropped call must not be reused.
pub fn works_after_a_drop(kit: &Kit) -> Outcome {
    let (transport, runtime) = kit.asynchronous()?;
    let server = server(|request, connection| {
        if request.target() == "/wait" {
            connection.wait_for_close(PATIENCE);
            return Next::Close;
        }
        connection.respond("", request.target().as_bytes());
        Next::KeepAlive
    })?;
    for _ in 0..3 {
        let request = get(&server, "/wait")?;
        let sent = runtime
            .block_on(async { tokio::time::timeout(SHORT / 6, transport.send(request)).await });
        ensure!(sent.is_err(), "the call ended, although the peer never answered");
        ensure_eq!(kit.fetch(get(&server, "/after")?)?.body, &b"/after"[..], "the body");
    }
    Ok(())
}

/// A future that is dropped while it connects ends immediately.
///
/// Promise 6 of a transport.
pub fn dropped_while_connecting(kit: &Kit) -> Outcome {
    let (transport, runtime) = kit.asynchronous()?;
    let hole = BlackHole::new()?;
    let request = get_uri(&format!("http://{}/", hole.address))?;
    let start = Instant::now();
    let sent =
        runtime.block_on(async { tokio::time::timeout(SHORT, transport.send(request)).await });
    ensure!(sent.is_err(), "a call to a silent host ended by itself within {SHORT:?}");
    ensure!(start.elapsed() < PATIENCE, "the drop took {:?}", start.elapsed());
    Ok(())
}

/// A future that is never polled sends nothing.
///
/// A Rust future does nothing until it is polled.
pub fn not_awaited_sends_nothing(kit: &Kit) -> Outcome {
    let (transport, _) = kit.asynchronous()?;
    let server = friendly()?;
    drop(transport.send(get(&server, "/")?));
    ensure_eq!(kit.fetch(get(&server, "/awaited")?)?.head.status.as_u16(), 200, "the status");
    let targets: Vec<String> = server.progress().requests.iter().map(RawRequest::target).collect();
    if targets == ["/awaited"] { Ok(()) } else { fail(format!("the requests were {targets:?}")) }
}
