//! Tests of the dashboard over real sockets.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod attacks;
mod browser;
#[path = "../../../mirror/tests/it/clients.rs"]
mod clients;
mod downloads;
mod gallery;
mod login;
mod pages;
mod sample;
