//! `mirror check`: checks the mirror for damage.

use std::collections::BTreeSet;

use clap::Args;
use methodical_mirror::{Check, Finding, FindingKind, Repaired};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::place::open_to_read;
use crate::output::printer::Printer;
use crate::output::progress::{counted, records};
use crate::output::schema::Schema;
use crate::record_type::Noun;

/// A finding, as a record of the output.
#[derive(Serialize)]
struct Shown<'a> {
    kind: &'static str,
    table: Option<&'a str>,
    id: Option<&'a str>,
    cause: &'a str,
    next_step: &'static str,
}

/// The flags of `mirror check`.
#[derive(Debug, Args)]
pub(crate) struct CheckFlags {
    /// Repair what can be repaired, print it, and check again. A consumer may need a new snapshot afterwards.
    #[arg(long)]
    repair: bool,
}

/// Checks the mirror, or repairs it.
pub(crate) fn run(flags: &CheckFlags, invocation: &Invocation) -> Result<(), Failure> {
    if invocation.call.dry_run {
        let would = if flags.repair { "would repair the mirror" } else { "would check the mirror" };
        invocation.screen.note(would);
        return Ok(());
    }
    let mut mirror = open_to_read(invocation)?;
    if !flags.repair {
        let check = mirror.check().map_err(|error| explained(&error))?;
        print(invocation, &check.findings, FindingKind::next_step)?;
        return judge(invocation, &check);
    }
    let Repaired { findings, check, .. } = mirror.repair().map_err(|error| explained(&error))?;
    print(invocation, &findings, FindingKind::repair)?;
    if !findings.is_empty() {
        let found = u64::try_from(findings.len()).unwrap_or(u64::MAX);
        invocation.screen.note(&format!("repaired {}", counted(found, "finding")));
    }
    judge(invocation, &check)
}

fn print(
    invocation: &Invocation,
    findings: &[Finding],
    step: impl Fn(FindingKind) -> &'static str,
) -> Result<(), Failure> {
    let noun = Some(Noun::new("finding", "findings"));
    let schema = Schema { columns: COLUMNS, noun, ..Schema::of_program(FIELDS, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    for Finding { kind, table, id, cause, .. } in findings {
        printer.print(&Shown {
            kind: kind.as_str(),
            table: table.as_deref(),
            id: id.as_deref(),
            cause,
            next_step: step(*kind),
        })?;
    }
    printer.finish()?;
    Ok(())
}

/// Notes what was checked, and fails if there are findings.
fn judge(invocation: &Invocation, check: &Check) -> Result<(), Failure> {
    let (rows, changes) = (records(check.records), counted(check.changes, "change"));
    let found = check.more.saturating_add(u64::try_from(check.findings.len()).unwrap_or(u64::MAX));
    let checked = format!("checked {rows} and {changes}");
    invocation.screen.note(&if found == 0 { format!("no damage: {checked}") } else { checked });
    if found == 0 {
        return Ok(());
    }
    let text = format!("the mirror is damaged: {}", counted(found, "finding"));
    let kinds: BTreeSet<FindingKind> = check.findings.iter().map(|one| one.kind).collect();
    let steps: BTreeSet<&str> = kinds.into_iter().map(next_step).collect();
    let steps: Vec<&str> = steps.into_iter().collect();
    Err(Failure::new(Exit::Contract, text).hint(steps.join("; ")))
}

/// Returns what to do next about a kind of findings, as a hint.
fn next_step(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Damage => kind.next_step(),
        _ => "run `mirror check --repair`",
    }
}

const COLUMNS: &[&str] = &["kind", "table", "id", "cause"];
const FIELDS: &[&str] = &["kind", "table", "id", "cause", "next_step"];
