//! The items that generated code uses.
//!
//! Only generated code of the same version may use them: they may change in any release.

pub use alloc::borrow::Cow;
pub use alloc::string::{String, ToString};

pub use serde;
pub use smol_str::SmolStr;

#[cfg(not(feature = "arbitrary"))]
pub use crate::__ignore as with_random;
#[cfg(not(feature = "jiff"))]
pub use crate::__ignore as with_jiff;
#[cfg(not(feature = "rust_decimal"))]
pub use crate::__ignore as with_rust_decimal;
#[cfg(feature = "jiff")]
pub use crate::__jiff as with_jiff;
#[cfg(feature = "arbitrary")]
pub use crate::__random as with_random;
#[cfg(feature = "rust_decimal")]
pub use crate::__rust_decimal as with_rust_decimal;
pub use crate::decode::Sealed;
pub use crate::decode::cursor::{Cursor, Fast, Seen, Span, is_plain_name};
pub use crate::decode::layout::{Body, Decides, Verdict};
pub use crate::decode::lenient::{EmptyArrayAsMap, OneAsList};
pub use crate::decode::shape::{Leaf, Member, Object, Shape};
pub use crate::decode::slot::Slot;
pub use crate::decode::stream::decoder;
pub use crate::decode::text::{CowText, deserialize as deserialize_text};
pub use crate::decode::value::{Value, leaf};
pub use crate::decode::whole::{borrowed, error_class, list, nothing, value};
pub use crate::extra::{Nulls, Redacted};
pub use crate::query::Items;
pub use crate::query::builder::QueryBuilder;
#[cfg(feature = "rust_decimal")]
pub use crate::scalar::conversions::decimal::{Decimal, decimal};
#[cfg(feature = "jiff")]
pub use crate::scalar::conversions::time::{DateTime, date_time, time_text};
pub use crate::scalar::either::{
    CODES, Codes, OrNumber, compare_digits, is_plain, parse_signed, parse_unsigned,
};
pub use crate::tables::{parameter, sendable};
pub use crate::{__record as record, __scalar as scalar, __wire_enum as wire_enum};

/// Random values.
#[cfg(feature = "arbitrary")]
pub mod random {
    pub use crate::random::{Arbitrary, Result, Unstructured};
}

/// Fields that the contract does not list.
pub mod extra {
    pub use crate::extra::{read, within, write};
}
