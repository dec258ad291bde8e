//! The items that generated code uses.
//!
//! They are for generated code of the same version only. They may change in any release.

pub use methodical_model::paging::PagedBy;
pub use methodical_model::{Auth, BodyFormat, Dispatch, Secret, SecretPlace};

pub use crate::contract::description::{
    Code, Contract, Data, Field, Kind, Operation, Pages, Param, Post, Record, Response, Values,
};
