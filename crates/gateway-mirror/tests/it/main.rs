//! Tests of the mirror over both stores.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod history;
mod oracle;
mod privacy;
mod sqlite;
mod support;
