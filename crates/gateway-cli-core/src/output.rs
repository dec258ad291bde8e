//! Output: formats, destinations, and the selection of records and fields.

mod auto_flush;
mod bound;
mod chooser;
mod csv;
pub(crate) mod destination;
pub(crate) mod flags;
mod fold;
pub(crate) mod format;
mod groups;
mod jq;
pub(crate) mod jq_error;
mod json;
mod paged;
pub(crate) mod pager;
mod pretty;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod raw;
pub(crate) mod record;
mod record_writer;
pub(crate) mod schema;
pub(crate) mod select;
pub(crate) mod separator;
pub(crate) mod since;
pub(crate) mod sort;
mod table;
