//! The wall clock, as a value that tests can replace.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A point in time, in whole seconds since 1970 (UTC), as stored in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixTime(pub i64);

/// A wall clock. Not used for durations, which are measured on the monotonic clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> UnixTime + Send + Sync>);

impl Clock {
    /// Creates a clock that reads the system time. A time before 1970 reads as 1970.
    pub fn system() -> Self {
        Self(Arc::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            UnixTime(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
        }))
    }

    /// Creates a clock that calls `read` for the time.
    pub fn from_fn(read: impl Fn() -> UnixTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Returns the current time.
    pub fn now(&self) -> UnixTime {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
