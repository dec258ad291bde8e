//! A list of any length in little memory: records are handled while the list is still arriving.
//!
//! `GATEWAY_BASE_URL=… GATEWAY_TOKEN=… cargo run -p gateway-client --example stream`

#![expect(clippy::print_stdout, reason = "an example talks to a person")]

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
    let (mut with_mail, mut unread) = (0_u64, 0_u64);
    while let Some(entry) = records.next().await {
        match entry? {
            Entry::Record(one) => {
                with_mail += u64::from(one.email.is_some_and(|text| !text.is_empty()));
            }
            Entry::Rejected(_) => unread += 1,
        }
    }
    println!("{with_mail} candidates have an e-mail address, {unread} are not readable");
    Ok(())
}
