//! Spreads the connect timeout over several connectors.
use ::ureq::Error;
use ::ureq::unversioned::transport::{ConnectionDetails, NextTimeout, time};

/// Returns the rest of the connect timeout, or an error once it has passed.
///
/// ureq gives each connector of a chain the whole timeout.
pub(super) fn time_left(details: &ConnectionDetails<'_>) -> Result<NextTimeout, Error> {
    let mut timeout = details.timeout;
    if let (time::Duration::Exact(limit), time::Instant::Exact(start)) =
        (timeout.after, details.now)
    {
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Err(Error::Timeout(timeout.reason));
        }
        timeout.after = left.into();
    }
    Ok(timeout)
}
