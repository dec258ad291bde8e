//! End-to-end tests: every crate together. There is nothing to import from here.
