//! Lists in fields: `Vec` as the type of a field.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserializer;
use serde::de::{SeqAccess, Visitor};

use crate::decode::cursor::Cursor;
use crate::decode::shape::Shape;
use crate::decode::slot::Required;
use crate::decode::value::Value;

impl<T: Value> Value for Vec<T> {
    type Ref<'a> = Vec<T::Ref<'a>>;
    type Owned = Vec<T::Owned>;

    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Self::Ref<'a>> {
        cursor.sequence([b'[', b']'], T::read)
    }

    #[inline]
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Ref<'de>, D::Error> {
        deserializer.deserialize_seq(ListVisitor::<T>(PhantomData))
    }

    #[inline]
    fn into_owned(borrowed: Self::Ref<'_>) -> Self::Owned {
        borrowed.into_iter().map(T::into_owned).collect()
    }

    fn shape() -> Shape {
        Shape::List(T::shape)
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Value> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T::Ref<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(Required::<T>(PhantomData))? {
            items.push(item);
        }
        Ok(items)
    }
}
