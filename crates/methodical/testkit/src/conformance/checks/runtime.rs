//! A transport works on any thread and in any runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gateway_transport::Transport as _;
use tokio::runtime::Builder;

use crate::conformance::Kit;
use crate::conformance::failure::ensure_eq;
use crate::conformance::peer::{PATIENCE, concurrently, echo, friendly, get, within};
use crate::outcome::{Outcome, Stop, ensure, fail};

/// A blocking transport that is called on a thread of an async runtime returns a response and does not panic.
///
/// Partly async programs do this. At least one widely used client panics there.
pub fn blocking_within_a_runtime(kit: &Kit) -> Outcome {
    let (transport, runtime) = kit.blocking()?;
    let server = friendly()?;
    let request = get(&server, "/")?;
    let transport = Arc::clone(transport);
    let call = runtime.spawn(async move {
        match transport.send(request) {
            Ok(response) => response.into_body().collect(100).map(drop),
            Err(error) => Err(error),
        }
    });
    match runtime.block_on(call) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => fail("the call panicked"),
    }
}

/// An async transport that was used in one runtime works in another, even after the first has ended.
///
/// Tests and command-line programs create a runtime for each call. A pooled connection belongs to its runtime.
pub fn used_from_two_runtimes(kit: &Kit) -> Outcome {
    let (transport, _) = kit.asynchronous()?;
    let server = echo()?;
    for target in ["/first", "/second", "/third"] {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let request = within(PATIENCE, get(&server, target)?);
        let body = runtime.block_on(async {
            let response = transport.send(request).await?;
            response.into_body().collect(100).await
        })?;
        ensure_eq!(body, target.as_bytes(), "the body");
    }
    Ok(())
}

/// An async transport that is awaited outside of a runtime returns a response or a typed error, and does not panic.
///
/// A program on an executor other than tokio must not crash.
pub fn awaited_without_a_runtime(kit: &Kit) -> Outcome {
    let (transport, _) = kit.asynchronous()?;
    let server = friendly()?;
    let request = within(PATIENCE, get(&server, "/")?);
    let transport = transport.clone();
    let call = std::thread::spawn(move || pollster::block_on(transport.send(request)).map(drop));
    ensure!(call.join().is_ok(), "the call panicked");
    Ok(())
}

/// Threads that share a transport each get their own responses.
///
/// A transport is `Send + Sync`.
pub fn shared_by_threads(kit: &Kit) -> Outcome {
    let server = echo()?;
    let next = AtomicUsize::new(0);
    let outcomes = concurrently(8, || {
        let thread = next.fetch_add(1, Ordering::Relaxed);
        for call in 0..20 {
            let target = format!("/{thread}/{call}");
            ensure_eq!(kit.fetch(get(&server, &target)?)?.body, target.as_bytes(), "the body");
        }
        Ok(())
    });
    outcomes.into_iter().collect()
}

/// A body can be read on another thread than the one that made the call.
///
/// A body is `Send`, and records are often processed on another thread.
pub fn body_can_be_read_elsewhere(kit: &Kit) -> Outcome {
    let server = echo()?;
    let response = kit.send(get(&server, "/elsewhere")?)?;
    let body = std::thread::scope(|scope| scope.spawn(move || response.collect(100)).join());
    let body = body.map_err(|_panicked| Stop::Fail("the read panicked".into()))?;
    ensure_eq!(body?, b"/elsewhere"[..], "the body");
    Ok(())
}
