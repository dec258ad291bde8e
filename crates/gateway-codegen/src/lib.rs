//! Generator of method-dispatched gateways: reads a spec, checks it, and writes the generated files.
//!
//! It depends on no other crate of the workspace, so that generated code can be written again when it does not compile.

pub mod cli;
pub mod config;
pub mod diag;
pub mod diff;
pub mod emit;
pub mod ir;
pub mod output;
mod project;
pub mod show;
pub mod spec;
pub mod text;

pub use crate::project::Project;
