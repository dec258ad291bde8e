//! Turns a record into columns and back, and reduces it to its meaning.

pub(crate) mod compact;
pub(crate) mod difference;
pub(crate) mod hash;
pub(crate) mod json;
pub(crate) mod layout;
pub(crate) mod meaning;
pub(crate) mod number;
pub(crate) mod omit;
pub(crate) mod other_person;
pub(crate) mod personal;
pub(crate) mod row;
pub(crate) mod shape;
pub(crate) mod text;
pub(crate) mod text_hash;
