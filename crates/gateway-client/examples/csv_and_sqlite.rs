//! Candidates as CSV, and as rows of a SQLite database.
//!
//! `GATEWAY_BASE_URL=… GATEWAY_TOKEN=… cargo run -p gateway-client --example csv_and_sqlite`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::error::Error;
use std::{env, io};

use gateway_client::model::{Candidate, CivilDateTime, ListCandidates};
use gateway_client::{Client, EnvironmentToken};
use rusqlite::Connection;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder(env::var("GATEWAY_BASE_URL")?)
        .token(EnvironmentToken::new("GATEWAY_TOKEN"))
        .build()?;
    let listing = client.send(&ListCandidates::new().vacancy_id(101)).await?;

    let mut csv = csv::Writer::from_writer(io::stdout());
    csv.write_record(["id", "name", "portal.name"])?;
    for Candidate { id, name, portal, .. } in &listing.items {
        let portal = portal.as_ref().and_then(|portal| portal.name.as_deref());
        let name = name.as_deref();
        csv.write_record([id.as_str(), name.unwrap_or_default(), portal.unwrap_or_default()])?;
    }
    csv.flush()?;

    let mut database = Connection::open_in_memory()?;
    store(&mut database, &listing.items)?;
    let newest = "SELECT name, date, count(*) OVER () FROM candidate ORDER BY date DESC LIMIT 1";
    let (name, date, count): (String, String, u32) =
        database.query_row(newest, (), |row| row.try_into())?;
    println!("{count} rows in SQLite; the newest is {name}, {date}");
    Ok(())
}

/// Stores all candidates or none: an error rolls the transaction back.
fn store(database: &mut Connection, candidates: &[Candidate]) -> Result<(), Box<dyn Error>> {
    let transaction = database.transaction()?;
    transaction.execute_batch(
        "CREATE TABLE candidate (id TEXT PRIMARY KEY, name TEXT, email TEXT, date TEXT, json TEXT)",
    )?;
    for candidate in candidates {
        let date = candidate.date.as_ref().map(CivilDateTime::as_str);
        // The last column keeps every field, including those that the contract does not list.
        let json = serde_json::to_string(candidate)?;
        transaction.execute(
            "INSERT INTO candidate VALUES (?1, ?2, ?3, ?4, ?5)",
            (candidate.id.as_str(), &candidate.name, &candidate.email, date, json),
        )?;
    }
    Ok(transaction.commit()?)
}
