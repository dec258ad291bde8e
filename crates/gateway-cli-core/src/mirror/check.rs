//! `mirror check`: checks the mirror for damage.

use std::collections::BTreeSet;

use gateway_mirror::{Finding, FindingKind};
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::place::open_to_read;
use crate::output::printer::Printer;
use crate::output::progress::{records, with_separators};
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

/// Checks the mirror.
pub(crate) fn run(invocation: &Invocation) -> Result<(), Failure> {
    if invocation.call.dry_run {
        invocation.screen.note("would check the mirror");
        return Ok(());
    }
    let mirror = open_to_read(invocation)?;
    let check = mirror.check().map_err(|error| explained(&error))?;
    let noun = Some(Noun::new("finding", "findings"));
    let schema = Schema { columns: COLUMNS, noun, ..Schema::of_program(FIELDS, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    for Finding { kind, table, id, cause, .. } in &check.findings {
        printer.print(&Shown {
            kind: kind.as_str(),
            table: table.as_deref(),
            id: id.as_deref(),
            cause,
            next_step: kind.next_step(),
        })?;
    }
    printer.finish()?;
    let (rows, changes) = (records(check.records), with_separators(check.changes));
    let found = check.more.saturating_add(u64::try_from(check.findings.len()).unwrap_or(u64::MAX));
    let checked = format!("checked {rows} and {changes} changes");
    invocation.screen.note(&if found == 0 { format!("no damage: {checked}") } else { checked });
    match found {
        0 => Ok(()),
        found => {
            let text = format!("the mirror is damaged: {} findings", with_separators(found));
            let step = |kind: FindingKind| format!("{}: {}", kind.as_str(), kind.next_step());
            let steps: BTreeSet<_> = check.findings.iter().map(|one| step(one.kind)).collect();
            let steps: Vec<_> = steps.into_iter().collect();
            Err(Failure::new(Exit::Contract, text).hint(steps.join("; ")))
        }
    }
}

const COLUMNS: &[&str] = &["kind", "table", "id", "cause"];
const FIELDS: &[&str] = &["kind", "table", "id", "cause", "next_step"];
