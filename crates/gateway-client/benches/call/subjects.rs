//! The bare HTTP client, used by hand, and ours.

use std::sync::Arc;
use std::time::Duration;

use gateway_client::model::GetCredits;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_client::transport::{Options, Proxy};
use gateway_client::{AccessToken, Client, blocking};
use serde::Deserialize;

use crate::measure::{Pair, Subject, asynchronous, blocking as threads};
use crate::server::{BODY, Server};

pub(crate) fn pairs(server: &Server) -> Vec<Pair> {
    // Without a crypto provider the bare client cannot be created.
    rustls::crypto::ring::default_provider().install_default().expect("no provider yet");
    vec![
        Pair { client: "reqwest, async", bare: bare(server), ours: ours(server) },
        Pair {
            client: "reqwest, blocking",
            bare: bare_blocking(server),
            ours: ours_blocking(server),
        },
    ]
}

fn bare(server: &Server) -> Subject {
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .read_timeout(IDLE)
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(64)
        .no_proxy()
        .build()
        .expect("a client");
    let address: Arc<str> = format!("{}/c/oauth/v1", server.base_url()).into();
    asynchronous(LENGTH, async move || {
        let request = client.get(&*address).query(&[("method", "credits/get")]).bearer_auth(TOKEN);
        let request = request.header("accept", "application/json").timeout(LIMIT);
        let response = request.send().await.unwrap().error_for_status().unwrap();
        let body = response.bytes().await.unwrap();
        assert_eq!(body.len(), BODY);
        serde_json::from_slice::<Plain>(&body).unwrap().length()
    })
}

fn ours(server: &Server) -> Subject {
    let transport = ReqwestTransport::new(&options()).expect("a transport");
    let client = Client::builder(server.base_url())
        .token(AccessToken::new(TOKEN).expect("a token"))
        .transport(transport)
        .build()
        .expect("a client");
    asynchronous(LENGTH, async move || {
        let credits = client.send(&GetCredits::new()).await.unwrap();
        credits.credits_number.as_str().len() + credits.currency.as_str().len()
    })
}

fn bare_blocking(server: &Server) -> Subject {
    let client = reqwest::blocking::Client::builder()
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(64)
        .no_proxy()
        .build()
        .expect("a client");
    let address = format!("{}/c/oauth/v1", server.base_url());
    threads(LENGTH, move || {
        let request = client.get(&*address).query(&[("method", "credits/get")]).bearer_auth(TOKEN);
        let request = request.header("accept", "application/json").timeout(LIMIT);
        let body = request.send().unwrap().error_for_status().unwrap().bytes().unwrap();
        assert_eq!(body.len(), BODY);
        serde_json::from_slice::<Plain>(&body).unwrap().length()
    })
}

fn ours_blocking(server: &Server) -> Subject {
    let transport = ReqwestBlockingTransport::new(&options()).expect("a transport");
    let client = blocking::Client::builder(server.base_url())
        .token(AccessToken::new(TOKEN).expect("a token"))
        .transport(transport)
        .build()
        .expect("a client");
    threads(LENGTH, move || {
        let credits = client.send(&GetCredits::new()).unwrap();
        credits.credits_number.as_str().len() + credits.currency.as_str().len()
    })
}

#[derive(Deserialize)]
struct Plain {
    credits_number: String,
    currency: String,
}

impl Plain {
    fn length(&self) -> usize {
        self.credits_number.len() + self.currency.len()
    }
}

fn options() -> Options {
    // Every connection is kept, so that none is opened while the time is measured.
    let options = Options::default().proxy(Proxy::Never).pool_max_idle(64);
    options.connect_timeout(CONNECT).idle_timeout(IDLE)
}

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const CONNECT: Duration = Duration::from_secs(5);
const IDLE: Duration = Duration::from_secs(20);
const LIMIT: Duration = Duration::from_secs(30);
/// Total length of the two texts of the balance.
const LENGTH: usize = 10;
