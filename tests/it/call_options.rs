//! The options of a call reach every method, every attempt and the dry run of both clients.

use std::time::{Duration, Instant};

use gateway_client::model::ListVacancies;
use gateway_client::transport::{Deadline, MemoryTransport, Request};
use gateway_client::{CallOptions, Error};

use crate::support::{Driver, json, token};

/// A method of both clients, for its request only.
type Method = fn(&Driver) -> Result<(), Error>;

const METHODS: [Method; 4] = [
    |driver| driver.send(&ListVacancies::new()).map(drop),
    |driver| driver.send_raw(&ListVacancies::new()).map(drop),
    |driver| driver.stream(&ListVacancies::new()).map(drop),
    |driver| driver.stream_raw(&ListVacancies::new()).map(drop),
];

#[test]
fn every_attempt_of_every_method_has_the_headers() {
    for method in METHODS {
        for (driver, transport) in drivers(&[503, 200, 200]) {
            method(&driver.with(tenant())).unwrap();
            // The client itself is unchanged.
            method(&driver).unwrap();
            let headers: Vec<_> = transport.requests().iter().map(own_headers).collect();
            let for_all = |tenant| ["printer/1".to_owned(), "1".to_owned(), tenant];
            let [tenant, none] = [TENANT, ""].map(|text| for_all(text.to_owned()));
            assert_eq!(headers, [tenant.clone(), tenant, none]);
        }
    }
}

#[test]
fn a_dry_run_has_the_headers_but_does_not_print_their_values() {
    for (driver, _) in drivers(&[]) {
        let driver = driver.with(tenant());
        let request = driver.request(&ListVacancies::new()).unwrap();
        let client = match &driver {
            Driver::Async(client) => format!("{client:?}"),
            Driver::Blocking(client) => format!("{client:?}"),
        };
        assert_eq!(own_headers(&request), ["printer/1", "1", TENANT]);
        let printed = format!("{request:?} {client}");
        assert!(printed.contains("x-tenant"), "{printed}");
        assert!(!printed.contains(TENANT), "{printed}");
    }
}

#[test]
fn the_timeout_and_the_deadline_of_a_call_bound_every_attempt() {
    let hour = Duration::from_secs(60 * 60);
    for method in METHODS {
        for (driver, transport) in drivers(&[503, 200, 200]) {
            let before = Instant::now();
            method(&driver.with(CallOptions::new().timeout(2 * hour))).unwrap();
            let after = Instant::now();
            let end = before + hour;
            method(&driver.with(CallOptions::new().timeout(2 * hour).deadline(end))).unwrap();
            let deadlines: Vec<_> =
                transport.requests().iter().map(|one| Deadline::of(one).unwrap()).collect();
            let [first, retried, own] = deadlines[..] else { panic!("{deadlines:?}") };
            assert!((before + 2 * hour..=after + 2 * hour).contains(&first.instant()));
            assert!(first.instant() - before < 3 * hour && retried.head() <= retried.instant());
            assert_eq!(own, Deadline::at(end));
        }
    }
}

fn tenant() -> CallOptions {
    CallOptions::new().header("x-tenant", TENANT).unwrap()
}

/// Returns both clients, with their transports and a header for all calls.
fn drivers(statuses: &[u16]) -> [(Driver, MemoryTransport); 2] {
    let options = CallOptions::new().header("x-all", "1").unwrap();
    let options = options.user_agent_suffix("printer/1").unwrap();
    Driver::scripted(token, &options, || {
        MemoryTransport::new(statuses.iter().map(|status| Ok(json(*status, "[]"))))
    })
}

/// Returns the suffix of the `User-Agent`, the header of all calls and that of this call; empty if it is missing.
fn own_headers(request: &Request) -> [String; 3] {
    let header = |name| {
        let value = request.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        value.unwrap_or_default()
    };
    let agent = header("user-agent");
    let suffix = agent.split_once(' ').map_or("", |(_, suffix)| suffix);
    [suffix.to_owned(), header("x-all"), header("x-tenant")]
}

const TENANT: &str = "CANARY";
