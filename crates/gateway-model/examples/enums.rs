//! Open enums: a value that the contract does not list is kept, and can be sent.
//!
//! `cargo run -p gateway-model --example enums`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use gateway_model::{DecodeError, ListCandidates, Operation as _, StatusName};

fn main() -> Result<(), DecodeError> {
    for text in ["New", "Shortlist", "On hold"] {
        let status = StatusName::from(text);
        let meaning = match &status {
            StatusName::New => "not reviewed yet",
            StatusName::Rejected | StatusName::Shortlist => "reviewed",
            // The contract does not list it, or lists it in a later version.
            _ => "unknown to this program",
        };
        println!("{status}: {meaning}");
        println!("  {}", ListCandidates::new().vacancy_status(52, status).query()?);
    }
    let listed: Vec<_> = StatusName::KNOWN.iter().map(StatusName::as_str).collect();
    println!("listed: {}", listed.join(", "));
    Ok(())
}
