//! A copy of a gateway's lists that stays in sync, and a feed of their changes.
//!
//! The service returns whole lists: it has no "modified since" filter and does not report deletions. A mirror compares
//! each list with its tables, writes only the differences, and records each difference in a feed.
//!
//! # Terms
//!
//! | term | meaning |
//! |---|---|
//! | record | an entry of a list, identified by one of its fields |
//! | scope | the list that one query returns; it is complete if the response was read to its end without an error |
//! | table | the records of a model, described by a [`Table`](model::tables::Table) |
//! | present, missing, gone | the state of a record: in the last complete list; absent from it; absent from two complete lists in a row, so that it counts as deleted |
//! | returned | the change of a record that was missing or gone and is in the list again |
//! | forgotten | the state of a record that was erased on request; later lists do not bring it back |
//! | meaning | a record's JSON value, ignoring whitespace, field order, and the notation of numbers and text; `null` and an absent field differ |
//! | baseline | the first sync of a scope; it emits no changes unless asked to |
//! | feed | the changes, ordered by number |
//! | cursor | an opaque position in the feed of one mirror |
//! | snapshot | the records of the tables, together with the cursor for the changes that follow |
//! | consumer | a named position in the feed, which the mirror stores |
//! | event | a change prepared for delivery, with an id and the record at the time of delivery |
//! | delivery | passing the events after a consumer's position to a sink, and then moving that position |
//! | backup | a copy of a mirror in a file, which becomes another mirror when it is opened or restored |
//! | deletion guard | refuses to commit a list in which too many records are missing |
//! | group, member | records of two tables, such as albums and photos; a filtered list returns a group's members |
//! | placement | a member in a group: a row of a recovered table |
//! | past value | a value that a placement has or had, with the period of that value |
//! | recovery | finding a value that the records lack, by requesting each group with each value |
//! | gauge, sample | an amount that the service reports, such as a balance; the amount at a certain time |
//! | coverage | the share of placements whose value is known |
//!
//! # One sync of a scope
//!
//! 1. [`Mirror::begin`] locks the store and begins a transaction. A second process gets an error.
//! 2. [`Run::record`] takes each record of the list. The run compares a keyed hash of the record with those of the
//!    table's rows, which it holds in memory, and writes the record if it is new or its meaning differs.
//!    [`Run::reject`] takes a record that could not be decoded.
//! 3. [`Run::finish`] declares the list complete. If no record was rejected, records that are absent become missing or
//!    gone, unless the deletion guard refuses. Then the rows, changes and counts are committed together.
//!
//! A run that is dropped instead, because the response was truncated or failed, changes nothing.
//!
//! The rules:
//!
//! - A record becomes missing at the first complete list without it, and gone at the second. A list with rejected
//!   records is applied, but no record becomes missing or gone.
//! - The deletion guard refuses a list that became empty, in which more than 50 records and more than 10 % are newly
//!   missing or were lost within a week, or in which more than 10 records and more than half of all seem to describe
//!   other people. The error contains their number, and [`Rules::accepted_missing`] accepts exactly that many.
//! - A record that a list repeats with the same meaning counts once. If the meanings differ, the second record is
//!   rejected, because the list does not say which one is right.
//! - A field added to a table's description becomes a column. The feed does not report the rewritten records.
//! - A record's personal columns are cleared in the transaction that marks it gone. Its identity and times are kept.
//! - The feed contains field names and, for a placement, its value before and after a change. It contains no other
//!   values. An erasure clears the values of placements.
//!
//! # Delivery of the feed
//!
//! A change is written in the same transaction as its data, but does not contain the record. The feed is therefore the
//! outbox of all deliveries: [`Mirror::deliver`] reads the changes after a consumer's position, creates each [`Event`]
//! from the record as it is at that moment, passes it to a [`Sink`], and then moves the position. Each event arrives at
//! least once, in order. No queue holds the data of an erased person. The sinks are [`Ndjson`], [`Exec`] and, with the
//! feature `webhook`, `Webhook`.
//!
//! To start with the existing records: add a consumer, then process each record of [`Mirror::each_matching`], then
//! deliver. A change committed in the meantime is also delivered, so nothing is lost. If changes were removed
//! before a consumer received them, start again: take [`Mirror::cursor`], process each record, then
//! [rewind](Mirror::rewind_consumer) the consumer to this cursor.
//!
//! # Recovery
//!
//! Some services have a value that can be used as a filter but appears in no record, such as the status of a photo in
//! an album. After the lists, [`Mirror::sync_all`] requests each group with each value, and stores the placements as
//! records of another table. It tries the values in the contract, those that the mirror has or had, and those ever
//! passed in [`SyncOptions::values`].
//!
//! - Each run requests the members of each group once. It requests the values of a group only if its members changed,
//!   if it is due ([`SyncOptions::recheck_every`], or 20 hours), or if some of its values are unknown and there is a
//!   new value to try. It begins with the group's most frequent values and stops once each member has a value. If all
//!   members have the same value, it requests one more value, because a service that ignores the filter would return
//!   the whole group again. If the members of a group did not change, a changed value is therefore found only when the
//!   group is due.
//! - The service must apply both filters, or the whole recovery is refused with [`ErrorKind::Filter`]. The records of a
//!   value must be among the group's records, no record may have two values, and a value that does not exist must have
//!   no records; the service may also refuse such a value with a status from 400 to 499 or a failure in the body. A
//!   group whose responses contradict each other is retried once, because a record may have changed in between. If
//!   every group returns the whole list, the service ignores the filter for the group, and the recovery is refused.
//! - The rules above treat the placements as one list: they become missing and gone, and the deletion guard applies. A
//!   group whose response failed, or had a rejected record, is left unchanged and reported. After 10 consecutive
//!   failures, the recovery is aborted.
//! - A member whose value is unknown has a placement without a value. [`Coverage`] counts such placements.
//! - A change of the value is [`ChangeKind::ValueChanged`], or [`ChangeKind::ValueLearned`] if the value was unknown
//!   before. A placement's `mirror_changed_at` is the time when it got its value, as far as the mirror knows.
//!   Recovering the same value again does not change that time.
//! - If a member or a group is gone or forgotten, so are its placements, in the same transaction. They keep only their
//!   identity, group and member.
//! - Past values are in the table `mirror_past_value`, and [`Mirror::past_values`] returns them: the value of a
//!   placement, when a recovery first found it, and when a recovery first found another value or no placement. A
//!   present placement has exactly one past value without an end. A past value with `began_before` may have begun
//!   earlier: the first recovery of the table found its value, or the value was unknown until then. If a missing
//!   placement returns before it is gone, the end of its last value is removed.
//! - Past values belong to the member. They are removed when the member is gone or forgotten, or the group is
//!   forgotten. When only the placement or the group is gone, they get an end and stay. [`Mirror::purge`] removes them
//!   together with the placement's row. A mirror that omits personal data does not keep personal past values.
//! - [`TableStatus::values_from`] tells how old the values may be.
//!
//! # Tables
//!
//! A table has one column for each field, named after it (`portal_name` for `portal.name`), and these:
//!
//! | column | contents |
//! |---|---|
//! | `mirror_key` | the number of the row, in insertion order |
//! | `mirror_hash` | a keyed hash of the contents (16 bytes); `NULL` if the record is gone or forgotten |
//! | `mirror_state` | `present`, `missing`, `gone` or `forgotten` |
//! | `mirror_misses` | 1 if the record is missing, otherwise 0 |
//! | `mirror_shape` | the number of the row in the table `mirror_shape` that lists the table's columns when this row was written |
//! | `mirror_first_seen`, `mirror_changed_at`, `mirror_missing_since`, `mirror_gone_at` | times in UTC |
//! | `mirror_extra` | a JSON object of everything that fits no column: unlisted fields, and values of the wrong kind for their column |
//! | `mirror_nulls` | a JSON array of the columns whose value was `null` rather than absent |
//!
//! For each table there is a view with the present records, such as `photo_present` for `photo`. It has the columns of
//! the records, `mirror_first_seen` and `mirror_changed_at`, and every column later added to its table. The name of a
//! table must not end in `_present`.
//!
//! The other tables are `mirror_meta` (identity, secret, source, whether the file is a backup), `mirror_shape` (columns
//! of each description), `mirror_scope` (counts and the time of the last sync), `mirror_change` (the feed),
//! `mirror_consumer` (consumers and their failures), `mirror_rejected` (rejected records of the last sync of each
//! scope, with index and reason), `mirror_suppressed` (keyed hashes of forgotten identities), `mirror_past_value` (past
//! values of placements), `mirror_note` (which groups are due, the names of values, the counts of boards), `mirror_run`
//! (the last 1,000 syncs of tables, including failed ones), and `mirror_sample` (the amounts of gauges).
//!
//! # Upkeep
//!
//! Run [`Mirror::check`] after an incident, and before you rely on a backup; [`Mirror::rebuild`] corrects what it
//! finds, unless the database itself is damaged. A restored mirror, like an opened [backup](Mirror::backup), refuses
//! earlier cursors, because it reuses the numbers of changes. A file copied by other means is not recognized as a copy.
//!
//! A mirror in `mirror.db` has these other files, all readable only by their owner: `mirror.db-wal` and `mirror.db-shm`
//! while it is open, `mirror.db.lock`, `mirror.db.deliver-*.lock` for each consumer, `mirror.db.backups` with the list
//! of backups, and `.mirror.db.*.partial` during a backup or a restore. Do not copy or move `mirror.db` alone while a
//! program has it open.
//!
//! # PostgreSQL
//!
//! A copy by `Mirror::copy_to_postgres` has the tables and views of the mirror, the feed (`mirror_change`) and the
//! history (`mirror_past_value`, `mirror_run`, `mirror_sample`, `mirror_scope`). The differences:
//!
//! - Times are `timestamptz`, and booleans `boolean`. U+0000, which PostgreSQL text cannot contain, becomes U+FFFD.
//! - The copy lacks everything that only the mirror needs: its secret, `mirror_hash`, `mirror_misses`, `mirror_shape`,
//!   the consumers, the notes and the forgotten identities.
//! - `mirror_meta` has the id of the mirror, which a restore changes, and the position in the feed. Both are updated in
//!   the same transaction as the rows. If the id differs, everything is copied again.
//! - The personal columns have no statistics, which would keep samples of erased values, and a copy that removed rows
//!   runs `VACUUM`. The database's write-ahead log, archive and backups keep erased values as long as you keep them.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `postgres` | no | copies in PostgreSQL, using the crate `postgres` 0.19: `Mirror::copy_to_postgres` |
//! | `webhook` | no | the sink `Webhook`, which sends events to a URL |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod copy;
mod error;
mod feed;
mod fields;
mod guard;
mod history;
mod mirror;
pub mod queries;
mod recovery;
mod run;
mod store;
mod sync;
mod upkeep;

#[doc(no_inline)]
pub use methodical_client as client;
#[doc(no_inline)]
pub use methodical_model as model;
#[cfg(feature = "postgres")]
#[doc(no_inline)]
pub use methodical_postgres as connector;

#[cfg(feature = "postgres")]
pub use crate::copy::postgres::{Copied, CopiedTable};
pub use crate::copy::{CopyColumn, CopyKind, CopySource, CopyTable, CopyValue};
pub use crate::error::{Error, ErrorKind};
pub use crate::feed::deliver::{Consumer, Delivery, DeliveryEnd, Limits};
pub use crate::feed::sink::{Exec, Failure, Ndjson, Sink};
#[cfg(feature = "webhook")]
pub use crate::feed::webhook::Webhook;
pub use crate::feed::{Change, ChangeKind, Cursor, Event};
pub use crate::guard::Rules;
pub use crate::history::{Forecast, PastRun, Rejection, Report, Sample, SampleReport};
pub use crate::mirror::{Mirror, Page, Source};
pub use crate::recovery::PastValue;
pub use crate::run::Run;
pub use crate::store::files::Existing;
pub use crate::store::filter::{Filter, folded};
pub use crate::store::page::{Order, Paging};
pub use crate::store::rows::{Record, State};
pub use crate::store::table::{Outcome, TableStatus};
pub use crate::sync::report::{
    Coverage, GroupFailure, SyncError, SyncOptions, SyncProgress, SyncReport, TableReport,
};
pub use crate::upkeep::backup::Backup;
pub use crate::upkeep::check::{Check, Finding, FindingKind};
pub use crate::upkeep::{Forgotten, Purge, Purged};
