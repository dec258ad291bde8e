//! `mirror copy`: the mirror in a database, for other programs.

use clap::Args;
use serde::Serialize;

use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::binding::Reader;
use crate::mirror::place::{Place, refuse_new_since};
use crate::mirror::postgres;
use crate::output::printer::Printer;
use crate::output::schema::Schema;

/// The flags of `mirror copy`.
#[derive(Debug, Args)]
pub(crate) struct CopyFlags {
    /// The database: `postgres://USER@HOST/NAME#SCHEMA`. The schema is `mirror` by default.
    #[arg(long, value_name = "URL")]
    to: String,
}

/// The outcome of a copy.
pub(crate) struct Copied {
    /// Whether everything was copied again, because the copy was of another mirror.
    pub(crate) is_replaced: bool,
    /// The tables, with the rows that were written, and those that were removed or replaced.
    pub(crate) tables: Vec<(String, u64, u64)>,
}

/// The copy of a table, as a record of the output.
#[derive(Serialize)]
struct Shown {
    table: String,
    written: u64,
    removed: u64,
}

/// Copies the mirror.
pub(crate) fn run(flags: &CopyFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_new_since(invocation)?;
    if !postgres::is_url(&flags.to) {
        return Err(Failure::usage("cannot copy the mirror: --to is not the URL of a database")
            .hint("copy to postgres://…; `mirror export` writes tables to a folder or an object store"));
    }
    let settings = Settings::of_known(invocation)?;
    let reader = Reader::new(&settings, invocation);
    let place = Place::of_reader(reader)?;
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would copy the mirror {place}"));
        return Ok(());
    }
    let mut mirror = place.open_existing(reader)?;
    let Copied { is_replaced, tables } = postgres::copy(&mut mirror, &flags.to)?;
    if is_replaced {
        invocation.screen.note(
            "the copy was of another mirror, or of this one before it was restored: everything was copied again",
        );
    }
    let mut printer = Printer::open(invocation, &Schema::of_program(FIELDS, false))?;
    for (table, written, removed) in tables {
        printer.print(&Shown { table, written, removed })?;
    }
    printer.finish()
}

const FIELDS: &[&str] = &["table", "written", "removed"];
