//! Values that the spec allows in a second form, such as a single value instead of a list.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserializer;
use serde::de::value::{
    BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer, SeqAccessDeserializer,
};
use serde::de::{Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use crate::decode::cursor::Cursor;
use crate::decode::members;
use crate::decode::shape::Shape;
use crate::decode::value::Value;

/// Deserializes a list, or a single value in place of a list with one item.
#[derive(Debug)]
pub struct OneAsList<T>(PhantomData<T>);

impl<T: Value> Value for OneAsList<T> {
    type Ref<'a> = Vec<T::Ref<'a>>;
    type Owned = Vec<T::Owned>;

    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Self::Ref<'a>> {
        if cursor.is_at(b'[') {
            Vec::<T>::read(cursor)
        } else {
            T::read(cursor).map(|one| vec![one])
        }
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Ref<'de>, D::Error> {
        deserializer.deserialize_any(OneVisitor::<T>(PhantomData))
    }

    fn into_owned(borrowed: Self::Ref<'_>) -> Self::Owned {
        Vec::<T>::into_owned(borrowed)
    }

    fn shape() -> Shape {
        Shape::OneOrList(T::shape)
    }
}

/// Deserializes an object, or an empty list in place of an empty object: PHP services send `[]` for an empty map.
#[derive(Debug)]
pub struct EmptyArrayAsMap<T>(PhantomData<T>);

impl<T: Value> Value for EmptyArrayAsMap<T> {
    type Ref<'a> = T::Ref<'a>;
    type Owned = T::Owned;

    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<T::Ref<'a>> {
        if !cursor.is_at(b'[') {
            return T::read(cursor);
        }
        let is_empty = members::values(cursor.json()?).next().is_none();
        if is_empty { T::read(&mut Cursor::new("{}", 0)) } else { None }
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T::Ref<'de>, D::Error> {
        deserializer.deserialize_any(EmptyVisitor::<T>(PhantomData))
    }

    fn into_owned(borrowed: T::Ref<'_>) -> T::Owned {
        T::into_owned(borrowed)
    }

    fn shape() -> Shape {
        Shape::OrEmptyList(T::shape)
    }
}

/// Reads a value other than `null` from serde; `None` for an empty string.
pub(crate) fn or_blank<'de, T: Value, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T::Ref<'de>>, D::Error> {
    if T::IS_TEXT {
        return T::deserialize(deserializer)
            .map(|value| Some(value).filter(|value| !T::is_blank(value)));
    }
    deserializer.deserialize_any(BlankVisitor::<T>(PhantomData))
}

/// Implements visitor methods that let the type `T` deserialize the input, and pass the result to a function.
macro_rules! pass {
    (numbers, $wrap:expr) => {
        fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
            T::deserialize(value.into_deserializer()).map($wrap)
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
            T::deserialize(value.into_deserializer()).map($wrap)
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
            T::deserialize(value.into_deserializer()).map($wrap)
        }

        fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
            T::deserialize(value.into_deserializer()).map($wrap)
        }
    };
    (text, $wrap:expr) => {
        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            T::deserialize(String::from(text).into_deserializer()).map($wrap)
        }

        fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
            T::deserialize(BorrowedStrDeserializer::new(text)).map($wrap)
        }
    };
    (object, $wrap:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map($wrap)
        }
    };
}

struct OneVisitor<T>(PhantomData<T>);

impl<'de, T: Value> Visitor<'de> for OneVisitor<T> {
    type Value = Vec<T::Ref<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or a single value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::<T>::deserialize(SeqAccessDeserializer::new(list))
    }

    pass!(numbers, |one| vec![one]);
    pass!(text, |one| vec![one]);
    pass!(object, |one| vec![one]);
}

struct EmptyVisitor<T>(PhantomData<T>);

impl<'de, T: Value> Visitor<'de> for EmptyVisitor<T> {
    type Value = T::Ref<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        if list.next_element::<IgnoredAny>()?.is_some() {
            return Err(A::Error::custom("the list is not empty"));
        }
        T::deserialize(MapDeserializer::new(core::iter::empty::<(&str, &str)>()))
    }

    pass!(object, |object| object);
}

struct BlankVisitor<T>(PhantomData<T>);

impl<'de, T: Value> Visitor<'de> for BlankVisitor<T> {
    type Value = Option<T::Ref<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or an empty string")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(list)).map(Some)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        if text.is_empty() {
            return Ok(None);
        }
        T::deserialize(String::from(text).into_deserializer()).map(Some)
    }

    pass!(numbers, Some);
    pass!(object, Some);
}
