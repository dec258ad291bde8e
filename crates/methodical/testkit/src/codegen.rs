//! The items that generated code uses.
//!
//! They are for generated code of the same version only. They may change in any release.

pub use methodical_model::codegen::Code;
pub use methodical_model::paging::PagedBy;
pub use methodical_model::{Auth, BodyFormat, Dispatch, Secret, SecretPlace};

pub use crate::contract::description::{
    Contract, Data, Field, Kind, Operation, Pages, Param, Post, Record, Response, Values,
};
