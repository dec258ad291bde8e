//! Turns panics of the library about temporary files into errors.

use std::io;
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::Once;

use rust_xlsxwriter::XlsxError;

/// Calls the library, which panics if it cannot write a temporary file, such as on a full disk. The panic prints nothing.
pub(super) fn guarded<T>(action: impl FnOnce() -> Result<T, XlsxError>) -> io::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !panic.location().is_some_and(is_in_library) {
                previous(panic);
            }
        }));
    });
    // After a failure, the workbook is only dropped.
    match panic::catch_unwind(AssertUnwindSafe(action)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(XlsxError::IoError(error))) => Err(error),
        Ok(Err(error)) => Err(io::Error::other(error.to_string())),
        Err(_) => Err(io::Error::new(io::ErrorKind::StorageFull, TEMPORARY)),
    }
}

/// Returns whether the library panicked, by the name of its folder.
fn is_in_library(location: &Location<'_>) -> bool {
    location.file().contains("rust_xlsxwriter")
}

const TEMPORARY: &str = "the temporary file with the rows cannot be written, which is in the folder of the output file, or of \
                         TMPDIR; the disk may be full";
