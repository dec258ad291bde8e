//! The first call: the new candidates of each vacancy, and how many records were rejected.
//!
//! `GATEWAY_BASE_URL=… GATEWAY_TOKEN=… cargo run -p gateway-client --example first_call`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::env;
use std::error::Error;

use gateway_client::model::{GetCredits, ListCandidates, ListVacancies, StatusName};
use gateway_client::{Client, EnvironmentToken};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder(env::var("GATEWAY_BASE_URL")?)
        .token(EnvironmentToken::new("GATEWAY_TOKEN"))
        .build()?;
    let credits = client.send(&GetCredits::new()).await?;
    println!("balance: {} {}", credits.credits_number, credits.currency);

    for vacancy in client.send(&ListVacancies::new()).await?.items {
        let query = ListCandidates::new().vacancy_status(&vacancy.id, StatusName::New);
        let new = client.send(&query).await?;
        let (count, rejected) = (new.items.len(), new.rejected.len());
        println!("vacancy {}: {count} new candidates, {rejected} rejected", vacancy.id.as_str());
    }
    Ok(())
}
