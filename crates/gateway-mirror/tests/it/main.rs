//! Tests of the mirror over both stores.

#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod all;
mod backup;
mod check;
mod delivery;
mod faults;
mod follow;
mod gallery;
mod history;
mod kill;
mod oracle;
#[path = "../../../gateway-model-core/tests/it/photos.rs"]
#[expect(dead_code, reason = "the tests of another crate share it")]
mod photos;
mod privacy;
mod read;
mod recovery;
mod sinks;
mod sqlite;
mod support;
mod sync;
#[cfg(feature = "webhook")]
mod webhook;
