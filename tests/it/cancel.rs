//! A call can be dropped at any await point, and the client keeps working as if the call had never been made.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use axum::http::Response;
use futures_util::stream::{StreamExt as _, iter};
use gateway_client::model::{ListCandidates, ListVacancies};
use gateway_client::transport::bridge::OffThread;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::ureq::UreqTransport;
use gateway_client::transport::{
    Body, BoxError, BoxFuture, Options, Proxy, Request, SharedTransport, transport_fn,
};
use gateway_client::{AccessToken, Client, ClientBuilder, RetryPolicy, TokenSource};
use gateway_testkit::raw_server::{Next, RawServer};

use crate::support::{PATIENCE, RUNTIME, fixture};

#[test]
fn a_call_can_be_dropped_at_every_await() {
    // The first token, the 503, the pause before the retry, the 401, the next token and the complete response: each
    // waits at least once.
    let waits = dropped_everywhere(waiting, whole);
    assert!(waits >= 10, "{waits} await points");
}

#[test]
fn a_stream_can_be_dropped_at_every_await() {
    let waits = dropped_everywhere(waiting, one_by_one);
    assert!(waits >= 10, "{waits} await points");
}

#[test]
fn a_call_over_a_kept_connection_can_be_dropped_at_every_await() {
    // Sockets and timers need a runtime, because the test polls the futures itself.
    let _inside = RUNTIME.enter();
    let options = Options::default().proxy(Proxy::Never);
    let reqwest = ReqwestTransport::new(&options).unwrap();
    let ureq = OffThread::new(UreqTransport::new(&options).unwrap());
    for transport in [SharedTransport::new(reqwest), SharedTransport::new(ureq)] {
        let kept = Arc::new(AtomicUsize::new(0));
        let calls = [
            dropped_everywhere(|| connected(&transport, &kept), whole),
            dropped_everywhere(|| connected(&transport, &kept), one_by_one),
        ];
        // The 503, the pause before the retry, the 401, the next token and the complete response: a step that is ready
        // immediately is not an await point.
        assert!(calls.iter().all(|waits| *waits >= 2), "{calls:?} await points");
        assert!(kept.load(Ordering::Relaxed) > 0, "no connection was reused");
    }
}

#[test]
fn when_a_refreshing_call_is_dropped_the_next_call_refreshes() {
    // Two calls wait for the same token. The one that requested it from the source is dropped.
    let (client, ()) = waiting();
    let (candidates, vacancies) = (ListCandidates::new(), ListVacancies::new());
    let mut asking = Box::pin(client.send(&candidates));
    let mut waiting = Box::pin(client.send(&vacancies));
    let mut context = Context::from_waker(Waker::noop());
    assert!(asking.as_mut().poll(&mut context).is_pending());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    drop(asking);
    assert_eq!(run(waiting, usize::MAX).unwrap().unwrap().items.len(), 3);
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
///
/// `make` returns the client, and a peer that has to live as long as the client.
fn dropped_everywhere<P, F: Future<Output = ()>>(
    make: impl Fn() -> (Client, P),
    call: impl Fn(Client) -> F,
) -> usize {
    let mut waits = 0;
    loop {
        let (client, _peer) = make();
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
fn run<F: Future>(future: F, waits: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let signal = Arc::new(Signal { thread: thread::current(), woken: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&signal));
    let mut context = Context::from_waker(&waker);
    for _ in 0..=waits {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        let deadline = Instant::now() + PATIENCE;
        while !signal.woken.swap(false, Ordering::AcqRel) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the future was not woken within {PATIENCE:?}");
            thread::park_timeout(left);
        }
    }
    None
}

/// Unparks a thread, and remembers that it did.
struct Signal {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Returns a client of a service that first answers 503 and then refuses the first token. The token source, the
/// transport and the body are pending at least once each.
fn waiting() -> (Client, ()) {
    let requests = AtomicUsize::new(0);
    let transport = transport_fn(move |request: Request| {
        let number = requests.fetch_add(1, Ordering::Relaxed);
        let body = answer(&request.uri().to_string());
        let first =
            request.headers().get("authorization").is_some_and(|token| token == "Bearer gwt_1");
        async move {
            pause().await;
            let status = if number == 0 { 503 } else { 401 };
            let status = if first { status } else { 200 };
            let response = Response::builder().status(status);
            let response = response.header("content-type", "application/json");
            Ok(response.body(pieces(body)).unwrap())
        }
    });
    let client = builder("https://gateway.example.com").transport(transport).build().unwrap();
    (client, ())
}

/// Returns a client of a server that answers 503 to the second request and then refuses the first token. The first
/// request has been sent, so that there is a connection to reuse.
fn connected(transport: &SharedTransport, kept: &Arc<AtomicUsize>) -> (Client, RawServer) {
    let (requests, kept) = (AtomicUsize::new(0), Arc::clone(kept));
    let server = RawServer::start(move |request, connection| {
        let number = requests.fetch_add(1, Ordering::Relaxed);
        kept.fetch_add(usize::from(number > 0 && request.connection == 1), Ordering::Relaxed);
        let is_first = request.header("authorization") == [b"Bearer gwt_1"];
        if number > 0 && is_first {
            let status = if number == 1 { "503 Busy" } else { "401 Unauthorized" };
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
            connection.send(head.as_bytes());
        } else {
            let body = answer(&request.target());
            let (first, second) = body.split_at(20);
            let length = body.len();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json";
            connection.send(format!("{head}\r\ncontent-length: {length}\r\n\r\n").as_bytes());
            connection.send(first.as_bytes());
            connection.send(second.as_bytes());
        }
        Next::KeepAlive
    })
    .unwrap();
    let client = builder(&server.uri("")).transport(transport.clone()).build().unwrap();
    let first = run(async { client.send(&ListVacancies::new()).await }, usize::MAX).unwrap();
    assert_eq!(first.unwrap().items.len(), 3);
    (client, server)
}

/// Returns a different response for each operation.
fn answer(target: &str) -> &'static str {
    if target.contains("vacancies/list") {
        fixture!("vacancies")
    } else {
        fixture!("candidates-of-vacancy-and-status")
    }
}

/// Returns a builder with a numbered token for each request to the source, and short pauses between attempts.
fn builder(base_url: &str) -> ClientBuilder {
    Client::builder(base_url)
        .token(Numbered(AtomicUsize::new(0)))
        .retry(RetryPolicy::default().base_delay(Duration::from_millis(1)))
}

/// A token source that is pending once and then returns a new token, each time.
struct Numbered(AtomicUsize);

impl TokenSource for Numbered {
    fn token<'a>(
        &'a self,
        _refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        Box::pin(async {
            pause().await;
            let number = 1 + self.0.fetch_add(1, Ordering::Relaxed);
            Ok(AccessToken::new(format!("gwt_{number}"))?)
        })
    }
}

/// Is pending once.
async fn pause() {
    let mut waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns a body of two chunks that is pending before each.
fn pieces(body: &'static str) -> Body {
    let (first, second) = body.split_at(20);
    Body::from_chunks(iter([first, second]).then(|piece| async {
        pause().await;
        Ok(piece.into())
    }))
}
