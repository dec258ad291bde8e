//! Speed of decoding, compared in the same run with `serde_json` into derived structs.
//!
//! `cargo bench -p gateway-model` prints the table; with `-- --write` it also goes to `docs/benchmarks.md`. Times are CPU
//! times of the thread, rounds are interleaved, and a ratio is the median over all rounds of the ratio within a round.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unchecked_time_subtraction,
    reason = "a benchmark prints for a person and stops at the first error"
)]

mod clock;
#[path = "../support/data.rs"]
mod data;
#[path = "../support/document.rs"]
mod document;
mod measure;
mod report;
#[path = "../support/subjects.rs"]
mod subjects;

use std::process::ExitCode;

use crate::data::Variant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, subject, variant, bytes, times, ..] = arguments.as_slice()
        && mode == "--count"
    {
        return count(subject, variant, bytes, times);
    }
    let tables = Variant::ALL.map(|variant| measure::table(variant, &data::body(variant, SIZE)));
    let text = report::text(&tables);
    document::publish(PLACE, &text)
}

/// Decodes a body repeatedly, for tools that count instructions.
fn count(subject: &str, variant: &str, bytes: &str, times: &str) -> ExitCode {
    let subject = subjects::SUBJECTS.iter().find(|one| one.name == subject);
    let variant = Variant::ALL.into_iter().find(|one| one.name() == variant);
    let (Some(subject), Some(variant), Ok(bytes), Ok(times)) =
        (subject, variant, bytes.parse(), times.parse())
    else {
        eprintln!("cannot parse the arguments of --count: expected SUBJECT VARIANT BYTES TIMES");
        return ExitCode::FAILURE;
    };
    let body = data::body(variant, bytes);
    let sums = (0..times).map(|_: u32| (subject.run)(&body));
    println!("{}", sums.sum::<usize>());
    ExitCode::SUCCESS
}

/// The name of the section: with or without SIMD instructions.
const PLACE: &str = if cfg!(feature = "simd") { "decode-simd" } else { "decode" };

/// The bytes of a body.
const SIZE: usize = 1_000_000;
