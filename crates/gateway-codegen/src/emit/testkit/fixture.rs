//! The responses of the examples, which generated code includes from the folder of the spec.

use crate::config::Role;
use crate::ir::Example;
use crate::project::Project;
use crate::text::{relative, string};

/// Returns the expression for the response of an example, byte for byte.
pub(super) fn included(project: &Project<'_>, example: &Example) -> String {
    let config = project.config;
    let path = config.beside_spec(&example.path);
    format!("include_str!({})", string(&relative(&config.modules(Role::Testkit), &path)))
}
