//! Settings and tokens: where they are stored, and which of them are in force.

pub(crate) mod file;
pub(crate) mod flags;
pub(crate) mod folder;
#[cfg_attr(not(feature = "keyring"), path = "config/no_keyring.rs")]
pub(crate) mod keyring;
pub(crate) mod names;
pub(crate) mod origin;
pub(crate) mod redact;
pub(crate) mod settings;
pub(crate) mod token_binding;
pub(crate) mod tokens;
mod value;
pub(crate) mod variable;
pub(crate) mod web_origin;
