//! What the contract says: operations, their parameters, and how a record is written.

pub(crate) mod operation;
pub(crate) mod parameters;
pub(crate) mod record;
