//! The state of a mirror as a file of metrics, for the textfile collector of `node_exporter`.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use methodical_mirror::TableStatus;

use crate::atomic_file::{AtomicFile, prefix};
use crate::failure::Failure;
use crate::name::Name;

/// Writes the file atomically. Other users may read it: it has no personal data.
pub(crate) fn write(
    path: &Path,
    program: Name,
    tables: &[TableStatus],
    has_succeeded: bool,
) -> Result<(), Failure> {
    let text = render(program, tables, has_succeeded);
    let put = || -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file =
            AtomicFile::create(folder.unwrap_or_else(|| Path::new(".")), &prefix(program), "")?;
        #[cfg(unix)]
        file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        file.write_all(text.as_bytes())?;
        file.persist(path)
    };
    put().map_err(|error| {
        Failure::usage(format!("cannot write {}", path.display())).because(error.to_string())
    })
}

fn render(program: Name, tables: &[TableStatus], has_succeeded: bool) -> String {
    let prefix = format!("{}_mirror", program.prefix().to_ascii_lowercase());
    let mut text = String::new();
    let mut gauge = |name: &str, help: &str, values: &[(String, String)]| {
        // Writing to a string cannot fail.
        _ = writeln!(text, "# HELP {prefix}_{name} {help}\n# TYPE {prefix}_{name} gauge");
        for (labels, value) in values {
            _ = writeln!(text, "{prefix}_{name}{labels} {value}");
        }
    };
    let each = |value: &dyn Fn(&TableStatus) -> Option<String>| -> Vec<(String, String)> {
        let labels = |table: &str| format!("{{table=\"{table}\"}}");
        tables.iter().filter_map(|one| Some((labels(&one.table), value(one)?))).collect()
    };
    let success = [(String::new(), u8::from(has_succeeded).to_string())];
    gauge("last_sync_success", "Whether the last sync succeeded.", &success);
    gauge(
        "synced_timestamp_seconds",
        "When the last complete list of a table was received.",
        &each(&|one| one.completed_at.map(|at| at.to_string())),
    );
    gauge("records", "Records in the last list.", &each(&|one| Some(one.present.to_string())));
    gauge("missing_records", "Missing records.", &each(&|one| Some(one.missing.to_string())));
    gauge(
        "rejected_records",
        "Records of the last list that could not be read.",
        &each(&|one| Some(one.rejected.to_string())),
    );
    text
}
