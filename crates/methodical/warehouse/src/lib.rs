//! Exports of a mirror for other tools: Parquet files, and Delta Lake tables in a folder or an object store.
//!
//! This crate knows no service: it takes the tables of a [`Mirror`](mirror::Mirror), whose descriptions are generated. It is in a separate
//! workspace, because its dependencies take long to build.
//!
//! # Tables
//!
//! [`Export`] writes each table of a mirror as a table of the same name, with these columns:
//!
//! | column | type | contents |
//! |---|---|---|
//! | `mirror_number` | long | the number of the row, in the order of first sight |
//! | one for each field | string, long, double, boolean | the value, exactly as the service sent it. `portal.name` is `portal_name`; lists are JSON text |
//! | `<field>_at` | timestamp without zone | for a field with a civil time: the time, or null if the text is not one. The text stays in its own column, because a service may send `0000-00-00` |
//! | `mirror_extra` | string | a JSON object of everything that has no column, or that its column cannot hold exactly |
//! | `mirror_nulls` | string | a JSON array of the columns whose value was `null`, not absent |
//! | `mirror_state` | string | `present`, `missing`, `gone` or `forgotten` |
//! | `mirror_first_seen`, `mirror_changed_at`, `mirror_missing_since`, `mirror_gone_at` | timestamp in UTC | as in the mirror |
//!
//! `mirror_change` has the feed: `number`, `changed_at`, `table_name`, `record_id`, `kind` and `fields`. `mirror_spell` has the past
//! values of recovered tables: `number`, `table_name`, `record_id`, `group_id`, `member_id`, `value`, `began_at`, `ended_at` and
//! `began_before`, as in [`Spell`](mirror::Spell). `mirror_sample` has the samples of gauges: `gauge`, `sampled_at`, `amount` as the
//! service sent it, `amount_number` as a double, and `unit`. A new field of a description is a new column.
//!
//! # Transactions
//!
//! - Each table changes in one commit: a file of its log that is created only if it does not exist. Readers see the former or
//!   the new version, also after an exporter was killed. The next export deletes
//!   what it left.
//! - A commit contains the number of the last change of the feed. Two exporters can run at the same time: the slower one
//!   begins again with a new snapshot, and finds nothing or little to write.
//! - A file has a fixed range of rows, and a keyed hash of them. Only files whose rows differ are written again. All rows are
//!   read in each export.
//! - The feed is appended. Changes that the mirror removes stay in the table.
//! - A table belongs to one mirror. A restored mirror is another one: [`Export::replace`].
//!
//! # Files without a log
//!
//! [`Export::run_plain`] writes the same tables as plain Parquet files, for readers without Delta Lake. Each file is replaced
//! atomically, but not the table.
//!
//! # Erasure
//!
//! If a record is gone or forgotten since the last export, its file is written again without personal values, and all former
//! files of the table are deleted. The same holds for a spell, a row or a table that the mirror removed. Older versions of the table cannot be read from then on. Otherwise former files stay for 7 days.
//! The log has no values of records, not even the smallest and the largest. An object store with versions or backups keeps
//! deleted files as long as it is set to.

#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod columns;
mod delta;
mod described;
mod error;
mod export;
mod fields;
mod file;
mod place;
mod stream;
mod typed;
mod unfinished;

#[doc(no_inline)]
pub use methodical_mirror as mirror;

pub use crate::described::Described;
pub use crate::error::{Error, ErrorKind};
pub use crate::export::Export;
pub use crate::export::report::TableExport;
pub use crate::file::Upload;
pub use crate::place::Place;
pub use crate::stream::ParquetStream;
