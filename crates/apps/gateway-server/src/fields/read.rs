//! Reads fields from JSON.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    self, Deserialize as _, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value as Json;

use crate::fields::kind::{Field, Kind, find};
use crate::fields::value::{Fields, Value};

/// Why a field of a JSON object was not read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// No record has a field of this name.
    Unknown,
    /// The field is given twice.
    Repeated,
}

impl Fields {
    /// Reads the value of the field `key` of a JSON object; `null` counts as not given. The outer error is the one of
    /// the parser.
    pub(crate) fn read<'de, A: MapAccess<'de>>(
        &mut self,
        known: &[&'static [Field]],
        key: &str,
        map: &mut A,
    ) -> Result<Result<(), Fault>, A::Error> {
        let Some(field) = find(known, key) else { return Ok(Err(Fault::Unknown)) };
        if self.has(field.name) {
            return Ok(Err(Fault::Repeated));
        }
        let same = known.iter().copied().flatten().filter(|other| other.name == key);
        let kinds = same.map(|field| field.kind).collect();
        if let Some(value) = map.next_value_seed(ReadValue(kinds))? {
            self.0.push((field.name, value));
        }
        Ok(Ok(()))
    }

    /// Reads a JSON object with only these fields, each at most once.
    pub(crate) fn from_json(known: &'static [Field], json: &[u8]) -> Option<Self> {
        let mut parser = serde_json::Deserializer::from_slice(json);
        let value = ReadValue(vec![Kind::Object(known)]).deserialize(&mut parser).ok()?;
        parser.end().ok()?;
        match value {
            Some(Value::Object(fields)) => Some(fields),
            _ => None,
        }
    }
}

/// Reads a value, or `None` for `null`. An object has the fields of one of these kinds, or arbitrary keys. Only
/// [`Fields::wrong`] compares the value with the kind of its field: fields of one name may have several kinds.
pub(super) struct ReadValue(pub(super) Vec<Kind>);

impl<'de> DeserializeSeed<'de> for ReadValue {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadValue {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a field")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(Value::Boolean(value)))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(Value::Number(number.to_string())))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(Value::Number(number.to_string())))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        if !self.0.iter().any(|kind| matches!(kind, Kind::Float)) {
            return Err(E::invalid_type(de::Unexpected::Float(number), &self));
        }
        Ok(Some(Value::Number(number.to_string())))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Value::Text(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        if !self.0.iter().any(|kind| matches!(kind, Kind::List(_))) {
            return Err(de::Error::custom("a list"));
        }
        let json = Json::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Some(Value::Json(json.to_string())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        if self.0.iter().any(|kind| matches!(kind, Kind::Map(_))) {
            let json = Json::deserialize(MapAccessDeserializer::new(map))?;
            return Ok(Some(Value::Json(json.to_string())));
        }
        let objects = self.0.into_iter().filter_map(|kind| match kind {
            Kind::Object(fields) => Some(fields),
            _ => None,
        });
        let known: Vec<_> = objects.collect();
        if known.is_empty() {
            return Err(de::Error::custom("an object"));
        }
        let mut fields = Fields::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let read = fields.read(&known, &key, &mut map)?;
            read.map_err(|_fault| de::Error::custom("unknown or repeated field"))?;
        }
        Ok(Some(Value::Object(fields)))
    }
}
