//! Types, queries and decoders of the recruitment gateway, without I/O, HTTP or an async runtime. `cargo xtask`
//! generates them from `spec/gateway.toml` into `src/generated`. They build on the decoders, scalars and traits of the
//! crate [`methodical_model`], which work for any method-dispatched API. [Where the code is](#where-the-code-is) lists
//! both.
//!
//! Use this crate with any HTTP stack: get the query from an [`Operation`], send it, and pass the body of the response
//! back to the operation to decode it. `gateway-client` does all of this for you.
//!
//! # Examples
//!
//! A query is plain data. A query that the service would ignore does not compile: `status` exists
//! only with `vacancy_id` (section 4.1 of the contract).
//!
//! ```
//! use gateway_model::{ListCandidates, Operation as _};
//!
//! let query = ListCandidates::new().vacancy_status(7, "New").query()?;
//! assert_eq!(query.as_str(), "method=candidates/list&vacancy_id=7&status=New");
//! # Ok::<(), gateway_model::DecodeError>(())
//! ```
//!
//! ```compile_fail,E0599
//! gateway_model::ListCandidates::new().status("New");
//! ```
//!
//! A record that cannot be decoded is rejected with its position and the reason; the others are kept:
//!
//! ```
//! use gateway_model::{DecodeErrorKind, ListVacancies, Operation as _};
//!
//! let listing = ListVacancies::decode(br#"[{"id":"1","project":"Welder"},{"id":2}]"#)?;
//! assert_eq!(listing.items[0].project.as_deref(), Some("Welder"));
//! assert_eq!(listing.rejected[0].error().kind(), DecodeErrorKind::WrongType);
//! assert_eq!(listing.rejected[0].error().path(), "[1].id");
//! # Ok::<(), gateway_model::DecodeError>(())
//! ```
//!
//! Run a longer example with `cargo run -p gateway-model --all-features --example NAME`:
//!
//! | example | shows |
//! |---|---|
//! | `decode` | a query for any HTTP stack, and the decoded response |
//! | `enums` | values that the contract does not list |
//! | `conversions` | identifiers, dates and decimals as the types of other crates |
//!
//! # Where the code is
//!
//! | items | file |
//! |---|---|
//! | [`Candidate`], [`Portal`], [`Vacancy`], [`Credits`], and their borrowed forms | `src/generated/types.rs` |
//! | [`ListCandidates`], [`ListVacancies`], [`GetCredits`] | `src/generated/queries.rs` |
//! | [`CandidateId`], [`VacancyId`], [`PortalId`] and the other scalars | `src/generated/types.rs` |
//! | [`StatusName`] and the other open enums | `src/generated/types.rs` |
//! | [`tables`], the description for mirrors and imports | `src/generated/tables.rs` |
//! | [`Operation`], [`RawQuery`], [`Listing`], [`DecodeError`], decoders and everything else | `methodical_model` |
//!
//! The examples of the items in the last row import `methodical_model`; this crate has every item that they import.
//!
//! # Guarantees
//!
//! - Text is kept exactly as received. Identifiers, decimals and dates convert on demand.
//! - Fields that the contract does not list are kept, readable through `extra()`, and written back.
//! - [`tables`] describes the records as tables of a database.
//! - `Debug` shows no personal data, and a [`DecodeError`] never contains a value.
//! - Scalars are equal if their text is equal. Numeric identifiers are ordered by value, and dates by time. Decimals
//!   have no order, because text and value would sort differently:
//!
//! ```compile_fail,E0369
//! gateway_model::DecimalText::new("9") < gateway_model::DecimalText::new("10");
//! ```
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `std` | yes | `std` in the dependencies; without it the crate needs `alloc` and atomics of pointer width (`target_has_atomic = "ptr"`), because strings are shared in an `Arc` |
//! | `arbitrary` | no | `arbitrary::Arbitrary` for every model, enum and scalar, for fuzzing |
//! | `jiff` | no | lossless conversions between [`CivilDateTime`] and `jiff::civil::DateTime` of `jiff` 0.2 |
//! | `rust_decimal` | no | exact conversions between [`DecimalText`] and `rust_decimal::Decimal` |
//! | `simd` | no | SIMD instructions where the processor has them; lists decode up to a third faster, with the same results |
//!
//! Random values include absent fields, unknown enum values, fields that the contract does not list, and any text. A
//! `proptest` strategy creates them from bytes. To test a borrowed record, serialize an owned one and decode it:
//!
//! ```
//! use arbitrary::Unstructured;
//! use gateway_model::{Candidate, CandidateRef};
//! use proptest::prelude::*;
//!
//! proptest!(|(bytes: [u8; 32])| {
//!     let candidate: Candidate = Unstructured::new(&bytes).arbitrary()?;
//!     let json = serde_json::to_string(&candidate)?;
//!     let borrowed: CandidateRef<'_> = serde_json::from_str(&json)?;
//!     prop_assert_eq!(borrowed.into_owned(), candidate);
//! });
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]
extern crate alloc;

mod generated;

pub mod service;
pub mod tables;

#[doc(no_inline)]
pub use methodical_model::{
    DecodeError, DecodeErrorKind, Decoded, ErrorClass, Extra, ListOperation, Listing, Metadata,
    Next, Operation, Query, RawJson, Record, Rejected, Service, ServiceError, StreamDecoder,
    formula,
};

// Every type and query of the spec; `generated` lists them by name.
pub use crate::generated::*;

/// Compiles the examples of the README with the tests of this crate.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
