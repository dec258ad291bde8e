//! `mirror copy`: the mirror in a database or in files, for other programs.

use clap::Args;
use methodical_mirror::Mirror;
use methodical_mirror::connector::Connector;
use methodical_mirror::model::tables::{Mirrored, Table};
use serde_json::json;

use crate::failure::Failure;
use crate::mirror::found;
use crate::mirror::open::{is_database, read, unreadable};
use crate::output::printer::Schema;
use crate::run::Invocation;
use crate::settings::redacted;

/// A function that writes the tables of a mirror to files; it is in [`Program::exporter`](crate::Program::exporter).
/// Returns the name and row count of each table.
///
/// # Examples
///
/// ```
/// use methodical_cli::{Exporter, Program};
///
/// let exporter: Exporter = |request| {
///     println!("{}", request.to);
///     Ok(vec![("photo".to_owned(), 7)])
/// };
/// let program = Program { exporter: Some(exporter), ..Program::new("photos", "1.0.0") };
/// ```
pub type Exporter = fn(ExportRequest<'_>) -> Result<Vec<(String, u64)>, Failure>;

/// The mirror to export, and its destination.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExportRequest<'a> {
    /// The mirror.
    pub mirror: &'a mut Mirror,
    /// The tables of the service.
    pub tables: &'a [&'static Table],
    /// The URL or path of the destination.
    pub to: &'a str,
}

/// The flags of `mirror copy`.
#[derive(Debug, Args)]
pub(crate) struct CopyFlags {
    /// A database, `postgres://USER@HOST/NAME#SCHEMA` (the schema is `mirror` by default), or the folder of the Parquet
    /// files: `s3://`, `gs://`, `az://`, `file://`, or a path.
    #[arg(long, value_name = "URL")]
    to: String,
}

/// Copies the mirror to a database, or to files.
pub(crate) fn run<S: Mirrored>(flags: &CopyFlags, invocation: &Invocation) -> Result<(), Failure> {
    let exporter = invocation.program.exporter.filter(|_| !is_database(&flags.to));
    if exporter.is_none() && !is_database(&flags.to) {
        return Err(Failure::usage(
            "cannot copy the mirror: this program was built without Parquet",
        )
        .hint("copy to postgres://…, or use a build with Parquet"));
    }
    let mut mirror = read(invocation)?;
    if let Some(exporter) = exporter {
        let tables = &found::<S>().tables;
        let copied = exporter(ExportRequest { mirror: &mut mirror, tables, to: &flags.to })?;
        let rows = copied.into_iter().map(|(table, rows)| [json!(table), json!(rows)]);
        return Schema::of_program(&["table", "rows"], false).print(invocation, rows);
    }
    copy_to_database(&mut mirror, &flags.to, invocation)
}

/// Copies a mirror. The schema follows the URL: `postgres://db/team#SCHEMA`.
fn copy_to_database(mirror: &mut Mirror, to: &str, invocation: &Invocation) -> Result<(), Failure> {
    let (url, schema) = to.split_once('#').unwrap_or((to, SCHEMA));
    let connector = Connector::new(url, "mirror")
        .map_err(|error| Failure::usage("cannot copy to this URL").because(error.to_string()))?;
    let copied = mirror.copy_to_postgres(&connector, schema, &redacted(to)).map_err(unreadable)?;
    if copied.is_replaced {
        invocation.screen.note(
            "the copy was of another mirror, or of this one before it was restored: everything was copied again",
        );
    }
    let rows = copied
        .tables
        .into_iter()
        .map(|one| [json!(one.table), json!(one.written), json!(one.removed)]);
    Schema::of_program(&["table", "written", "removed"], false).print(invocation, rows)
}

/// Schema of a copy whose URL names none.
const SCHEMA: &str = "mirror";
