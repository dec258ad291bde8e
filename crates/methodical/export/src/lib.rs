//! Copies of a mirror for other tools: Parquet files in a folder or an object store.
//!
//! This crate is not tied to any service: it takes the tables of a [`Mirror`](mirror::Mirror), whose descriptions are
//! generated. It is in a separate workspace, because its dependencies take a long time to build.
//!
//! # Files
//!
//! [`Copy`](struct@Copy) writes each table of a mirror to one file, such as `photo.parquet`: the tables of records, and
//! `mirror_change` (the feed), `mirror_past_value` (past values), `mirror_run`, `mirror_sample` and `mirror_scope`.
//! They have the columns of the mirror, except those that only the mirror needs. Their types are:
//!
//! | column | type | contents |
//! |---|---|---|
//! | one for each field | string, long, double, boolean | the value, exactly as the service sent it. `portal.name` becomes `portal_name`; lists are JSON text |
//! | `<field>_at` | timestamp without zone | for a field with a civil time: the time, or null if the text is not one. The text stays in its own column, because a service may send `0000-00-00` |
//! | `mirror_first_seen` and the other times | timestamp in UTC | as in the mirror |
//!
//! # Erasure
//!
//! Each copy rewrites every file and replaces it atomically: by a rename in a folder, and by completing an upload in an
//! object store. A copy made after an erasure therefore contains no erased value, and
//! [`forget`](mirror::Mirror::forget) names the copies that still do. An object store with versions or backups keeps
//! replaced files for as long as configured.
//!
//! # Modules
//!
//! - `copy` writes the tables of a mirror; `place` opens a folder or an object store by its URL.
//! - `file` writes Parquet in bounded memory, and uploads it. `fields` writes records as columns without loss.

#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod copy;
mod error;
mod fields;
mod file;
mod place;

#[doc(no_inline)]
pub use methodical_mirror as mirror;

pub use crate::copy::Copy;
pub use crate::error::{Error, ErrorKind};
pub use crate::fields::ParquetStream;
pub use crate::file::Upload;
pub use crate::place::Place;
