//! A list of any length in little memory: each record is handled while the rest of the list is still arriving.
//!
//! `GATEWAY_BASE_URL=… GATEWAY_TOKEN=… cargo run -p gateway-client --example stream`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::env;
use std::error::Error;

use gateway_client::model::ListCandidates;
use gateway_client::{Client, Entry, EnvironmentToken};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder(env::var("GATEWAY_BASE_URL")?)
        .token(EnvironmentToken::new("GATEWAY_TOKEN"))
        .build()?;
    let mut records = client.stream(&ListCandidates::new()).await?;
    let (mut with_email, mut rejected) = (0_u64, 0_u64);
    while let Some(entry) = records.next().await {
        match entry? {
            Entry::Record(candidate) => {
                with_email += u64::from(candidate.email.is_some_and(|text| !text.is_empty()));
            }
            Entry::Rejected(_) => rejected += 1,
        }
    }
    println!("{with_email} candidates have an email address; {rejected} records were rejected");
    Ok(())
}
