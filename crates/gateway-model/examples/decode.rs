//! The types without a client: create a query, send it with any HTTP stack, decode the response.
//!
//! `cargo run -p gateway-model --example decode`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use gateway_model::service::RecruitmentGateway;
use gateway_model::{DecodeError, ListVacancies, Operation as _, Service as _};

fn main() -> Result<(), DecodeError> {
    let query = ListVacancies::new().query()?;
    println!("GET {}?{query}", RecruitmentGateway::PATH);
    println!("Accept: {}", RecruitmentGateway::ACCEPT);

    // The body that your HTTP stack has received. The second record has no `id`.
    let body = br#"[{"id":"52","project":"Welder, Rotterdam"},{"project":"Painter"}]"#;
    let listing = ListVacancies::decode(body)?;
    for vacancy in &listing.items {
        println!("{}: {}", vacancy.id, vacancy.project.as_deref().unwrap_or("no title"));
    }
    for rejected in &listing.rejected {
        println!("rejected: {}", rejected.error());
    }
    Ok(())
}
