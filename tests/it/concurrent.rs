//! Many calls at once, with a token that has run out and a service that fails now and then.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Response};
use axum::routing::get;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::{BoxError, BoxFuture, Options, Proxy};
use gateway_client::{AccessToken, Attempt, Client, Observer, TokenSource};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::{JoinSet, yield_now};

use crate::support::fixture;

#[test]
fn a_thousand_calls_share_one_refresh_and_leave_nothing_behind() {
    let service = Runtime::new().unwrap();
    let base_url = serve(&service);
    let asked = Arc::new(AtomicUsize::new(0));
    let repeated = Arc::new(AtomicUsize::new(0));

    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let client = Client::builder(base_url)
            .token(Renewed(Arc::clone(&asked)))
            .observer(Failures(Arc::clone(&repeated)))
            .transport(ReqwestTransport::new(&Options::default().proxy(Proxy::Never)).unwrap())
            .build()
            .unwrap();
        let mut calls = JoinSet::new();
        for _ in 0..CALLS {
            let client = client.clone();
            calls.spawn(
                async move { client.list_vacancies().await.unwrap().strict().unwrap().len() },
            );
        }
        let answers = calls.join_all().await;
        assert_eq!(answers, [3; CALLS]);
        drop(client);

        // The tasks of the connections end once nobody holds the client.
        let limit = Instant::now() + Duration::from_secs(10);
        let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        while alive() > 0 {
            assert!(Instant::now() < limit, "{} tasks are left", alive());
            yield_now().await;
        }
    });

    assert_eq!(asked.load(Ordering::Relaxed), 2, "the first token, and one refresh");
    assert_eq!(repeated.load(Ordering::Relaxed), CALLS / 100, "attempts that failed");
}

/// Serves vacancies to whoever has the second token; every hundredth request of those fails.
fn serve(runtime: &Runtime) -> String {
    let requests = Arc::new(AtomicUsize::new(0));
    let answer = move |headers: HeaderMap| {
        let response = Response::builder().header("content-type", "application/json");
        let response =
            if headers.get("authorization").is_none_or(|token| token != "Bearer gwt_second") {
                response.status(401).body(Body::empty())
            } else if requests.fetch_add(1, Ordering::Relaxed) % 100 == 50 {
                response.status(503).header("retry-after", "0").body(Body::empty())
            } else {
                response.body(fixture!("vacancies").into())
            };
        std::future::ready(response.unwrap())
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listener = runtime.block_on(TcpListener::bind(address)).unwrap();
    let address = listener.local_addr().unwrap();
    let routes = Router::new().route("/c/oauth/v1", get(answer));
    runtime.spawn(async { axum::serve(listener, routes).await });
    format!("http://{address}")
}

/// A token that has run out, then one that has not; counts how often it is asked.
struct Renewed(Arc<AtomicUsize>);

impl TokenSource for Renewed {
    fn token<'a>(
        &'a self,
        refused: Option<&'a AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let token = if refused.is_some() { "gwt_second" } else { "gwt_first" };
        Box::pin(async move {
            // Whoever else needs a token has to wait meanwhile.
            yield_now().await;
            Ok(AccessToken::new(token)?)
        })
    }
}

/// Counts the answers that are no answers.
struct Failures(Arc<AtomicUsize>);

impl Observer for Failures {
    fn attempt(&self, attempt: &Attempt<'_>) {
        if attempt.failure.is_some() || attempt.status.is_some_and(|status| status == 503) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

const CALLS: usize = 1_000;
