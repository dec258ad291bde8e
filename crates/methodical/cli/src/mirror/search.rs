//! `mirror search`: finds records by text.

use std::io;
use std::ops::ControlFlow;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use methodical_mirror::Record;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::place::open_to_read;
use crate::mirror::time::utc;
use crate::output::printer::Printer;
use crate::output::schema::Schema;

/// The arguments of `mirror search`.
#[derive(Debug, Args)]
pub(crate) struct SearchFlags {
    /// Text within the identity or a text of the record, in any case.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    text: String,
}

/// A record, as a record of the output.
#[derive(Serialize)]
struct Shown<'a> {
    table: &'a str,
    id: &'a str,
    state: &'static str,
    first_seen: String,
    record: &'a RawValue,
}

/// Prints the records that have the text.
pub(crate) fn run(flags: &SearchFlags, invocation: &Invocation) -> Result<(), Failure> {
    if invocation.call.dry_run {
        invocation.screen.note("would search the mirror");
        return Ok(());
    }
    let mirror = open_to_read(invocation)?;
    let mut printer = Printer::open(invocation, &Schema::of_program(FIELDS, false))?;
    let mut done = io::Result::Ok(());
    let read = mirror.search(&flags.text, |table, record| {
        done = print(&mut printer, table, &record);
        let ends = done.is_err() || printer.is_done();
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    done?;
    read.map_err(|error| explained(&error))?;
    printer.finish()
}

fn print(printer: &mut Printer, table: &str, record: &Record) -> io::Result<()> {
    printer.print(&Shown {
        table,
        id: &record.id,
        state: record.state.as_str(),
        first_seen: utc(record.first_seen),
        record: serde_json::from_str(&record.json)?,
    })
}

const FIELDS: &[&str] = &["table", "id", "state", "first_seen", "record"];
