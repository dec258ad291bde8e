//! JSON values whose objects keep the order of their members. `serde_json` can do so only by a feature, which Cargo would
//! also switch on for every other crate of a workspace.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    #[default]
    Null,
    Bool(bool),
    Number(serde_json::Number),
    String(String),
    Array(Vec<Self>),
    Object(Map),
}

/// The members of an object, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Map(Vec<(String, Value)>);

/// Creates a value as `serde_json::json!` does. A key that is neither a literal nor a name is in parentheses.
macro_rules! json {
    (@object ($all:expr)) => { $crate::json::Value::Object($all) };
    (@object ($all:expr) $key:tt: {$($value:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json::json!(@object ($all.with(&$key, $crate::json::json!({$($value)*}))) $($($rest)*)?)
    };
    (@object ($all:expr) $key:tt: [$($value:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json::json!(@object ($all.with(&$key, $crate::json::json!([$($value)*]))) $($($rest)*)?)
    };
    (@object ($all:expr) $key:tt: $value:expr $(, $($rest:tt)*)?) => {
        $crate::json::json!(@object ($all.with(&$key, $crate::json::json!($value))) $($($rest)*)?)
    };
    (@array [$($all:expr,)*]) => { $crate::json::Value::Array(vec![$($all),*]) };
    (@array [$($all:expr,)*] {$($value:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json::json!(@array [$($all,)* $crate::json::json!({$($value)*}),] $($($rest)*)?)
    };
    (@array [$($all:expr,)*] $value:expr $(, $($rest:tt)*)?) => {
        $crate::json::json!(@array [$($all,)* $crate::json::json!($value),] $($($rest)*)?)
    };
    ({$($members:tt)*}) => { $crate::json::json!(@object ($crate::json::Map::default()) $($members)*) };
    ([$($items:tt)*]) => { $crate::json::json!(@array [] $($items)*) };
    ($value:expr) => { $crate::json::Value::of(&$value) };
}

pub(crate) use json;

impl Value {
    /// Returns anything as a value.
    pub(crate) fn of(value: &(impl Serialize + ?Sized)) -> Self {
        let text = serde_json::to_string(value);
        text.ok().and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    /// Reads a JSON text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Returns the member with a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(Map(members)) = self else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the member with a key.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Self::Object(Map(members)) = self else { return None };
        members.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if f.alternate() {
            serde_json::to_string_pretty(self)
        } else {
            serde_json::to_string(self)
        };
        f.write_str(&text.map_err(|_error| fmt::Error)?)
    }
}

impl Map {
    /// Adds a member, or replaces the value of the one with this key.
    pub(crate) fn with(mut self, key: &(impl ToString + ?Sized), value: Value) -> Self {
        let key = key.to_string();
        match self.0.iter_mut().find(|(name, _)| *name == key) {
            Some((_, found)) => *found = value,
            None => self.0.push((key, value)),
        }
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: ToString> FromIterator<(K, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(members: I) -> Self {
        members.into_iter().fold(Self::default(), |all, (key, value)| all.with(&key, value))
    }
}

impl<K: ToString> FromIterator<(K, Self)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, Self)>>(members: I) -> Self {
        Self::Object(members.into_iter().collect())
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Map;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Map, A::Error> {
                let mut all = Map::default();
                while let Some((key, value)) = members.next_entry::<String, _>()? {
                    all = all.with(&key, value);
                }
                Ok(all)
            }
        }

        from.deserialize_map(Members)
    }
}
