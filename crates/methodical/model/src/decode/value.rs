//! The types of fields: how a value is read, and what its borrowed form is.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;

use serde::Deserializer;

use crate::Float;
use crate::decode::cursor::Cursor;
use crate::decode::shape::Shape;
use crate::decode::text;

/// A type that a field of a record can have.
pub trait Value: Sized {
    /// The form in a borrowed record.
    type Ref<'a>;

    /// The form in an owned record: the type itself, if it does not only read another one.
    type Owned;

    /// Whether a value is text, of which an empty one is a value.
    const IS_TEXT: bool = false;

    /// Reads a value other than `null` on the fast path.
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Self::Ref<'a>>;

    /// Reads a value from serde.
    ///
    /// # Errors
    ///
    /// The error of the deserializer.
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Ref<'de>, D::Error>;

    /// Converts the borrowed form into this one.
    fn into_owned(borrowed: Self::Ref<'_>) -> Self::Owned;

    /// Returns whether a value is an empty text.
    fn is_blank(_: &Self::Ref<'_>) -> bool {
        false
    }

    /// Returns the expected shape of a value, for diagnosing one that differs.
    fn shape() -> Shape;
}

/// Returns whether the text of a JSON value is one of a type.
pub fn fits<V: Value>(json: &str) -> bool {
    V::deserialize(&mut serde_json::Deserializer::from_str(json)).is_ok()
}

impl Value for String {
    type Ref<'a> = Cow<'a, str>;
    type Owned = Self;

    const IS_TEXT: bool = true;

    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Cow<'a, str>> {
        cursor.text()
    }

    #[inline]
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        text::deserialize(deserializer, "text")
    }

    #[inline]
    fn into_owned(borrowed: Cow<'_, str>) -> Self {
        borrowed.into_owned()
    }

    fn is_blank(text: &Cow<'_, str>) -> bool {
        text.is_empty()
    }

    fn shape() -> Shape {
        Shape::Text
    }
}

/// Implements [`Value`] for a type that both forms of a record hold.
#[doc(hidden)]
#[macro_export]
macro_rules! __copied {
    ($name:ty, $shape:expr, |$cursor:ident| $read:expr) => {
        impl $crate::codegen::Value for $name {
            type Ref<'a> = Self;
            type Owned = Self;

            #[inline]
            fn read($cursor: &mut $crate::codegen::Cursor<'_>) -> Option<Self> {
                $read
            }

            #[inline]
            fn deserialize<'de, D: $crate::codegen::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                $crate::codegen::serde::Deserialize::deserialize(deserializer)
            }

            #[inline]
            fn into_owned(borrowed: Self) -> Self {
                borrowed
            }

            fn shape() -> $crate::codegen::Shape {
                $shape
            }
        }
    };
}

__copied!(Float, Shape::Leaf { expected: "a number", fits: fits::<Float> }, |cursor| cursor
    .float());
__copied!(bool, Shape::Boolean, |cursor| cursor.boolean());
__copied!(i64, Shape::Integer, |cursor| cursor.integer().or_else(|| cursor.parsed()));
__copied!(u64, Shape::Unsigned, |cursor| match cursor.integer() {
    Some(number) => Self::try_from(number).ok(),
    None => cursor.parsed(),
});

impl<T: Value> Value for Box<T> {
    type Ref<'a> = Box<T::Ref<'a>>;
    type Owned = Box<T::Owned>;

    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Self::Ref<'a>> {
        T::read(cursor).map(Box::new)
    }

    #[inline]
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Ref<'de>, D::Error> {
        T::deserialize(deserializer).map(Box::new)
    }

    #[inline]
    fn into_owned(borrowed: Self::Ref<'_>) -> Self::Owned {
        Box::new(T::into_owned(*borrowed))
    }

    fn shape() -> Shape {
        T::shape()
    }
}
