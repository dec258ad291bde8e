//! Enums whose values are words of a spec: the word, its description, the reader and the JSON Schema in one place.

use schemars::{Schema, json_schema};

/// Defines an enum. The doc comment of a variant is also the description of its word for editors.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[doc = $doc])+ $variant,)+ }

        impl $name {
            /// All values, in the order in which messages list them.
            $vis const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the word in a spec.
            $vis const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Returns the value with this word.
            $vis fn of(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word() == word)
            }

            /// Returns the JSON Schema of some of the words.
            pub(crate) fn schema_of(some: &[Self]) -> schemars::Schema {
                let all = [$((Self::$variant, $word, concat!($($doc),+))),+];
                let some = all.iter().filter(|(value, ..)| some.contains(value));
                $crate::words::schema(some.map(|(_, word, doc)| (*word, *doc)))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = String::deserialize(from)?;
                Self::of(&word).ok_or_else(|| serde::de::Error::custom("unknown word"))
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                Self::schema_of(Self::ALL)
            }
        }
    };
}

pub(crate) use words;

/// Returns the JSON Schema of words with their descriptions.
pub(crate) fn schema<'a>(words: impl Iterator<Item = (&'a str, &'a str)>) -> Schema {
    let words: Vec<_> = words
        .map(|(word, doc)| json_schema!({ "const": word, "description": doc.trim() }))
        .collect();
    json_schema!({ "oneOf": words })
}
