//! Speed of decoding, compared in the same run with `serde_json` into derived structs.
//!
//! `cargo bench --manifest-path crates/gateway-model/benches/Cargo.toml` prints the table; with `-- --write` it also
//! goes to `docs/benchmarks.md`. Times are the thread's CPU time, rounds are interleaved, and a ratio is the median of
//! the ratios within each round.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unchecked_time_subtraction,
    reason = "a benchmark prints for a person and stops at the first error"
)]

mod data;
#[path = "../support/document.rs"]
mod document;
#[path = "../support/measure.rs"]
mod measure;
mod subjects;

use std::hint::black_box;
use std::process::ExitCode;

use crate::data::Variant;
use crate::measure::{median, now};
use crate::subjects::SUBJECTS;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, subject, variant, bytes, times, ..] = arguments.as_slice()
        && mode == "--count"
    {
        return count(subject, variant, bytes, times);
    }
    let columns = Variant::ALL.map(|variant| measure(&data::body(variant, SIZE)));
    let heads: String =
        Variant::ALL.iter().map(|variant| format!(" {} |", variant.name())).collect();
    let mut text =
        format!("| MB/s (× reference) |{heads}\n|---|{}\n", "--:|".repeat(columns.len()));
    for (index, subject) in SUBJECTS.iter().enumerate() {
        let cells: String = columns.iter().map(|column| format!(" {} |", column[index])).collect();
        text += &format!("| {} |{cells}\n", subject.name);
    }
    document::publish(PLACE, &text)
}

/// Measures every subject on a body, round by round. Returns the median speed of each, in megabytes of JSON per second,
/// and the median of its ratios to the reference within each round.
fn measure(body: &[u8]) -> Vec<String> {
    let expected = (SUBJECTS[0].run)(body);
    for subject in SUBJECTS {
        let sum = (subject.run)(body);
        assert!(sum == expected, "{} decoded something else: {sum}, not {expected}", subject.name);
    }
    // About 40 ms of work per subject and round.
    let repeats = (8_000_000 / body.len().max(1)).max(1);
    let mut times = vec![Vec::new(); SUBJECTS.len()];
    for round in 0..ROUNDS {
        for step in 0..SUBJECTS.len() {
            // Every second round is reversed, so that no subject always follows the same one.
            let index = if round % 2 == 0 { step } else { SUBJECTS.len() - 1 - step };
            let start = now();
            for _ in 0..repeats {
                black_box((SUBJECTS[index].run)(black_box(body)));
            }
            times[index].push((now() - start).as_secs_f64());
        }
    }
    let megabytes = (body.len() * repeats) as f64 / 1e6;
    let figures = times.iter().map(|own| {
        let speed = megabytes / median(own.iter().copied());
        let ratio = median(times[0].iter().zip(own).map(|(reference, own)| reference / own));
        format!("{speed:.0} (×{ratio:.2})")
    });
    figures.collect()
}

/// Decodes a body repeatedly, for tools that count instructions.
fn count(subject: &str, variant: &str, bytes: &str, times: &str) -> ExitCode {
    let subject = SUBJECTS.iter().find(|one| one.name == subject);
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

/// The name of the section, which depends on SIMD instructions.
const PLACE: &str = if cfg!(feature = "simd") { "decode-simd" } else { "decode" };

const ROUNDS: usize = 7;

/// The length of a body, in bytes.
const SIZE: usize = 1_000_000;
