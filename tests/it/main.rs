//! Suites that need more than one crate.
