//! The `gateway` program with exports to Parquet, object stores and Delta Lake tables.

use std::error::Error as _;
use std::process::ExitCode;

use gateway_cli::core::{ExportFormat, ExportRequest, ExportedTable, Exporter, Failure, Uploader};
use gateway_model::service::RecruitmentGateway;
use methodical_warehouse::{Described, Error, ErrorKind, Export, Place, TableExport};

mod parquet_format;
mod upload;

use crate::parquet_format::ParquetFormat;

fn main() -> ExitCode {
    // Files with people in them are for their owner only, also those that a library creates.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let program = gateway_cli::program()
        .formats(&[&ParquetFormat::TEXT, &ParquetFormat::DECIMALS])
        .uploader(Uploader::new(upload::open))
        .exporter(Exporter::new(export));
    gateway_cli::run(&program)
}

fn export(request: &ExportRequest<'_>) -> Result<Vec<ExportedTable>, Failure> {
    let described = Described::of::<RecruitmentGateway>();
    let export = Export::new(described);
    let export = if request.replace { export.replace() } else { export };
    let export = if request.decimals { export.decimals() } else { export };
    let tables = Place::open(request.to).and_then(|place| match request.format {
        ExportFormat::Parquet => export.run_plain(request.mirror, &place),
        _ => export.run(request.mirror, &place),
    });
    Ok(tables.map_err(|error| explained(&error))?.into_iter().map(reported).collect())
}

fn reported(export: TableExport) -> ExportedTable {
    ExportedTable {
        table: export.table,
        version: export.version,
        rows: export.rows,
        files: export.files,
        bytes: export.bytes,
        replaced: export.replaced,
        deleted: export.deleted,
        lost: export.lost,
    }
}

/// Returns the failure with which the program ends because of an error of the export.
pub(crate) fn explained(error: &Error) -> Failure {
    let failed = match error.kind() {
        ErrorKind::Url | ErrorKind::Older => Failure::usage,
        ErrorKind::Foreign => |text: String| {
            Failure::usage(text).hint("--replace replaces the table of another mirror")
        },
        ErrorKind::Conflict => Failure::busy,
        _ => Failure::unwritten,
    };
    let mut failure = failed(error.to_string());
    let mut source = error.source();
    while let Some(cause) = source {
        failure = failure.because(cause.to_string());
        source = cause.source();
    }
    failure
}
