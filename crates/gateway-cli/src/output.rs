//! The forms in which records are printed.

pub(crate) mod escape;
pub(crate) mod json;
pub(crate) mod table;
