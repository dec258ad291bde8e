//! The items that generated code uses.
//!
//! They are for generated code of the same version only. They may change in any release.

pub use gateway_model_core::codegen::Code;
pub use gateway_model_core::paging::PagedBy;
pub use gateway_model_core::{Auth, BodyFormat, Dispatch, Secret, SecretPlace};

pub use crate::contract::description::{
    Contract, Data, Field, Kind, Operation, Pages, Param, Post, Record, Response, Values,
};
