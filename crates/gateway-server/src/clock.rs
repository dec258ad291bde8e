//! The wall clock, as a value that tests replace.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A point of time in whole seconds since 1970, as the database keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixTime(pub i64);

/// Tells the time of day. Durations never come from here: they are measured on the monotonic clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> UnixTime + Send + Sync>);

impl Clock {
    /// Makes the clock of the machine. A time before 1970 reads as 1970.
    pub fn system() -> Self {
        Self(Arc::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            UnixTime(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
        }))
    }

    /// Makes a clock that asks `read` whenever it is looked at.
    pub fn from_fn(read: impl Fn() -> UnixTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Returns the time now.
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
