//! The client without a runtime, and how to handle each kind of failure.
//!
//! `GATEWAY_BASE_URL=… GATEWAY_TOKEN=… cargo run -p gateway-client --no-default-features --features ureq,rustls --example blocking`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::env;
use std::error::Error;

use gateway_client::model::ListVacancies;
use gateway_client::{EnvironmentToken, ErrorKind, blocking};

fn main() -> Result<(), Box<dyn Error>> {
    let client = blocking::Client::builder(env::var("GATEWAY_BASE_URL")?)
        .token(EnvironmentToken::new("GATEWAY_TOKEN"))
        .build()?;
    match client.list_vacancies(&ListVacancies::new()) {
        Ok(vacancies) => {
            for vacancy in vacancies.items {
                println!("{}\t{}", vacancy.id.as_str(), vacancy.project.unwrap_or_default());
            }
        }
        Err(error) if error.kind() == ErrorKind::Unauthorized => println!("get a new token"),
        Err(error) if error.is_transient() => {
            println!("retry later ({error}, {} attempts)", error.attempts());
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
