//! The spans and events of a call, on standard error. None of them contains the token or a record.
//!
//! `GATEWAY_BASE_URL=… GATEWAY_TOKEN=… cargo run -p gateway-client --example tracing`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::error::Error;
use std::{env, io};

use gateway_client::model::ListVacancies;
use gateway_client::{Client, EnvironmentToken};
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::prelude::*;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Prints each span when it ends, with its fields and its duration.
    let lines = fmt::layer().with_span_events(FmtSpan::CLOSE).with_writer(io::stderr);
    // The libraries that the client uses emit other spans and events.
    let ours = Targets::new().with_target("gateway_client", Level::DEBUG);
    tracing_subscriber::registry().with(lines.with_filter(ours)).init();

    let client = Client::builder(env::var("GATEWAY_BASE_URL")?)
        .token(EnvironmentToken::new("GATEWAY_TOKEN"))
        .build()?;
    let listing = client.send(&ListVacancies::new()).await?;
    println!("{} vacancies", listing.items.len());
    Ok(())
}
