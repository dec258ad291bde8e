//! Tests of exports to a folder. They read the log and the files without the code of the crate.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper that cannot go on fails its test"
)]

#[path = "../../../mirror/tests/it/clients.rs"]
mod clients;
mod export;
#[expect(dead_code, reason = "other tests use the rest")]
mod gallery;
mod leftovers;
mod photos;
mod plain;
mod spells;
mod table;
