//! Output: formats, destinations, and the selection of records and fields.

mod auto_flush;
mod bound;
mod chooser;
pub(crate) mod column;
mod csv;
pub(crate) mod destination;
mod dialect;
pub(crate) mod flags;
mod fold;
pub(crate) mod format;
pub(crate) mod format_parser;
mod groups;
mod jq;
pub(crate) mod jq_error;
mod json;
mod json_text;
pub(crate) mod live_line;
mod ndjson;
pub(crate) mod output_format;
mod paged;
pub(crate) mod pager;
mod pretty;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod raw;
pub(crate) mod record;
pub(crate) mod record_writer;
pub(crate) mod schema;
pub(crate) mod select;
pub(crate) mod separator;
pub(crate) mod setup;
pub(crate) mod since;
pub(crate) mod sort;
mod table;
mod unchanged;
#[cfg(feature = "xlsx")]
mod xlsx;
