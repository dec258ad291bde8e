//! The generator: what it reads, refuses, writes and compares.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot start has failed")]

mod bad_specs;
mod changes;
mod configuration;
mod emitters;
mod environment;
mod generated;
mod init;
mod large_specs;
mod mirrored;
mod reserved_names;
mod samples;
