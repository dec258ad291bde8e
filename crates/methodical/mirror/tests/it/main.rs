//! Tests of the mirror.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod backup;
mod browse;
mod check;
mod clients;
#[cfg(feature = "postgres")]
mod copy;
// `cfg(test)` tells the lints that this helper may print.
#[cfg(test)]
#[cfg(feature = "postgres")]
#[path = "../../../postgres/tests/it/cluster.rs"]
mod cluster;
mod damage;
mod delivery;
mod events;
mod forgetting;
mod former;
mod gallery;
mod history;
mod kill;
mod never_missing;
mod oracle;
mod pages;
mod past_runs;
mod past_values;
mod personal;
#[path = "../../../model/tests/it/photos.rs"]
#[expect(dead_code, reason = "the tests of another crate share it")]
mod photos;
mod place;
mod privacy;
mod purge;
mod queries;
mod recovered;
mod recovery;
mod sinks;
mod sqlite;
mod stores;
mod support;
#[cfg(feature = "webhook")]
mod webhook;
