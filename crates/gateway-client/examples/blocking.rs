//! The client without an async runtime: a list, and a stream of records.
//!
//! `GATEWAY_BASE_URL=… GATEWAY_TOKEN=… cargo run -p gateway-client --no-default-features --features ureq,rustls --example blocking`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::env;
use std::error::Error;

use gateway_client::model::{ListCandidates, ListVacancies};
use gateway_client::{Entry, EnvironmentToken, blocking};

fn main() -> Result<(), Box<dyn Error>> {
    let client = blocking::Client::builder(env::var("GATEWAY_BASE_URL")?)
        .token(EnvironmentToken::new("GATEWAY_TOKEN"))
        .build()?;
    for vacancy in &client.send(&ListVacancies::new())?.items {
        println!("{}\t{}", vacancy.id, vacancy.project.as_deref().unwrap_or("(no title)"));
    }

    // Each record is handled while the rest of the list is still arriving.
    let mut shortlisted = 0_u32;
    for entry in client.stream(&ListCandidates::new().vacancy_status(101, "Shortlist"))? {
        if let Entry::Record(_) = entry? {
            shortlisted += 1;
        }
    }
    println!("on the shortlist of vacancy 101: {shortlisted}");
    Ok(())
}
