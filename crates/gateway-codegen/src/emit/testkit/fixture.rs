//! The responses of the examples, which generated code includes from the folder of the spec.

use crate::ir::Example;
use crate::text::string;

/// Returns the expression for the response of an example, byte for byte.
pub(super) fn included(example: &Example) -> String {
    format!("include_str!({})", string(&format!("{SPEC_FOLDER}/{}", example.path)))
}

/// The folder of the spec, relative to the generated modules of the test kit.
const SPEC_FOLDER: &str = "../../../../spec";
