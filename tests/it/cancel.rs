//! A call may be dropped wherever it waits: the client goes on as if it had never been made.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use axum::http::Response;
use bytes::Bytes;
use gateway_client::model::{ListCandidates, ListVacancies};
use gateway_client::transport::{Body, BoxError, BoxFuture, Request, transport_fn};
use gateway_client::{AccessToken, Client, RetryPolicy, TokenSource};
use http_body::Frame;

use crate::support::fixture;

#[test]
fn a_call_can_be_dropped_at_every_await() {
    // First token, busy answer, pause, refused token, next token, whole answer: each of them waits at least once.
    let waits = dropped_everywhere(|client| async move {
        assert_eq!(client.list_vacancies().await.unwrap().items.len(), 3);
    });
    assert!(waits >= 10, "{waits} places to wait");
}

#[test]
fn a_stream_can_be_dropped_at_every_await() {
    let waits = dropped_everywhere(|client| async move {
        let mut records = client.stream(&ListVacancies::new()).await.unwrap();
        let mut count = 0;
        while let Some(entry) = records.next().await {
            entry.unwrap();
            count += 1;
        }
        assert_eq!(count, 3);
    });
    assert!(waits >= 10, "{waits} places to wait");
}

#[test]
fn a_dropped_refresh_leaves_the_question_to_the_next_call() {
    // Two calls wait for the same token; the one that asks for it is dropped.
    let client = client();
    let query = ListCandidates::new();
    let mut asking = Box::pin(client.list_candidates(&query));
    let mut waiting = Box::pin(client.list_vacancies());
    let mut context = Context::from_waker(Waker::noop());
    assert!(asking.as_mut().poll(&mut context).is_pending());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    drop(asking);
    assert_eq!(run(waiting, usize::MAX).unwrap().unwrap().items.len(), 3);
}

/// Drops the call at its first wait, at its second, … and uses the client each time; returns how often it waits.
fn dropped_everywhere<F: Future<Output = ()>>(call: impl Fn(Client) -> F) -> usize {
    let mut waits = 0;
    loop {
        let client = client();
        let complete = run(call(client.clone()), waits).is_some();
        let after = run(async { client.list_vacancies().await }, usize::MAX).unwrap();
        assert_eq!(after.unwrap().items.len(), 3, "after wait {waits}");
        if complete {
            return waits;
        }
        waits += 1;
    }
}

/// Runs a future until it is complete or has waited this often; then it is dropped.
fn run<F: Future>(future: F, waits: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let signal = Arc::new(Signal { thread: thread::current(), woken: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&signal));
    let mut context = Context::from_waker(&waker);
    for _ in 0..=waits {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        while !signal.woken.swap(false, Ordering::AcqRel) {
            thread::park();
        }
    }
    None
}

/// Wakes a thread.
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

/// A client whose service is busy at first and then refuses the first token, and all of whose parts wait.
fn client() -> Client {
    let requests = AtomicUsize::new(0);
    let transport = transport_fn(move |request: Request| {
        let number = requests.fetch_add(1, Ordering::Relaxed);
        let first =
            request.headers().get("authorization").is_some_and(|token| token == "Bearer gwt_1");
        async move {
            pause().await;
            let status = if number == 0 { 503 } else { 401 };
            let status = if first { status } else { 200 };
            let response = Response::builder().status(status);
            let response = response.header("content-type", "application/json");
            Ok(response.body(Body::new(Pieces::new())).unwrap())
        }
    });
    Client::builder("https://gateway.example.com")
        .token(Numbered(AtomicUsize::new(0)))
        .retry(RetryPolicy::default().base_delay(Duration::from_millis(1)))
        .transport(transport)
        .build()
        .unwrap()
}

/// Gives another token every time it is asked, after a pause.
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

/// Waits once.
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

/// A body in two pieces that waits before each.
struct Pieces {
    left: std::vec::IntoIter<&'static str>,
    waited: bool,
}

impl Pieces {
    fn new() -> Self {
        let (first, second) = fixture!("vacancies").split_at(20);
        Self { left: vec![first, second].into_iter(), waited: false }
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = gateway_client::transport::TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.waited = !self.waited;
        if self.waited {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(
            self.left.next().map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes())))),
        )
    }
}
