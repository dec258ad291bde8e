//! Reads a TOML file with serde: values with their positions, text of a required form, names in the order of the file.
//! Only the first syntactic mistake is reported; lowering reports all mistakes in names and rules.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

use crate::diag::{Diagnostic, listed, shown};
use crate::spec::form::Formed;
use crate::text::capitalized;

/// A value with its position.
#[derive(Clone, Debug, Default)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Range<usize>,
}

/// A value with a position in the file, or a key that may be absent.
pub(crate) trait Placed {
    fn place(&self) -> Option<&Range<usize>>;
}

impl Placed for Range<usize> {
    fn place(&self) -> Option<&Self> {
        Some(self)
    }
}

impl<T> Placed for At<T> {
    fn place(&self) -> Option<&Range<usize>> {
        Some(&self.span)
    }
}

impl<F> Placed for Text<F> {
    fn place(&self) -> Option<&Range<usize>> {
        Some(&self.span)
    }
}

impl<T: Placed> Placed for &T {
    fn place(&self) -> Option<&Range<usize>> {
        (*self).place()
    }
}

impl<T: Placed> Placed for Option<T> {
    fn place(&self) -> Option<&Range<usize>> {
        self.as_ref()?.place()
    }
}

impl<T> Deref for At<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Display> fmt::Display for At<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self { span: spanned.span(), value: spanned.into_inner() })
    }
}

/// Text of a required form, with its position.
#[derive(Debug)]
pub(crate) struct Text<F>(At<String>, PhantomData<F>);

impl<F> Deref for Text<F> {
    type Target = At<String>;

    fn deref(&self) -> &At<String> {
        &self.0
    }
}

impl<F> fmt::Display for Text<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de, F: Formed> Deserialize<'de> for Text<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = At::<String>::deserialize(deserializer)?;
        F::FORM.check(&text).map_err(D::Error::custom)?;
        Ok(Self(text, PhantomData))
    }
}

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

impl<'de, F: Formed, T: Deserialize<'de>> Deserialize<'de> for Named<F, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Declarations(PhantomData))
    }
}

struct Declarations<F, T>(PhantomData<(F, T)>);

impl<'de, F: Formed, T: Deserialize<'de>> Visitor<'de> for Declarations<F, T> {
    type Value = Named<F, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        std::iter::from_fn(|| map.next_entry().transpose()).collect::<Result<_, _>>().map(Named)
    }
}

/// One value, or a list of values.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "must be a string or a list of strings; in `params`, also integers and booleans"
)]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(crate) fn values(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

/// Defines the tables of a language. They are read only from tables: the code that serde derives, here with
/// `remote = "Self"`, also accepts a list.
macro_rules! tables {
    ($(
        $(#[$meta:meta])*
        struct $name:ident { $($(#[$about:meta])* $field:ident: $ty:ty,)* }
    )+) => {$(
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
        $(#[$meta])*
        pub(crate) struct $name { $($(#[$about])* pub(crate) $field: $ty,)* }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Table;

                impl<'de> serde::de::Visitor<'de> for Table {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a table")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                        $name::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    }
                }

                deserializer.deserialize_map(Table)
            }
        }
    )+};
}

/// Defines tables with a description.
macro_rules! declarations {
    ($(
        $(#[$meta:meta])*
        struct $name:ident { $($(#[$about:meta])* $field:ident: $ty:ty,)* }
    )+) => {$(
        $crate::spec::read::tables! {
            $(#[$meta])*
            struct $name {
                $($(#[$about])* $field: $ty,)*
                /// The description, in sentences; `code` in backticks.
                doc: Text<Prose>,
                /// The sections of the contract that it follows.
                source: Option<Text<Line>>,
                /// The open points that affect it.
                #[serde(default)]
                open: Vec<Text<Id>>,
            }
        }
    )+};
}

pub(crate) use declarations;
pub(crate) use tables;

/// Gives a type of the language the JSON Schema of an expression.
macro_rules! schema {
    ($ty:ty [$($of:ident: $bound:path),+], $generator:ident => $schema:expr) => {
        impl<$($of: $bound),+> JsonSchema for $ty {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($ty).into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

schema!(At<T> [T: JsonSchema], generator => generator.subschema_for::<T>());
schema!(Text<F> [F: Formed], _generator => json_schema!({
    "type": "string", "pattern": F::FORM.pattern, "maxLength": F::FORM.longest,
}));
schema!(Named<F, T> [F: Formed, T: JsonSchema], generator => json_schema!({
    "type": "object",
    "propertyNames": generator.subschema_for::<Text<F>>(),
    "additionalProperties": generator.subschema_for::<T>(),
}));

/// Defines an enum whose values are words of a spec. The comment of a variant describes its word for editors.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$about:meta])+ $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, schemars::JsonSchema)]
        $vis enum $name { $($(#[$about])+ #[schemars(rename = $word)] $variant,)+ }

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
        }

        // The code that serde derives also accepts a table with the word as its key.
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(deserializer)?;
                let unknown = || serde::de::Error::unknown_variant(&word, &[$($word),+]);
                Self::of(&word).ok_or_else(unknown)
            }
        }
    };
}

pub(crate) use words;

/// Parses a file.
pub(super) fn parsed(text: &str) -> Result<Spanned<DeTable<'_>>, Diagnostic> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let first = errors.iter().min_by_key(|error| error.span().map_or(text.len(), |at| at.start));
    first.map_or(Ok(root), |error| Err(syntax(text, error)))
}

/// Reads a file into the types of its language.
pub(super) fn document<T: DeserializeOwned>(
    text: &str,
    root: Spanned<DeTable<'_>>,
) -> Result<T, Diagnostic> {
    let root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
    T::deserialize(ValueDeserializer::from(root)).map_err(|error| mistake(text, &error))
}

/// Returns the diagnostic for a serde error: its message in our words, with the path of the key.
fn mistake(text: &str, error: &Error) -> Diagnostic {
    let (message, printed) = (error.message(), error.to_string());
    let path = printed.rsplit_once("\nin `").map_or("", |(_, path)| path.trim_end());
    let span = error.span().unwrap_or_default();
    let written = text.get(span.clone()).unwrap_or_default();
    let before = text.get(..span.start).unwrap_or_default();
    let path = &with_choice(path.trim_end_matches('`'), before);
    let within = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
    let after = text.get(span.end..).unwrap_or_default().trim_start();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_name = after.starts_with('=') || line.starts_with('[') && !line.contains('=');
    let place = key_of(text, &span, path);
    // In a list, the key does not precede the value.
    let is_member = before.trim_end().ends_with('=');
    let key = if is_member { text.get(place.clone()) } else { path.rsplit('.').next() };
    let key = key.unwrap_or_default().trim_matches(['"', '\'']);
    let value = if is_member || written.starts_with('[') { "" } else { "each value of " };
    let choices = choices(key);
    let (what, known) = message.split_once(", expected ").unwrap_or((message, ""));
    if what.starts_with("unknown ") || what.starts_with("unexpected keys") {
        let known: Vec<_> = known.split('`').skip(1).step_by(2).collect();
        let name = written.trim_matches(['"', '\'']);
        let message = if what.starts_with("unknown variant") && !is_name {
            format!("unknown value `{}` of `{key}`", shown(name))
        } else {
            format!("unknown key `{}`{within}", shown(name))
        };
        let diagnostic = Diagnostic::new(&span, message);
        return match name {
            "method" if known.contains(&"verb") => {
                diagnostic.help("write `verb = \"get\"` or `verb = \"post\"`")
            }
            // Former keys.
            "api-version" => diagnostic.help("delete this line: `path` contains the version"),
            "min" | "max" if known.contains(&"max-chars") => {
                diagnostic.help("delete this key, and describe the limit in `doc`")
            }
            _ => diagnostic.help(format!("expected {}", listed(&known))).suggest(name, &known),
        };
    }
    if let Some(name) = what.strip_prefix("missing field ") {
        return Diagnostic::new(&place, format!("missing key {name}{within}"));
    }
    if what.starts_with("wanted exactly 1 element") {
        let known: Vec<_> = choices.iter().map(String::as_str).collect();
        let message = format!("`{key}` must have exactly one of {}", listed(&known));
        return Diagnostic::new(&place, message);
    }
    let given = match what.strip_prefix("invalid ").and_then(|one| one.split([' ', '`']).nth(1)) {
        Some("floating") => "a float",
        Some("integer") => "an integer",
        Some("boolean") => "a boolean",
        Some("sequence") => "a list",
        Some("map") if written.starts_with(|first: char| first.is_ascii_digit()) => "a date",
        Some("map") => "a table",
        _ => "a string",
    };
    let expected = match known {
        "i64" if given == "an integer" => "a 64-bit integer",
        "i64" => "an integer",
        "usize" => "an integer, 0 or more",
        "a nonzero u32" => "an integer between 1 and 4294967295",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "" if message == "wanted string or table" && choices.is_empty() => "a string",
        "" if message == "wanted string or table" => "a table",
        one if one.starts_with("struct ") => "a table",
        one => one,
    };
    let subject =
        if is_name { format!("the name `{}`", shown(written)) } else { format!("{value}`{key}`") };
    let message = match expected {
        "" => format!("{subject} {message}"),
        _ if expected.starts_with(given) || !message.starts_with("invalid") => {
            format!("{subject} must be {expected}")
        }
        _ => format!("{subject} must be {expected}, not {given}"),
    };
    Diagnostic::new(&span, &message).help(match (key, given) {
        _ if message.contains("invisible") => "remove the character",
        // A former form.
        ("empty", "a table") => "write one list: `empty = [\"4\", \"No photos found\"]`",
        _ => "",
    })
}

/// Returns the path of a key, whose text precedes a mistake, with the key chosen in its table, which serde leaves out.
fn with_choice(path: &str, before: &str) -> String {
    let key = path.rsplit('.').next().unwrap_or_default();
    let (_, below) = before.rsplit_once(key).unwrap_or_default();
    let is_chosen = |one: &String| {
        below.contains(&format!("{one} =")) || below.trim_end().ends_with(&format!("{one}]"))
    };
    match choices(key).into_iter().find(is_chosen) {
        Some(chosen) => format!("{path}.{chosen}"),
        None => path.to_owned(),
    }
}

/// Returns the keys of which a table must have exactly one; none for other tables.
fn choices(key: &str) -> Vec<String> {
    let schema = crate::spec::schema();
    let choices = schema.pointer(&format!("/$defs/{}/oneOf", capitalized(key)));
    let choices = choices.and_then(|one| one.as_array()).into_iter().flatten();
    choices.filter_map(|one| Some(one.pointer("/required/0")?.as_str()?.to_owned())).collect()
}

/// Returns the position of the key whose value has this position: the last one of a header, or the one before `=`. A
/// table without a header has no position, and its path is the start of another one's header.
pub(crate) fn key_of(text: &str, value: &Range<usize>, path: &str) -> Range<usize> {
    let before = text.get(..value.start).unwrap_or_default();
    let start = match text.get(value.clone()).unwrap_or_default() {
        _ if path.is_empty() => return 0..0,
        "" => text.find(&format!("[{path}.")).map_or(0, |at| at + 1 + path.len()),
        header if header.starts_with('[') && !before.trim_end().ends_with('=') => {
            value.end - header.len() + header.trim_end_matches(']').len()
        }
        _ => before.trim_end_matches([' ', '=']).len(),
    };
    let before = text.get(..start).unwrap_or_default();
    before.trim_end_matches(|c| !"[{.,\n ".contains(c)).len()..start
}

/// Returns the diagnostic for a syntax error.
fn syntax(text: &str, error: &Error) -> Diagnostic {
    let end = text.trim_end().len();
    let (span, message) = (error.span().unwrap_or(end..end), error.message());
    let before = text.get(..span.start).unwrap_or_default();
    if message.starts_with("invalid multi-line basic string") {
        let open = before.rfind("\"\"\"").unwrap_or(span.start);
        return Diagnostic::new(&(open..open + 3), "text without a closing `\"\"\"`");
    }
    if message != "duplicate key" {
        return Diagnostic::new(&span, message);
    }
    let key = text.get(span.clone()).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let header = text.get(line..span.end).filter(|line| line.starts_with('['));
    let is_key = |end: usize| {
        let rest = text.get(end..).unwrap_or_default().trim_start();
        rest.starts_with(if header.is_some() { ']' } else { '=' })
    };
    let written = header.unwrap_or(key);
    let mut earlier = before.rmatch_indices(written).map(|(at, _)| at + written.len());
    let first = earlier.find(|end| is_key(*end)).map(|end| end - key.len()..end);
    let diagnostic = Diagnostic::new(&span, format_args!("duplicate key `{}`", shown(key)));
    let diagnostic = diagnostic.help("remove or rename one of them");
    match first {
        Some(first) => diagnostic.related(&first, "first used here"),
        None => diagnostic,
    }
}
