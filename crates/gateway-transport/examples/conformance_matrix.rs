//! Runs the conformance kit on every adapter and prints the results as Markdown.
//!
//! `cargo xtask transports` writes it to `docs/transports.md`.

#![expect(clippy::print_stdout, reason = "printing is the purpose of this program")]

#[path = "../tests/conformance/subjects.rs"]
mod subjects;

use std::collections::BTreeMap;
use std::process::ExitCode;

use methodical_testkit::conformance::{Finding, Verdict, run};

use crate::subjects::ADAPTERS;

fn main() -> ExitCode {
    let reports = ADAPTERS.map(|adapter| run(adapter.factory, &[]));
    println!("{}\n{}", summary(&reports), reasons(&reports));
    let mut all = reports.iter().flatten();
    if all.any(|report| matches!(report.verdict, Verdict::Fail(_))) {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Returns a table with one row for each adapter.
fn summary(reports: &[Vec<Finding>]) -> String {
    let rows = ADAPTERS.iter().zip(reports).map(|(adapter, reports)| {
        let [passed, failed, skipped] = ["pass", "fail", "skip"]
            .map(|word| reports.iter().filter(|one| one.verdict.word() == word).count());
        format!("| {} | {passed} | {failed} | {skipped} |\n", adapter.title)
    });
    let head = "| adapter | passed | failed | skipped |\n|---|--:|--:|--:|\n".to_owned();
    rows.fold(head, |out, row| out + &row)
}

/// Returns the reasons for skipped and failed checks, each once, with the check and its adapters.
fn reasons(reports: &[Vec<Finding>]) -> String {
    let mut all: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (adapter, reports) in ADAPTERS.iter().zip(reports) {
        for report in reports {
            if let Verdict::Skip(reason) | Verdict::Fail(reason) = &report.verdict {
                all.entry((reason, report.check)).or_default().push(adapter.title);
            }
        }
    }
    let rows = all.iter().map(|((reason, check), adapters)| {
        format!("- `{check}`, {}: {reason}.\n", adapters.join(", "))
    });
    rows.collect()
}
