//! A hold: while it exists, an erasure that was committed after it began is not complete.

use std::any::Any;
use std::fmt;

/// Keeps later erasures from being complete. Returned by [`Store::hold`](crate::Store::hold); dropping it ends it.
pub struct Hold(Option<Box<dyn Any + Send>>);

impl Hold {
    /// Creates a hold that ends when `what` is dropped.
    pub fn new(what: impl Any + Send) -> Self {
        Self(Some(Box::new(what)))
    }

    /// Creates a hold that holds nothing, for a database whose erasures do not wait.
    pub const fn none() -> Self {
        Self(None)
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hold").field(&self.0.is_some()).finish()
    }
}
