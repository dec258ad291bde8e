//! Tasks of this workspace: generates code and documents from `spec/`, and checks the workspace.

pub mod cli;
pub mod components;
pub mod layers;
pub mod notices;
pub mod sbom;
