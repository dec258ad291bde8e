//! Values of the spec language with their positions.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

use crate::spec::form::Formed;

/// A value with its position.
#[derive(Clone, Debug, Default)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Range<usize>,
}

impl<T> Deref for At<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(from)?;
        Ok(Self { span: spanned.span(), value: spanned.into_inner() })
    }
}

/// Implements the schema of a type by an expression.
macro_rules! schema {
    ([$($generic:tt)*] $name:ty, $generator:ident => $schema:expr) => {
        impl<$($generic)*> JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

schema!([T: JsonSchema] At<T>, generator => generator.subschema_for::<T>());

/// A text of a form, with its position.
#[derive(Debug)]
pub(crate) struct Text<F>(At<String>, PhantomData<F>);

impl<F> Deref for Text<F> {
    type Target = At<String>;

    fn deref(&self) -> &At<String> {
        &self.0
    }
}

impl<'de, F> Deserialize<'de> for Text<F> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        At::deserialize(from).map(|text| Self(text, PhantomData))
    }
}

schema!([F: Formed] Text<F>, _generator => json_schema!({
    "type": "string", "pattern": F::FORM.pattern, "maxLength": F::FORM.longest, "form": F::NAME,
}));

/// Declarations by name, in the order of the file.
#[derive(Debug)]
pub(crate) struct Named<F, T>(Vec<(Text<F>, T)>);

impl<F, T> Default for Named<F, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<F, T> Deref for Named<F, T> {
    type Target = [(Text<F>, T)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<F, T> Named<F, T> {
    /// Returns the declaration with a name.
    pub(crate) fn named(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key.value == name).map(|(_, value)| value)
    }

    /// Returns the names with their positions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &At<String>> {
        self.0.iter().map(|(name, _)| &**name)
    }
}

impl<'de, F, T: Deserialize<'de>> Deserialize<'de> for Named<F, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader<F, T>(PhantomData<(F, T)>);

        impl<'de, F, T: Deserialize<'de>> Visitor<'de> for Reader<F, T> {
            type Value = Vec<(Text<F>, T)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }

        let mut entries = from.deserialize_map(Reader(PhantomData))?;
        entries.sort_by_key(|(name, _)| name.span.start);
        Ok(Self(entries))
    }
}

schema!([F: Formed, T: JsonSchema] Named<F, T>, generator => json_schema!({
    "type": "object",
    "propertyNames": generator.subschema_for::<Text<F>>(),
    "additionalProperties": generator.subschema_for::<T>(),
}));

/// A text of a form, or a list of two.
#[derive(Debug)]
pub(crate) struct OneOrTwo<F> {
    pub(crate) texts: Vec<At<String>>,
    pub(crate) span: Range<usize>,
    form: PhantomData<F>,
}

impl<F> OneOrTwo<F> {
    /// Returns the texts without their positions.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.texts.iter().map(|text| text.value.clone()).collect()
    }
}

impl<'de, F> Deserialize<'de> for OneOrTwo<F> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of two strings")
            }

            fn visit_str<E>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts(vec![At { value: text.to_owned(), span: 0..0 }]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Texts, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(Texts(texts))
            }
        }

        struct Texts(Vec<At<String>>);

        impl<'de> Deserialize<'de> for Texts {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(Reader)
            }
        }

        let At { value: Texts(texts), span } = At::deserialize(from)?;
        Ok(Self { texts, span, form: PhantomData })
    }
}

schema!([F: Formed] OneOrTwo<F>, generator => {
    let text = generator.subschema_for::<Text<F>>();
    let two = json_schema!({ "type": "array", "items": text, "minItems": 2, "maxItems": 2 });
    json_schema!({ "anyOf": [text, two] })
});

/// Text, a number or a boolean.
#[derive(Debug, Deserialize)]
pub(crate) struct Single(pub(crate) Spanned<toml::Value>);

schema!([] Single, _generator => json_schema!({
    "title": "constant", "type": ["string", "number", "boolean"],
}));

/// Text, a number or a boolean, or a list of these.
#[derive(Debug, Deserialize)]
pub(crate) struct OneOrMany(pub(crate) Spanned<toml::Value>);

schema!([] OneOrMany, generator => {
    let one = generator.subschema_for::<Single>();
    json_schema!({ "title": "parameter", "anyOf": [one, { "type": "array", "items": one }] })
});

/// The JSON values of a boolean.
#[derive(Debug, Deserialize)]
pub(crate) struct Codes(pub(crate) Vec<toml::Value>);

schema!([] Codes, _generator => json_schema!({
    "type": "array", "items": { "type": ["string", "integer", "boolean"] },
}));
