//! Records in the form that the generated JSON Schemas document, so that expected responses follow the spec.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// A type of records.
pub(crate) struct Documented {
    /// The fields in the documented order, each with the JSON text of its empty form.
    fields: Vec<(String, String)>,
}

impl Documented {
    /// Reads a type, such as `Portal`, from the schema of a model that contains it, such as `candidate`.
    pub(crate) fn read(schema: &str, name: &str) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/generated/json-schema");
        let text = std::fs::read_to_string(format!("{folder}/{schema}.json")).unwrap();
        let Schema { types } = serde_json::from_str(&text).unwrap();
        Self::of(&types, name, &[])
    }

    fn of(types: &BTreeMap<String, Object>, name: &str, parents: &[&str]) -> Self {
        let parents = [parents, &[name]].concat();
        let Ordered(properties) = &types[name].properties;
        let empty = |schema: &Value| {
            let of_object = schema.get("$ref").or_else(|| schema.pointer("/anyOf/0/$ref"));
            if let Some(reference) = of_object {
                let inner = reference.as_str().unwrap().rsplit('/').next().unwrap();
                // A record that contains its type again has no value there.
                if parents.contains(&inner) {
                    return "null".to_owned();
                }
                return Self::of(types, inner, &parents).record(&[]);
            }
            let texts = [&schema["type"], &schema["type"][0]];
            let is_text = texts.into_iter().any(|ty| ty == "string");
            let has_empty_form = is_text && schema.get("enum").is_none();
            if has_empty_form { r#""""# } else { "null" }.to_owned()
        };
        Self { fields: properties.iter().map(|(name, one)| (name.clone(), empty(one))).collect() }
    }

    /// Returns the JSON text of the record with these fields, each given as JSON text. The other fields are empty.
    #[track_caller]
    pub(crate) fn record(&self, given: &[(&str, &str)]) -> String {
        let mut text = String::new();
        let mut found = 0;
        for (name, empty) in &self.fields {
            let value = given.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
            found += usize::from(value.is_some());
            let before = if text.is_empty() { '{' } else { ',' };
            write!(text, "{before}\"{name}\":{}", value.unwrap_or(empty)).unwrap();
        }
        assert_eq!(found, given.len(), "{given:?}");
        text + "}"
    }
}

#[derive(serde::Deserialize)]
struct Schema {
    #[serde(rename = "$defs")]
    types: BTreeMap<String, Object>,
}

#[derive(serde::Deserialize)]
struct Object {
    properties: Ordered,
}

/// The properties of an object in their order.
struct Ordered(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Ordered;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("properties")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
                let mut all = Vec::new();
                while let Some(property) = map.next_entry()? {
                    all.push(property);
                }
                Ok(Ordered(all))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
