//! Objects with arbitrary keys in fields: [`Map`] as the type of a field.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserializer;
use serde::de::{Error as _, MapAccess, Visitor};

use crate::decode::cursor::Cursor;
use crate::decode::shape::Shape;
use crate::decode::slot::Required;
use crate::decode::text::CowText;
use crate::decode::value::Value;
use crate::map::Map;

impl<T: Value> Value for Map<T> {
    type Ref<'a> = Map<T::Ref<'a>, Cow<'a, str>>;
    type Owned = Map<T::Owned>;

    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Self::Ref<'a>> {
        let entries = cursor.sequence([b'{', b'}'], |cursor| {
            let key = cursor.text()?;
            cursor.colon()?;
            Some((key, T::read(cursor)?))
        });
        // serde reports the duplicate key.
        Map::of(entries?)
    }

    #[inline]
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Ref<'de>, D::Error> {
        deserializer.deserialize_map(MapVisitor::<T>(PhantomData))
    }

    #[inline]
    fn into_owned(borrowed: Self::Ref<'_>) -> Self::Owned {
        borrowed.convert(Cow::into_owned, T::into_owned)
    }

    fn shape() -> Shape {
        Shape::Map(T::shape)
    }
}

struct MapVisitor<T>(PhantomData<T>);

impl<'de, T: Value> Visitor<'de> for MapVisitor<T> {
    type Value = Map<T::Ref<'de>, Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(CowText(key)) = map.next_key()? {
            entries.push((key, map.next_value_seed(Required::<T>(PhantomData))?));
        }
        Map::of(entries).ok_or_else(|| A::Error::custom("duplicate key"))
    }
}
