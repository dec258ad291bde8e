//! A call can be dropped at any await point, and the client keeps working as if the call had never been made.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::stream::{StreamExt as _, iter};
use gateway_client::model::{ListCandidates, ListVacancies};
use gateway_client::transport::{Body, Request, transport_fn};
use gateway_client::{AccessToken, Client, RetryPolicy, token_fn};
use http::Response;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::support::{BASE_URL, PATIENCE, RUNTIME};

#[test]
fn a_call_can_be_dropped_at_every_await() {
    // The first token, the 503, the pause before the retry, the 401, the next token and the complete response: each
    // waits at least once.
    let waits = dropped_everywhere(whole);
    assert!(waits >= 10, "{waits} await points");
}

#[test]
fn a_stream_can_be_dropped_at_every_await() {
    let waits = dropped_everywhere(one_by_one);
    assert!(waits >= 10, "{waits} await points");
}

async fn whole(client: Client) {
    assert_eq!(client.send(&ListVacancies::new()).await.unwrap().items.len(), 3);
}

async fn one_by_one(client: Client) {
    let mut records = client.stream(&ListVacancies::new()).await.unwrap();
    let mut count = 0;
    while let Some(entry) = records.next().await {
        entry.unwrap();
        count += 1;
    }
    assert_eq!(count, 3);
}

/// Drops the call at its first await point, then another call at its second, and so on, and uses the client after each.
/// Returns the number of await points.
fn dropped_everywhere<F: Future<Output = ()>>(call: impl Fn(Client) -> F) -> usize {
    let mut waits = 0;
    loop {
        let client = waiting();
        let complete = run(call(client.clone()), waits).is_some();
        // A different query, so that the response to the dropped call would be noticed.
        let query = ListCandidates::new();
        let after = run(async { client.send(&query).await }, usize::MAX).unwrap();
        let after = after.unwrap().strict().unwrap();
        let ids: Vec<_> = after.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["4712"], "after await point {waits}");
        if complete {
            return waits;
        }
        waits += 1;
    }
}

/// Polls a future until it is complete or has been pending more than `waits` times, and then drops it. Returns `None`
/// for a dropped future.
fn run<F: Future>(future: F, mut waits: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let limited = poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Pending if waits > 0 => {
            waits -= 1;
            Poll::Pending
        }
        Poll::Pending => Poll::Ready(None),
        Poll::Ready(output) => Poll::Ready(Some(output)),
    });
    RUNTIME.block_on(async { timeout(PATIENCE, limited).await.unwrap() })
}

/// Returns a client of a service that first answers 503 and then refuses the first token. The token source, the
/// transport and the body are pending at least once each.
fn waiting() -> Client {
    let requests = AtomicUsize::new(0);
    let transport = transport_fn(move |request: Request| {
        let number = requests.fetch_add(1, Ordering::Relaxed);
        let body = answer(&request.uri().to_string());
        let first =
            request.headers().get("authorization").is_some_and(|token| token == "Bearer gwt_1");
        async move {
            yield_now().await;
            let status = if number == 0 { 503 } else { 401 };
            let status = if first { status } else { 200 };
            let response = Response::builder().status(status);
            let response = response.header("content-type", "application/json");
            Ok(response.body(pieces(body)).unwrap())
        }
    });
    let issued = Arc::new(AtomicUsize::new(0));
    let tokens = token_fn(move |_refused| {
        let issued = Arc::clone(&issued);
        async move {
            yield_now().await;
            AccessToken::new(format!("gwt_{}", 1 + issued.fetch_add(1, Ordering::Relaxed)))
        }
    });
    // A new token for each request to the source, and short pauses between attempts.
    Client::builder(BASE_URL)
        .token(tokens)
        .retry(RetryPolicy::default().base_delay(Duration::from_millis(1)))
        .transport(transport)
        .build()
        .unwrap()
}

/// Returns a different response for each operation.
fn answer(target: &str) -> &'static str {
    if target.contains("vacancies/list") {
        r#"[{"id":"51","project":"Welder"},{"id":"52"},{"id":"53"}]"#
    } else {
        r#"{"status":"success","result":[{"id":"4712"}]}"#
    }
}

/// Returns a body of two chunks that is pending before each.
fn pieces(body: &'static str) -> Body {
    let (first, second) = body.split_at(20);
    Body::from_chunks(iter([first, second]).then(|piece| async {
        yield_now().await;
        Ok(piece.into())
    }))
}
