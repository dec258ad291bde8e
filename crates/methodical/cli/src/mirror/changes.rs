//! `mirror changes`: the feed of changes.

use clap::Args;
use methodical_mirror::{Cursor, Error, Event};
use serde::Serialize;

use crate::command::print::print;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::place::open_to_read;
use crate::output::printer::Printer;
use crate::output::schema::Schema;

/// The flags of `mirror changes`.
#[derive(Debug, Args)]
pub(crate) struct ChangesFlags {
    /// Print only changes after this cursor [default: from the oldest change that is kept].
    #[arg(long, value_name = "CURSOR", value_parser = cursor)]
    after: Option<Cursor>,

    /// Print only the cursor after the last change. Take it before you read the tables.
    #[arg(long, conflicts_with = "after")]
    cursor: bool,
}

fn cursor(text: &str) -> Result<Cursor, Error> {
    text.parse()
}

/// An event, as a record of the output.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    event: &'a Event,
    cursor: String,
}

/// Prints the changes.
pub(crate) fn run(flags: &ChangesFlags, invocation: &Invocation) -> Result<(), Failure> {
    if invocation.call.dry_run {
        invocation.screen.note("would read the changes of the mirror");
        return Ok(());
    }
    let mirror = open_to_read(invocation)?;
    let failed = |error: Error| explained(&error);
    if flags.cursor {
        return print(invocation, format!("{}\n", mirror.cursor().map_err(failed)?).as_bytes());
    }
    // An invalid cursor is refused before the output is opened.
    let (mut page, mut after) = mirror.events(flags.after.as_ref(), PAGE).map_err(failed)?;
    let is_empty = page.is_empty();
    let schema = Schema { columns: COLUMNS, ..Schema::of_program(FIELDS, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    while !page.is_empty() && !printer.is_done() {
        for event in &page {
            let cursor = mirror.cursor_after(&event.change).to_string();
            printer.print(&Shown { event, cursor })?;
        }
        (page, after) = mirror.events(Some(&after), PAGE).map_err(failed)?;
    }
    printer.finish()?;
    if is_empty {
        invocation.screen.note("no changes");
    }
    Ok(())
}

/// Number of changes that are read together.
const PAGE: usize = 1000;

/// The columns of a table: neither the id for deduplication nor the record.
const COLUMNS: &[&str] = &["number", "at", "table", "record_id", "kind", "fields"];

const FIELDS: &[&str] =
    &["id", "number", "at", "table", "record_id", "kind", "fields", "record", "cursor"];
