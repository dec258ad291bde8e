//! `mirror copy`: the mirror in a database or in files, for other programs.

use std::fmt;

use clap::Args;
use methodical_mirror::Mirror;
#[cfg(feature = "mirror-postgres")]
use methodical_mirror::connector::Connector;
use serde_json::json;

use crate::failure::Failure;
#[cfg(feature = "mirror-postgres")]
use crate::mirror::open::unreadable;
use crate::mirror::open::{is_database, read_place, refuse_new_since};
use crate::output::printer::Schema;
use crate::run::Invocation;
#[cfg(feature = "mirror-postgres")]
use crate::settings::redacted;

/// The exporter of a program, which writes the tables of a mirror as files: [`Program::exporter`](crate::Program::exporter).
///
/// # Examples
///
/// ```
/// use methodical_cli::{ExportedTable, Exporter, Program};
///
/// const EXPORTER: Exporter = Exporter::new(|request| {
///     println!("{}", request.to);
///     Ok(vec![ExportedTable { table: "photo".to_owned(), rows: 7 }])
/// });
///
/// const PROGRAM: Program = Program::new("photos", env!("CARGO_PKG_VERSION")).exporter(EXPORTER);
/// ```
#[derive(Clone, Copy)]
pub struct Exporter {
    pub(crate) run: Run,
}

type Run = fn(ExportRequest<'_>) -> Result<Vec<ExportedTable>, Failure>;

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
#[derive(Debug)]
#[non_exhaustive]
pub struct ExportRequest<'a> {
    /// The mirror.
    pub mirror: &'a mut Mirror,
    /// The URL or path of the destination.
    pub to: &'a str,
    /// Whether decimal numbers have a second column of a decimal type.
    pub decimals: bool,
}

/// The export of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "exporters create it")]
pub struct ExportedTable {
    /// The name of the table.
    pub table: String,
    /// Number of its rows.
    pub rows: u64,
}

/// The flags of `mirror copy`.
#[derive(Debug, Args)]
pub(crate) struct CopyFlags {
    /// A database, `postgres://USER@HOST/NAME#SCHEMA` (the schema is `mirror` by default), or the folder of the Parquet files:
    /// `s3://`, `gs://`, `az://`, `file://`, or a path.
    #[arg(long, value_name = "URL")]
    to: String,

    /// In Parquet, add a column `<field>_decimal` for each decimal number, of the type DECIMAL(38, 9).
    #[arg(long)]
    decimals: bool,
}

/// The outcome of a copy.
pub(crate) struct Copied {
    /// Whether everything was copied again, because the copy was of another mirror.
    pub(crate) is_replaced: bool,
    /// The tables, with the rows that were written, and those that were removed or replaced.
    pub(crate) tables: Vec<(String, u64, u64)>,
}

/// Copies the mirror to a database, or to files.
pub(crate) fn run(flags: &CopyFlags, invocation: &Invocation) -> Result<(), Failure> {
    refuse_new_since(invocation)?;
    let exporter = invocation.program.exporter.filter(|_| !is_database(&flags.to));
    if exporter.is_none() && !is_database(&flags.to) {
        return Err(Failure::usage(
            "cannot copy the mirror: this program was built without Parquet",
        )
        .hint("copy to postgres://…, or use a build with Parquet"));
    }
    let Some((mut mirror, _)) = read_place(invocation, "would copy")? else { return Ok(()) };
    if let Some(exporter) = exporter {
        let (mirror, to, decimals) = (&mut mirror, &*flags.to, flags.decimals);
        let tables = (exporter.run)(ExportRequest { mirror, to, decimals })?;
        let rows = tables.into_iter().map(|one| [json!(one.table), json!(one.rows)]);
        return Schema::of_program(&["table", "rows"], false).print_rows(invocation, rows);
    }
    let Copied { is_replaced, tables } = copy(&mut mirror, &flags.to)?;
    if is_replaced {
        invocation.screen.note(
            "the copy was of another mirror, or of this one before it was restored: everything was copied again",
        );
    }
    let rows = tables
        .into_iter()
        .map(|(table, written, removed)| [json!(table), json!(written), json!(removed)]);
    Schema::of_program(&["table", "written", "removed"], false).print_rows(invocation, rows)
}

/// Copies a mirror. The schema follows the URL: `postgres://db/team#SCHEMA`.
#[cfg(feature = "mirror-postgres")]
pub(crate) fn copy(mirror: &mut Mirror, to: &str) -> Result<Copied, Failure> {
    let (url, schema) = to.split_once('#').unwrap_or((to, SCHEMA));
    let connector = Connector::new(url, "mirror", |_notice| {}).map_err(|error| {
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
