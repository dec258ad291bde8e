//! Integration tests of the guarantees of the crate.
// Tells the lints that these helpers may panic.
#![cfg(test)]

mod conversions;
mod corpus;
mod debug;
mod differential;
mod json_test_suite;
mod nesting;
mod queries;
mod round_trip;
mod support;
