//! Tests of the whole program: its output and its exit codes.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]
// `cfg(test)` of some modules, although all of them are tests, tells the lints that their helpers may index.

#[cfg(all(feature = "demo", unix))]
#[cfg(test)]
mod assistant;
#[cfg(test)]
mod auth;
#[cfg(all(feature = "dashboard", unix))]
mod browser;
#[cfg(all(feature = "dashboard", unix))]
#[cfg(test)]
mod canary;
mod compression;
mod config;
mod csv_round_trip;
#[cfg(all(feature = "dashboard", feature = "demo", unix))]
mod dashboard;
mod dry_run;
mod environment;
#[cfg(unix)]
mod exit_codes;
mod files;
mod formats;
mod help;
mod jq;
#[cfg(test)]
mod loaders;
#[cfg(target_os = "linux")]
mod mirror;
mod mirror_messages;
mod no_settings;
mod notices;
mod office;
#[cfg(unix)]
mod pager;
mod placements;
mod process;
mod profile;
mod raw;
#[cfg(all(feature = "dashboard", feature = "demo", unix))]
#[cfg(test)]
#[path = "../../../../../tests/recorded/program.rs"]
mod recorded;
mod run;
mod selecting;
mod service;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod streams;
#[cfg(test)]
mod tap;
#[cfg(unix)]
mod terminal;
mod token_binding;
mod tree;
mod undocumented;
mod usage;
#[cfg(unix)]
mod watch;
mod xlsx;
