//! `mirror export`: the mirror as tables of other tools, in a folder or an object store.

use clap::Args;

use crate::config::settings::Settings;
use crate::exporter::{ExportFormat, ExportRequest};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::binding::Reader;
use crate::mirror::place::{Place, refuse_new_since};
use crate::output::printer::Printer;
use crate::output::progress::counted;
use crate::output::schema::Schema;

/// The flags of `mirror export`.
#[derive(Debug, Args)]
pub(crate) struct ExportFlags {
    /// The folder of the tables: `s3://`, `gs://`, `az://`, `file://`, or a path.
    #[arg(long, value_name = "URL")]
    to: String,

    /// The format of the tables.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: ExportFormat,

    /// Add a column `<field>_decimal` for each decimal number, of the type DECIMAL(38, 9).
    #[arg(long)]
    decimals: bool,

    /// Replace tables of another mirror, such as the one that this mirror was restored from.
    #[arg(long)]
    replace: bool,
}

/// Exports the mirror.
pub(crate) fn run(flags: &ExportFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_new_since(invocation)?;
    let Some(exporter) = invocation.program.exporter else {
        return Err(Failure::usage("cannot export: this program was built without the exports to tables")
            .hint("use the program of the workspace methodical-warehouse; docs/warehouse.md says how to build it"));
    };
    let settings = Settings::of_known(invocation)?;
    let reader = Reader::new(&settings, invocation);
    let place = Place::of_reader(reader)?;
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would export the mirror {place}"));
        return Ok(());
    }
    let mirror = place.open_existing(reader)?;
    let &ExportFlags { ref to, format, decimals, replace } = flags;
    let request = ExportRequest { mirror: &mirror, to, format, decimals, replace };
    let tables = (exporter.run)(&request)?;
    let mut printer = Printer::open(invocation, &Schema::of_program(FIELDS, false))?;
    for table in &tables {
        if table.lost > 0 {
            invocation.screen.warn(&format!(
                "the mirror removed {} before they were exported; {} lacks them",
                counted(table.lost, "change"),
                table.table
            ));
        }
        printer.print(table)?;
    }
    printer.finish()?;
    Ok(())
}

const FIELDS: &[&str] =
    &["table", "version", "rows", "files", "bytes", "replaced", "deleted", "lost"];
