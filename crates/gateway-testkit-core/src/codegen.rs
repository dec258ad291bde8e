//! What generated code of the same version uses. There is no promise of stability.

pub use crate::contract::description::{
    Contract, Field, Kind, Operation, Param, Record, Response, Values,
};
