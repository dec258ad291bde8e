//! Delta Lake tables: their log, read and written by the [protocol](https://github.com/delta-io/delta/blob/master/PROTOCOL.md).
//!
//! Own code, because a table of this crate needs a small part of the protocol: actions that add and remove whole files, in
//! commits that are created only if they do not exist. The libraries cost more: `delta_kernel` 0.30 with its default engine
//! adds 68 s of CPU time to the 163 s of Parquet and object stores; `deltalake-core` 1.1 and `iceberg` 0.10 need a newer
//! compiler (1.95 and 1.94) than this workspace supports. `tests/readers.py` reads the tables with other software.

pub(crate) mod action;
pub(crate) mod checkpoint;
pub(crate) mod commit;
pub(crate) mod log;
pub(crate) mod state;
