//! Integration tests of the macros and decoders, with types of a small service.
// Tells the lints that these helpers may panic.
#![cfg(test)]

#[macro_use]
mod photos;

mod bodies;
mod fast_path;
mod fields;
mod forms;
mod paging;
mod queries;
mod scalars;
mod stream;
mod support;
