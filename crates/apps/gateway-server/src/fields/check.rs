//! Checks values against the kinds of their fields.

use gateway_model::{CivilDateTime, DecimalText, Float};
use serde_json::Value as Json;

use crate::fields::kind::{Field, Kind, find};
use crate::fields::value::{Fields, Value};

impl Fields {
    /// Returns a field whose value is not of its kind, and what it must be. Ignores fields that are not among `known`.
    pub(crate) fn wrong(&self, known: &[&'static [Field]]) -> Option<(&'static str, Kind)> {
        self.0.iter().find_map(|(name, value)| {
            let field = find(known, name)?;
            (!field.kind.accepts(value)).then_some((field.name, field.kind))
        })
    }
}

impl Kind {
    fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Object(fields), Value::Object(given)) => {
                let is_known = |(name, value): &(&str, Value)| {
                    fields.iter().any(|field| field.name == *name && field.kind.accepts(value))
                };
                let is_complete =
                    |field: &Field| field.kind.has_empty_form() || !given.lacks(field);
                given.0.iter().all(is_known) && fields.iter().all(is_complete)
            }
            (Self::Object(_), _) => false,
            (Self::List(_) | Self::Map(_), Value::Json(json) | Value::Text(json)) => {
                json.is_empty() || serde_json::from_str(json).is_ok_and(|json| self.fits(&json))
            }
            (_, Value::Text(text)) if text.is_empty() => true,
            (Self::Text | Self::Id, Value::Text(_))
            | (Self::Id, Value::Number(_))
            | (Self::Boolean, Value::Boolean(_)) => true,
            (Self::Choice(texts), Value::Text(text))
            | (Self::Codes(texts), Value::Text(text) | Value::Number(text)) => {
                texts.contains(&text.as_str())
            }
            (Self::Codes(texts), Value::Boolean(value)) => {
                texts.contains(&value.to_string().as_str())
            }
            (Self::Decimal, Value::Text(text)) => DecimalText::from(text.as_str()).is_plain(),
            (Self::CivilDateTime, Value::Text(text)) => {
                CivilDateTime::from(text.as_str()).civil().is_some()
            }
            (Self::Integer { min }, Value::Text(text) | Value::Number(text)) => {
                serde_json::from_str::<i64>(text).is_ok_and(|number| number >= min)
            }
            (Self::Float, Value::Text(text) | Value::Number(text)) => {
                serde_json::from_str::<Float>(text).is_ok()
            }
            (Self::Boolean, Value::Text(text)) => text.parse::<bool>().is_ok(),
            _ => false,
        }
    }

    /// Returns whether a value in a list or a map, which is sent as it is, is of this kind.
    fn fits(self, json: &Json) -> bool {
        match (self, json) {
            (Self::Text | Self::Id, Json::String(_))
            | (Self::Float, Json::Number(_))
            | (Self::Boolean, Json::Bool(_)) => true,
            (Self::Choice(_) | Self::Decimal | Self::CivilDateTime, Json::String(text)) => {
                !text.is_empty() && self.accepts(&Value::Text(text.clone()))
            }
            (Self::Codes(texts), json) => {
                let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
                texts.contains(&text.as_str())
            }
            (Self::Integer { min }, Json::Number(number)) => {
                number.as_i64().is_some_and(|number| number >= min)
            }
            (Self::Object(fields), Json::Object(members)) => {
                let is_known = |(name, value): (&String, &Json)| {
                    let field = fields.iter().find(|field| field.name == name);
                    let is_absent = |field: &Field| value.is_null() && !field.is_required;
                    field.is_some_and(|field| is_absent(field) || field.kind.fits(value))
                };
                let is_there = |field: &Field| members.contains_key(field.name);
                members.iter().all(is_known)
                    && fields.iter().all(|field| !field.is_required || is_there(field))
            }
            (Self::List(of), Json::Array(values)) => values.iter().all(|value| of.fits(value)),
            (Self::Map(of), Json::Object(members)) => members.values().all(|value| of.fits(value)),
            _ => false,
        }
    }
}
