//! Allocations of decoding a list, and memory used by streams of different lengths.
//!
//! `cargo bench -p gateway-model --bench memory` prints the tables; with `-- --write` they also go to
//! `docs/benchmarks.md`. The results do not depend on the speed of the machine.

#![expect(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::format_collect,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a benchmark prints for a person and stops at the first error"
)]

#[path = "../support/data.rs"]
mod data;
#[path = "../support/document.rs"]
mod document;
mod resident;
#[path = "../support/subjects.rs"]
mod subjects;

use std::fmt::Write as _;
use std::process::ExitCode;

use allocation_counter::AllocationInfo;

use crate::data::Variant;
use crate::subjects::{SUBJECTS, Subject};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, bytes] = arguments.as_slice()
        && mode == resident::CHILD
    {
        return resident::stream(bytes);
    }
    let text = format!("{}\n{}", allocations(), resident::table());
    document::publish("memory", &text)
}

/// Counts the allocations of each subject for a body of one megabyte.
fn allocations() -> String {
    let bodies = Variant::ALL.map(|variant| (variant, data::body(variant, 1_000_000)));
    let heads: String =
        bodies.iter().map(|(variant, _)| format!(" {} |", variant.name())).collect();
    let mut out = format!("| allocations per candidate; peak heap / body |{heads}\n");
    writeln!(out, "|---|{}", "--:|".repeat(bodies.len())).expect("a string takes all");
    for subject in SUBJECTS {
        let cells: String =
            bodies.iter().map(|(variant, body)| cell(subject, *variant, body)).collect();
        writeln!(out, "| {} |{cells}", subject.name).expect("a string takes all");
    }
    out
}

fn cell(subject: &Subject, variant: Variant, body: &[u8]) -> String {
    if !subject.reads(variant) {
        return " |".to_owned();
    }
    let AllocationInfo { count_total, bytes_max, .. } = allocation_counter::measure(|| {
        std::hint::black_box((subject.run)(body));
    });
    let a_candidate = count_total as f64 / candidates(body) as f64;
    format!(" {a_candidate:.2}; {:.2} |", bytes_max as f64 / body.len() as f64)
}

/// Returns the number of candidates in a body.
fn candidates(body: &[u8]) -> usize {
    body.windows(8).filter(|window| window == b"\"email\":").count()
}
