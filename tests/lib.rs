//! End-to-end tests: every crate together. There is nothing to import from here.

/// Compiles the examples of the README of the workspace.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
