//! Random values, for the feature `arbitrary`. A field can have any value of its type.

use alloc::string::{String, ToString as _};

pub use arbitrary::{Arbitrary, Result, Unstructured};

use crate::Extra;

/// Implements `Arbitrary` for a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __random {
    ($name:ty, |$source:ident| $value:expr) => {
        impl<'a> $crate::codegen::random::Arbitrary<'a> for $name {
            fn arbitrary(
                $source: &mut $crate::codegen::random::Unstructured<'a>,
            ) -> $crate::codegen::random::Result<Self> {
                Ok($value)
            }
        }
    };
}

__random!(Extra<'static>, |source| {
    let mut extra = Extra::default();
    for _ in 0..source.int_in_range(0..=2_u8)? {
        // No contract lists a field with such a name.
        let name = String::from("~") + source.arbitrary()?;
        let value = match source.arbitrary::<Option<i64>>()? {
            Some(number) => number.to_string(),
            None => quoted(source.arbitrary()?),
        };
        extra.push(&quoted(&name), &value);
    }
    extra
});

/// Returns the text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
