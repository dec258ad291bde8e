//! Tasks of this workspace: reads `spec/`, writes what is generated from it, checks what must hold.

pub mod cli;
pub mod diag;
pub mod emit;
pub mod ir;
pub mod output;
pub mod spec;
pub mod text;
