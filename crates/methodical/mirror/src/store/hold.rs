//! Locks that outlive a transaction.

use std::any::Any;
use std::sync::Arc;

/// A lock of a mirror or a consumer. Dropping the last clone releases it.
pub(crate) type Hold = Arc<dyn Any + Send + Sync>;
