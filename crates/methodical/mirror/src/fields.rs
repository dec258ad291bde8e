//! Records as values: their JSON, their meaning and its keyed hash, and the row that keeps them without loss.

pub(crate) mod difference;
pub(crate) mod hash;
pub(crate) mod json;
pub(crate) mod meaning;
pub(crate) mod row;
pub(crate) mod shape;
