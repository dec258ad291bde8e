//! Types and queries of the recruitment gateway: no I/O, no HTTP, no runtime.
//!
//! This crate says what travels, never how. Whatever sends it (our client, your own stack, a
//! test) asks an [`Operation`] for its query and hands the body of the answer back to it.
//!
//! # Examples
//!
//! A query is plain data, and one that the service would ignore has no spelling: `status` exists
//! only after `vacancy_id` (section 4.1 of the service text).
//!
//! ```
//! use gateway_model::{ListCandidates, Operation as _};
//!
//! let query = ListCandidates::new().vacancy_id(7).status("New").query()?;
//! assert_eq!(query.as_str(), "method=candidates/list&vacancy_id=7&status=New");
//! # Ok::<(), gateway_model::Error>(())
//! ```
//!
//! One bad record never loses the others, and nothing is dropped in silence:
//!
//! ```
//! use gateway_model::{ErrorKind, ListVacancies, Operation as _};
//!
//! let listing = ListVacancies::decode(br#"[{"id":"1","project":"Welder"},{"id":2}]"#)?;
//! assert_eq!(listing.items[0].project.as_deref(), Some("Welder"));
//! assert_eq!(listing.rejected[0].error().kind(), ErrorKind::WrongType);
//! assert_eq!(listing.rejected[0].error().path(), "[1].id");
//! # Ok::<(), gateway_model::Error>(())
//! ```
//!
//! # What a record promises
//!
//! - Text stays the text that came: identifiers, decimals and dates offer their meaning on demand.
//! - Members the service text does not list are kept, readable through `extra()`, and written back.
//! - `Debug` shows no personal data, and no [`Error`] ever holds a value.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | `std` in the dependencies; without it the crate needs only `alloc` |
//! | `arbitrary` | no | `arbitrary::Arbitrary` for every model, enum, scalar and query, for fuzzing |
//! | `jiff` | no | [`CivilDateTime`] and [`Civil`] from and to `jiff::civil::DateTime`, where nothing is lost |
//! | `proptest` | no | `proptest::arbitrary::Arbitrary` for the same, so that `any::<Candidate>()` is a strategy |
//! | `rust_decimal` | no | [`DecimalText`] from and to `rust_decimal::Decimal`, exactly or not at all |
//! | `simd` | no | wide instructions where the processor has them: lists are decoded up to a third faster, results are the same |
//!
//! With `proptest`, a test asks for any record there may be: members that are absent or `null`, values
//! of an enum that are not known yet, members that the service text does not list, text of all of
//! Unicode. `arbitrary` makes the same of bytes. For a borrowed record, write one and read it back.
//!
//! ```
//! use gateway_model::{Candidate, CandidateRef};
//! use proptest::prelude::*;
//!
//! proptest!(|(candidate: Candidate)| {
//!     let json = serde_json::to_string(&candidate)?;
//!     let borrowed: CandidateRef<'_> = serde_json::from_str(&json)?;
//!     prop_assert_eq!(borrowed.into_owned(), candidate);
//! });
//! ```

#![no_std]
#![warn(clippy::exhaustive_enums, clippy::exhaustive_structs)]

extern crate alloc;

mod decode;
mod error;
mod extra;
mod generated;
mod listing;
mod nulls;
mod operation;
mod query;
#[cfg(any(feature = "arbitrary", feature = "proptest"))]
mod random;
mod raw;
mod redact;
mod scalar;
mod wire_enum;

pub mod service;

pub use crate::decode::{Next, Record, StreamDecoder};
pub use crate::error::{Error, ErrorKind};
pub use crate::extra::Extra;
// By name over there: every type and query of the spec.
pub use crate::generated::*;
pub use crate::listing::{Listing, Rejected};
pub use crate::operation::{ListOperation, Operation};
pub use crate::query::{Query, Set, Unset};
pub use crate::raw::{RawJson, RawQuery};
pub use crate::scalar::civil::Civil;
