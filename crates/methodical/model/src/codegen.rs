//! The items that generated code uses.
//!
//! They are for generated code of the same version only. They may change in any release.

pub use alloc::borrow::Cow;
pub use alloc::string::{String, ToString};

pub use serde;
pub use smol_str::SmolStr;

pub use crate::decode::Sealed;
pub use crate::decode::cursor::{Cursor, Fast, Seen, Span, is_plain_name};
pub use crate::decode::layout::{Body, Decides, Envelope, Layout, Verdict};
pub use crate::decode::lenient::{EmptyArrayAsMap, OneAsList};
pub use crate::decode::shape::{Member, Object, Shape};
pub use crate::decode::slot::Slot;
pub use crate::decode::stream::decoder;
pub use crate::decode::text::{CowText, deserialize as deserialize_text};
pub use crate::decode::value::{Value, fits};
pub use crate::decode::whole::{
    borrowed, borrowed_beside, error_class, list, nothing, object, object_in, value,
};
pub use crate::mirrored::{parameter, sendable};
pub use crate::nulls::Nulls;
pub use crate::query::builder::QueryBuilder;
pub use crate::query::list::Items;
#[cfg(feature = "proptest")]
pub use crate::random::draws::strategies;
#[cfg(feature = "arbitrary")]
pub use crate::random::{DEPTH, draws};
pub use crate::redact::Redacted;
#[cfg(feature = "chrono04")]
pub use crate::scalar::chrono;
pub use crate::scalar::civil::{not_a_date_time, parse as parse_civil};
pub use crate::scalar::codes::{self, Code, Codes};
pub use crate::scalar::decimal::is_plain;
pub use crate::scalar::either::{Digits, OrNumber, OrText};
pub use crate::scalar::epoch;
pub use crate::scalar::integer::{compare as compare_digits, parse_signed, parse_unsigned};
#[cfg(feature = "jiff02")]
pub use crate::scalar::jiff;
#[cfg(feature = "rust_decimal")]
pub use crate::scalar::rust_decimal::{Decimal, decimal};
pub use crate::wire_enum::not_listed;
pub use crate::{
    __coded_enum as coded_enum, __record as record, __scalar as scalar, __wire_enum as wire_enum,
};

/// Fields that the contract does not list.
pub mod extra {
    pub use crate::extra::{read, within, write};
}
