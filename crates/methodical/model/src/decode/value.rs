//! Field types: how each one is read, and what its borrowed form is.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize as _, Deserializer};

use crate::decode::cursor::Cursor;
use crate::decode::shape::{Leaf, Shape};
use crate::decode::slot::Of;
use crate::decode::text::{self, CowText};

/// The type of a record's field.
pub trait Value: Sized {
    /// The form in a borrowed record.
    type Ref<'a>;

    /// The form in an owned record: the type itself, unless it only reads another type.
    type Owned;

    /// Whether the type is text. For any other type, an empty string may stand for an absent value.
    const IS_TEXT: bool = false;

    /// Reads a value other than `null` on the fast path. By default, serde reads its text.
    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Self::Ref<'a>> {
        Self::deserialize(&mut serde_json::Deserializer::from_str(cursor.json()?)).ok()
    }

    /// Reads a value from serde.
    ///
    /// # Errors
    ///
    /// Returns the error of the deserializer.
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Ref<'de>, D::Error>;

    /// Converts the borrowed form into the owned form.
    fn into_owned(borrowed: Self::Ref<'_>) -> Self::Owned;

    /// Returns whether a value is an empty string.
    fn is_blank(_: &Self::Ref<'_>) -> bool {
        false
    }

    /// Returns the expected shape of a value, for diagnosing one that differs.
    fn shape() -> Shape;
}

/// Returns the shape of a value that contains no other values. Error messages describe it as `expected`.
pub fn leaf<V: Value>(expected: &'static str) -> Shape {
    let fits = |json: &str| V::deserialize(&mut serde_json::Deserializer::from_str(json)).is_ok();
    Shape::Leaf(Leaf { expected, fits })
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
        leaf::<Self>("text")
    }
}

/// Implements [`Value`] for a type that both forms of a record hold.
#[doc(hidden)]
#[macro_export]
macro_rules! __copied {
    ($name:ty, $shape:expr $(, |$cursor:ident| $read:expr)?) => {
        impl $crate::codegen::Value for $name {
            type Ref<'a> = Self;
            type Owned = Self;

            $(#[inline]
            fn read($cursor: &mut $crate::codegen::Cursor<'_>) -> Option<Self> {
                $read
            })?

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

__copied!(bool, leaf::<Self>("true or false"));
__copied!(i64, leaf::<Self>("an integer"));
__copied!(u64, leaf::<Self>("a non-negative integer"));

impl<T: Value> Value for Vec<T> {
    type Ref<'a> = Vec<T::Ref<'a>>;
    type Owned = Vec<T::Owned>;

    #[inline]
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Ref<'de>, D::Error> {
        let items = Vec::<Of<'de, T>>::deserialize(deserializer)?;
        Ok(items.into_iter().map(|item| item.0).collect())
    }

    #[inline]
    fn into_owned(borrowed: Self::Ref<'_>) -> Self::Owned {
        borrowed.into_iter().map(T::into_owned).collect()
    }

    fn shape() -> Shape {
        Shape::List(T::shape)
    }
}

impl<T: Value> Value for BTreeMap<String, T> {
    type Ref<'a> = BTreeMap<Cow<'a, str>, T::Ref<'a>>;
    type Owned = BTreeMap<String, T::Owned>;

    #[inline]
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Ref<'de>, D::Error> {
        deserializer.deserialize_map(MapVisitor::<T>(PhantomData))
    }

    #[inline]
    fn into_owned(borrowed: Self::Ref<'_>) -> Self::Owned {
        borrowed.into_iter().map(|(key, value)| (key.into_owned(), T::into_owned(value))).collect()
    }

    fn shape() -> Shape {
        Shape::Map(T::shape)
    }
}

struct MapVisitor<T>(PhantomData<T>);

impl<'de, T: Value> Visitor<'de> for MapVisitor<T> {
    type Value = BTreeMap<Cow<'de, str>, T::Ref<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some(CowText(key)) = map.next_key()? {
            if entries.insert(key, map.next_value::<Of<'de, T>>()?.0).is_some() {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(entries)
    }
}
