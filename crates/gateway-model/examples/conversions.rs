//! Identifiers, dates and decimals: the text is kept as received, and converted on demand.
//!
//! `cargo run -p gateway-model --features jiff,rust_decimal --example conversions`

#![expect(clippy::print_stdout, reason = "an example prints to the terminal")]

use std::error::Error;

use gateway_model::{CivilDateTime, DecimalText, VacancyId};
use jiff::ToSpan as _;
use jiff::civil::DateTime;
use rust_decimal::Decimal;

fn main() -> Result<(), Box<dyn Error>> {
    let padded = VacancyId::from("0052");
    println!("id {padded}: the number {}", padded.to_u64()?);
    println!("the number 52: id {}", VacancyId::from(52));

    // The contract documents no time zone, so a date has none.
    let date = CivilDateTime::from("2024-02-28 09:30:00");
    let civil = DateTime::try_from(&date)?;
    println!("date {date}: a {:?}", civil.weekday());
    println!("two days later: {}", CivilDateTime::try_from(civil + 2.days())?);

    // Text that is not a date is kept. Only the conversion fails.
    let zero = CivilDateTime::from("0000-00-00 00:00:00");
    if let Err(error) = DateTime::try_from(&zero) {
        println!("date {zero}: {error}");
    }

    let balance = DecimalText::from("12.50");
    let total = Decimal::try_from(&balance)? + Decimal::new(10, 2);
    println!("balance {balance}, and 0.10 more: {total}");
    Ok(())
}
