//! Many concurrent calls, with an expired token and a service that fails every hundredth request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use axum::Router;
use axum::body::Body;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, Response};
use axum::routing::get;
use gateway_client::model::ListCandidates;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::{BoxError, BoxFuture, Options, Proxy};
use gateway_client::{AccessToken, Attempt, Client, Observer, TokenSource};
use tokio::runtime::Runtime;
use tokio::task::{JoinSet, yield_now};

use crate::support::{PATIENCE, is_child, run_in_child, serve};

#[test]
fn a_thousand_calls_share_one_refresh_and_leave_no_task_or_thread() {
    // The test counts the threads of its process, so no other test may run in it.
    let child = run_in_child("concurrent::a_thousand_calls", &[]);
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}{}", String::from_utf8_lossy(&child.stderr));
}

/// The part of the test above that runs in a child process.
#[test]
#[ignore = "runs in a child process, started by another test"]
fn a_thousand_calls() {
    if !is_child() {
        return;
    }
    let service = Runtime::new().unwrap();
    let base_url = serve(&service, routes());
    let asked = Arc::new(AtomicUsize::new(0));
    let failed = Arc::new(AtomicUsize::new(0));
    // With the thread of `futures-timer`, of which a process has one.
    let before = threads() + 1;
    run_calls(base_url, &asked, &failed);
    assert_eq!(asked.load(Ordering::Relaxed), 2, "the first token, and one refresh");
    assert_eq!(failed.load(Ordering::Relaxed), CALLS / 100, "attempts that failed");

    let limit = Instant::now() + PATIENCE;
    while threads() > before {
        assert!(Instant::now() < limit, "{} threads, after {before}", threads());
        // The end of a thread cannot be awaited, only polled.
        thread::park_timeout(Duration::from_millis(10));
    }
}

/// Runs all calls concurrently, each with a different query, on a runtime that is dropped afterwards.
fn run_calls(base_url: String, asked: &Arc<AtomicUsize>, failed: &Arc<AtomicUsize>) {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let client = Client::builder(base_url)
            .token(Renewed(Arc::clone(asked)))
            .observer(Failures(Arc::clone(failed)))
            .transport(ReqwestTransport::new(&Options::default().proxy(Proxy::Never)).unwrap())
            .build()
            .unwrap();
        let mut calls = JoinSet::new();
        for number in 1..=CALLS {
            let client = client.clone();
            calls.spawn(async move {
                let query = ListCandidates::new().vacancy_id(u64::try_from(number).unwrap());
                let candidates = client.send(&query).await.unwrap().strict().unwrap();
                let ids: Vec<_> = candidates.iter().map(|one| one.id.as_str()).collect();
                assert_eq!(ids, [number.to_string()], "the response to another call");
            });
        }
        assert_eq!(calls.join_all().await.len(), CALLS);
        drop(client);

        // The tasks of the connections end when the last client is dropped.
        let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let limit = Instant::now() + PATIENCE;
        while alive() > 0 {
            assert!(Instant::now() < limit, "{} tasks are still running", alive());
            yield_now().await;
        }
    });
}

/// Answers with one candidate whose `id` is the requested vacancy, to requests with the second token. Every hundredth of them
/// gets a 503.
fn routes() -> Router {
    let requests = Arc::new(AtomicUsize::new(0));
    let answer = move |headers: HeaderMap, RawQuery(query): RawQuery| {
        let response = Response::builder().header("content-type", "application/json");
        let response =
            if headers.get("authorization").is_none_or(|token| token != "Bearer gwt_second") {
                response.status(401).body(Body::empty())
            } else if requests.fetch_add(1, Ordering::Relaxed) % 100 == 50 {
                response.status(503).header("retry-after", "0").body(Body::empty())
            } else {
                let query = query.unwrap();
                let (_, number) = query.split_once("&vacancy_id=").unwrap();
                let list = format!(r#"{{"status":"success","result":[{{"id":"{number}"}}]}}"#);
                response.body(list.into())
            };
        std::future::ready(response.unwrap())
    };
    Router::new().route("/c/oauth/v1", get(answer))
}

/// Returns the number of threads of this process.
fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

/// A token source that returns an expired token, then a valid one, and counts its calls.
struct Renewed(Arc<AtomicUsize>);

impl TokenSource for Renewed {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let token = if refused.is_some() { "gwt_second" } else { "gwt_first" };
        Box::pin(async move {
            // Other calls that need a token wait meanwhile.
            yield_now().await;
            Ok(AccessToken::new(token)?)
        })
    }
}

/// Counts the attempts that fail: with an error, or with a 503.
struct Failures(Arc<AtomicUsize>);

impl Observer for Failures {
    fn attempt(&self, attempt: &Attempt<'_>) {
        if attempt.failure.is_some() || attempt.status.is_some_and(|status| status == 503) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

const CALLS: usize = 1_000;
