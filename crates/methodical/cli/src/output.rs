//! Output: formats, destinations, and the selection of records and fields.

pub(crate) mod csv;
pub(crate) mod destination;
pub(crate) mod flags;
pub(crate) mod format;
pub(crate) mod json;
pub(crate) mod printer;
pub(crate) mod record;
pub(crate) mod select;
pub(crate) mod table;
mod xlsx;
