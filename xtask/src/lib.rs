//! Tasks of this workspace: reads `spec/`, writes what is generated from it, checks what must hold.

pub mod cli;
pub mod diag;
pub mod diff;
pub mod emit;
pub mod ir;
pub mod layers;
pub mod output;
pub mod show;
pub mod spec;
pub mod text;
