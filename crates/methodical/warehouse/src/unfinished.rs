//! Unfinished files of a local folder: `NAME#1` until `NAME` is complete. `object_store` creates them, and does not list them.

use std::error::Error as _;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::UNIX_EPOCH;

use object_store::Error as StoreError;

/// Returns the names of the unfinished files of a folder of a place, and when they were modified, in milliseconds since 1970.
pub(crate) fn list(place: &Path, folder: &str) -> io::Result<Vec<(String, i64)>> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(place.join(folder)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let file = entry.file_name();
        let Some(file) = file.to_str().filter(|file| is_unfinished(file)) else { continue };
        let modified = match entry.metadata().and_then(|metadata| metadata.modified()) {
            // It was completed or removed.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            modified => modified?.duration_since(UNIX_EPOCH).unwrap_or_default(),
        };
        let modified = i64::try_from(modified.as_millis()).unwrap_or(i64::MAX);
        let name = if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
        found.push((name, modified));
    }
    Ok(found)
}

/// Returns whether a name is that of an unfinished file.
pub(crate) fn is_unfinished(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split_once('#').is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Removes an unfinished file of a place. Ignores one that does not exist.
pub(crate) fn remove(place: &Path, name: &str) -> io::Result<()> {
    match fs::remove_file(place.join(name)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns whether a file could not be completed because another exporter removed it while it was unfinished.
pub(crate) fn was_removed(error: &StoreError) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(cause) = cause.downcast_ref::<io::Error>() {
            return cause.kind() == ErrorKind::NotFound;
        }
        source = cause.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{is_unfinished, list, remove};

    #[test]
    fn only_numbers_mark_unfinished_files() {
        for name in ["data/a.parquet#1", "a#12"] {
            assert!(is_unfinished(name), "{name}");
        }
        for name in ["data/a.parquet", "a#", "a#b", "a#1/b", "a#1#2", "#a/1"] {
            assert!(!is_unfinished(name), "{name}");
        }
    }

    #[test]
    fn files_that_do_not_exist_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        assert!(list(folder.path(), "data").unwrap().is_empty());
        remove(folder.path(), "data/a#1").unwrap();
    }
}
