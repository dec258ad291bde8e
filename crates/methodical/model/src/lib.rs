//! The runtime for generated models: decoders, scalars, lists and queries, without I/O, HTTP or an async runtime.
//!
//! A generated crate declares the types of one service with the macros and functions of this crate, and re-exports its
//! public types. This crate itself knows nothing about any particular service. In its documentation, "the contract" is
//! the document that describes the service in question.
//!
//! # Examples
//!
//! You can call any operation of a service without generated types:
//!
//! ```
//! use methodical_model::{Operation as _, RawQuery, Service};
//!
//! struct Photos;
//!
//! impl Service for Photos {
//!     const PATH: &'static str = "/api/v2";
//!     const SELECTOR: &'static str = "action";
//!     const ACCEPT: &'static str = "application/json";
//! }
//!
//! let query = RawQuery::<Photos>::new("photos/list").pair("title", "Old harbor").query()?;
//! assert_eq!(query.as_str(), "action=photos/list&title=Old%20harbor");
//! let response = RawQuery::<Photos>::decode(br#"["Old harbor"]"#)?;
//! assert_eq!(response.get::<Vec<&str>>()?, ["Old harbor"]);
//! # Ok::<(), methodical_model::DecodeError>(())
//! ```
//!
//! # Where the code is
//!
//! | module | contents |
//! |---|---|
//! | `service`, `operation`, `query`, `raw` | the traits for services and operations, percent-encoded queries, untyped queries |
//! | `record`, `scalar`, `enums` | macros that define records, scalars and enums; the files below `scalar` contain their functions |
//! | `listing`, `extra` | decoded lists, and fields that the contract does not document |
//! | `decode` | `engine` walks a document as described by `layout`, `cursor` is the fast path, `diagnose` explains with a `shape` why a record is rejected; `whole` and `stream` are the two entry points |
//! | `paging`, [`tables`] | descriptions that clients and mirrors use |
//! | `random` | random values, for the feature `arbitrary` |
//!
//! # Guarantees
//!
//! - Text is kept exactly as received. Identifiers, decimals and dates convert on demand.
//! - Fields that the contract does not list are kept, readable through [`Extra`], and written back.
//! - `Debug` shows no personal data, and a [`DecodeError`] never contains a value.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `std` | yes | `std` in the dependencies. Without it, the crate is `no_std`, and needs `alloc` and pointer-sized atomics (`target_has_atomic = "ptr"`), because strings are shared in an `Arc` |
//! | `arbitrary` | no | `arbitrary::Arbitrary` for every value type, for fuzzing and `proptest` strategies |
//! | `jiff` | no | lossless conversions between date and time scalars and `jiff::civil::DateTime` of `jiff` 0.2 |
//! | `rust_decimal` | no | exact conversions between decimal scalars and `rust_decimal::Decimal` |
//! | `simd` | no | SIMD instructions where the processor has them; lists decode up to a third faster, with the same results |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

extern crate alloc;

mod decode;
mod enums;
mod error;
mod extra;
mod listing;
mod operation;
mod query;
#[cfg(feature = "arbitrary")]
mod random;
mod raw;
mod record;
mod scalar;
mod service;

#[doc(hidden)]
pub mod codegen;
pub mod formula;
pub mod paging;
pub mod tables;

pub use crate::decode::{Metadata, Next, Record, StreamDecoder};
pub use crate::error::{DecodeError, DecodeErrorKind, ErrorClass, ServiceError};
pub use crate::extra::Extra;
pub use crate::listing::{Listing, Rejected};
pub use crate::operation::{Decoded, ListOperation, Operation};
pub use crate::paging::PagedOperation;
pub use crate::query::{BodyFormat, ListStyle, Query};
pub use crate::raw::{RawJson, RawQuery};
pub use crate::service::{Auth, Dispatch, Place, Secret, SecretPlace, Service};

/// Compiles the examples of the README with the tests of this crate.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
