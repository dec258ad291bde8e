//! Finds the tokio runtime that polls a future.
use tokio::runtime::Handle;

use crate::{ErrorKind, Sent, TransportError};

/// Returns the runtime that polls the caller, or a typed error in place of tokio's panic.
pub(crate) fn current_runtime() -> Result<Handle, TransportError> {
    Handle::try_current().map_err(|error| {
        TransportError::new(ErrorKind::Other, "this transport needs a running tokio runtime")
            .with_sent(Sent::No)
            .with_source(error)
    })
}
