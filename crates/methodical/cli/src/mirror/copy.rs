//! `mirror copy` and `mirror export`: the mirror in a database, or as tables of other tools.

use std::fmt;

use clap::{Args, ValueEnum};
use methodical_mirror::Mirror;
#[cfg(feature = "mirror-postgres")]
use methodical_mirror::connector::{Connector, Options};
use serde::Serialize;

use crate::failure::Failure;
#[cfg(feature = "mirror-postgres")]
use crate::mirror::open::unreadable;
use crate::mirror::open::{is_database, read_place, refuse_new_since};
use crate::output::printer::{Printer, Schema, counted};
use crate::run::Invocation;
#[cfg(feature = "mirror-postgres")]
use crate::settings::redacted;

/// The exporter of a program, which writes a mirror as tables of other tools: [`Program::exporter`](crate::Program::exporter).
///
/// # Examples
///
/// ```
/// use methodical_cli::{ExportedTable, Exporter, Program};
///
/// const EXPORTER: Exporter = Exporter::new(|request| {
///     println!("{}", request.to);
///     Ok(vec![ExportedTable { table: "photo".to_owned(), rows: 7, ..ExportedTable::default() }])
/// });
///
/// const PROGRAM: Program = Program::new("photos", env!("CARGO_PKG_VERSION")).exporter(EXPORTER);
/// ```
#[derive(Clone, Copy)]
pub struct Exporter {
    pub(crate) run: Run,
}

type Run = fn(&ExportRequest<'_>) -> Result<Vec<ExportedTable>, Failure>;

impl Exporter {
    /// Creates an exporter from a function, which exports all tables and reports each of them.
    pub const fn new(run: Run) -> Self {
        Self { run }
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").finish_non_exhaustive()
    }
}

/// The mirror to export, and its destination.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ExportRequest<'a> {
    /// The mirror.
    pub mirror: &'a Mirror,
    /// The URL or path of the destination.
    pub to: &'a str,
    /// The format of the tables.
    pub format: ExportFormat,
    /// Whether decimal numbers have a second column of a decimal type.
    pub decimals: bool,
    /// Whether tables of another mirror are replaced.
    pub replace: bool,
}

/// The format of the tables of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum ExportFormat {
    /// Delta Lake tables, which change in transactions
    #[default]
    Delta,
    /// Plain Parquet files, which are replaced one by one
    Parquet,
}

/// The export of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "exporters create it")]
pub struct ExportedTable {
    /// The name of the table.
    pub table: String,
    /// The version of the table.
    pub version: i64,
    /// Number of rows in the files that were written.
    pub rows: u64,
    /// Number of files that were written.
    pub files: u64,
    /// Number of bytes that were written.
    pub bytes: u64,
    /// Number of files that were replaced.
    pub replaced: u64,
    /// Number of files of former versions that were deleted.
    pub deleted: u64,
    /// Number of changes that the mirror removed before they were exported.
    pub lost: u64,
}

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

/// Copies the mirror to a database.
pub(crate) fn run(flags: &CopyFlags, invocation: &Invocation) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Shown {
        table: String,
        written: u64,
        removed: u64,
    }
    refuse_new_since(invocation)?;
    if !is_database(&flags.to) {
        return Err(Failure::usage("cannot copy the mirror: --to is not the URL of a database")
            .hint("copy to postgres://…; `mirror export` writes tables to a folder or an object store"));
    }
    let Some((mut mirror, _)) = read_place(invocation, "would copy")? else { return Ok(()) };
    let Copied { is_replaced, tables } = copy(&mut mirror, &flags.to)?;
    if is_replaced {
        invocation.screen.note(
            "the copy was of another mirror, or of this one before it was restored: everything was copied again",
        );
    }
    let fields = &["table", "written", "removed"];
    let mut printer = Printer::open(invocation, &Schema::of_program(fields, false))?;
    for (table, written, removed) in tables {
        printer.print(&Shown { table, written, removed })?;
    }
    printer.finish()
}

/// Copies a mirror. The schema follows the URL: `postgres://db/team#SCHEMA`.
#[cfg(feature = "mirror-postgres")]
pub(crate) fn copy(mirror: &mut Mirror, to: &str) -> Result<Copied, Failure> {
    let (url, schema) = to.split_once('#').unwrap_or((to, SCHEMA));
    let connector = Connector::new(url, Options::new("mirror")).map_err(|error| {
        Failure::usage("cannot use the URL of the copy").because(error.to_string())
    })?;
    let copied = mirror.copy_to_postgres(&connector, schema, &redacted(to));
    let copied = copied.map_err(unreadable)?;
    let tables = copied.tables.into_iter().map(|one| (one.table, one.written, one.removed));
    Ok(Copied { is_replaced: copied.is_replaced, tables: tables.collect() })
}

/// Refuses to copy: this build has no driver.
#[cfg(not(feature = "mirror-postgres"))]
pub(crate) fn copy(_mirror: &mut Mirror, _to: &str) -> Result<Copied, Failure> {
    Err(Failure::usage("cannot copy to PostgreSQL: this build has no support for it")
        .hint("build the program with the feature `mirror-postgres`"))
}

/// Schema of a copy whose URL names none.
#[cfg(feature = "mirror-postgres")]
const SCHEMA: &str = "mirror";

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

/// Exports the mirror as tables.
pub(crate) fn export(flags: &ExportFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_new_since(invocation)?;
    let Some(exporter) = invocation.program.exporter else {
        return Err(Failure::usage("cannot export: this program was built without the exports to tables")
            .hint("use the program of the workspace methodical-warehouse; docs/warehouse.md says how to build it"));
    };
    let Some((mirror, _)) = read_place(invocation, "would export")? else { return Ok(()) };
    let &ExportFlags { ref to, format, decimals, replace } = flags;
    let request = ExportRequest { mirror: &mirror, to, format, decimals, replace };
    let tables = (exporter.run)(&request)?;
    let fields = &["table", "version", "rows", "files", "bytes", "replaced", "deleted", "lost"];
    let mut printer = Printer::open(invocation, &Schema::of_program(fields, false))?;
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
    printer.finish()
}
