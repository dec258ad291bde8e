//! Tasks of this workspace: reads `spec/`, writes what is generated from it, checks what must hold.

pub mod emit;
pub mod ir;
pub mod text;
