//! Tasks of this workspace: generates code and documents from `spec/`, and checks the workspace.

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
