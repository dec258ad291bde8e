//! The exporter of a program, which `mirror export` calls.

use std::fmt;

use clap::ValueEnum;
use methodical_mirror::Mirror;
use serde::Serialize;

use crate::failure::Failure;

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
