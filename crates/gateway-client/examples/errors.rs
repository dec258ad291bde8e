//! Each kind of failure, and how a program can respond to it.
//!
//! `GATEWAY_BASE_URL=… GATEWAY_TOKEN=… cargo run -p gateway-client --example errors`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::env;
use std::error::Error as _;
use std::time::Duration;

use gateway_client::model::{ListCandidates, VacancyId};
use gateway_client::{AccessToken, CallOptions, Client, EnvironmentToken, Error, ErrorKind};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base_url = env::var("GATEWAY_BASE_URL")?;
    let token = EnvironmentToken::new("GATEWAY_TOKEN");
    let client = Client::builder(&base_url).token(token).build()?;
    let all = ListCandidates::new();

    // The service expects an integer, so the client sends nothing.
    let no_integer = ListCandidates::new().vacancy_id(VacancyId::from("welder"));
    report("an invalid query", client.send(&no_integer).await);

    let unknown = Client::builder(&base_url).token(AccessToken::new("gwt_unknown")?).build()?;
    report("an unknown token", unknown.send(&all).await);

    let hasty = client.with(CallOptions::new().timeout(Duration::from_nanos(1)));
    report("a short timeout", hasty.send(&all).await);

    let frugal = Client::builder(&base_url).token(EnvironmentToken::new("GATEWAY_TOKEN"));
    let frugal = frugal.body_limit(100).build()?;
    report("a small limit", frugal.send(&all).await);

    report("no mistake", client.send(&all).await);
    Ok(())
}

fn report<T>(call: &str, outcome: Result<T, Error>) {
    let Err(error) = outcome else {
        return println!("{call}: no error");
    };
    let advice = match error.kind() {
        ErrorKind::Config | ErrorKind::Query => "correct the program",
        ErrorKind::Unauthorized | ErrorKind::Forbidden | ErrorKind::Token => "get another token",
        ErrorKind::RateLimited => "wait",
        // The client has already retried, within the deadline of the call.
        _ if error.is_transient() => "try again later",
        _ => "report it",
    };
    println!("{call}: {advice}");
    let status = error.status().map_or_else(|| "none".to_owned(), |status| status.to_string());
    println!("  kind {}, status {status}, {} attempts", error.kind().as_str(), error.attempts());
    println!("  {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        println!("  caused by: {cause}");
        source = cause.source();
    }
}
