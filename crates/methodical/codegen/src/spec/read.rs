//! Reads a TOML file with serde: values with their positions, text that must have a form, and names in the order of the
//! file. Only the first syntactic mistake is reported; lowering reports all mistakes in names and rules.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

use crate::diag::{Diagnostic, closest, listed, shown};
use crate::spec::form::Formed;

/// A value with its position.
#[derive(Clone, Debug, Default)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Range<usize>,
}

/// A value with a position in the file, or a key that has no position if it is absent.
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
    /// Returns the declaration with this name, if any.
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
#[serde(untagged, expecting = "must be a string or a list of strings")]
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

/// Implements `Deserialize` for a type that is read only from a table. If there are keys, the table must have exactly
/// one of them. The code that serde derives, here with `remote = "Self"`, would also accept a list or a word.
macro_rules! from_table {
    ($name:ident [$($key:literal),*]) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Table;

                impl<'de> serde::de::Visitor<'de> for Table {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a table")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                        const KEYS: &[&str] = &[$($key),*];
                        if !KEYS.is_empty() && map.size_hint() != Some(1) {
                            let one = $crate::diag::listed(KEYS);
                            return Err(serde::de::Error::custom(format!("must have exactly one of {one}")));
                        }
                        $name::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    }
                }

                deserializer.deserialize_map(Table)
            }
        }
    };
}

/// Defines the tables of a language.
macro_rules! tables {
    ($(
        $(#[$meta:meta])*
        struct $name:ident { $($(#[$about:meta])* $field:ident: $ty:ty,)* }
    )+) => {$(
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case")]
        $(#[$meta])*
        pub(crate) struct $name { $($(#[$about])* pub(crate) $field: $ty,)* }

        $crate::spec::read::from_table!($name []);
    )+};
}

/// Defines tables that must have exactly one of their keys.
macro_rules! choices {
    ($(
        $(#[$meta:meta])*
        enum $name:ident { $($(#[$about:meta])+ $variant:ident($of:ty) = $key:literal,)+ }
    )+) => {$(
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(remote = "Self", deny_unknown_fields)]
        $(#[$meta])*
        pub(crate) enum $name { $($(#[$about])+ #[serde(rename = $key)] $variant($of),)+ }

        $crate::spec::read::from_table!($name [$($key),+]);
    )+};
}

/// Defines tables that also have a description, sections of the contract, and open points.
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

pub(crate) use choices;
pub(crate) use declarations;
pub(crate) use from_table;
pub(crate) use tables;

/// Implements `JsonSchema` for a type of the language. An expression returns the schema.
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

            /// Returns the value's word in a spec.
            $vis const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Returns the value with this word, if any.
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

/// Reads a file into the types of its language.
pub(super) fn document<T: DeserializeOwned>(text: &str) -> Result<T, Diagnostic> {
    if text.trim().is_empty() {
        return Err(Diagnostic::new(&(0..0), "the file is empty"));
    }
    let (root, errors) = DeTable::parse_recoverable(text);
    let first = errors.iter().min_by_key(|error| error.span().map_or(text.len(), |at| at.start));
    if let Some(error) = first {
        return Err(syntax(text, error));
    }
    // If the file uses another version of the language, nothing else about it is known.
    let is_other = |one: &DeValue<'_>| one.as_integer().is_some_and(|one| one.as_str() != "2");
    let version = root.get_ref().get("spec-language").filter(|one| is_other(one.get_ref()));
    if let Some(version) = version {
        let message = "unsupported version of the spec language";
        let help = "this generator reads version 2; a newer spec needs a newer generator";
        return Err(Diagnostic::new(&version.span(), message).help(help));
    }
    let root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
    T::deserialize(ValueDeserializer::from(root)).map_err(|error| mistake(text, &error))
}

/// Returns the diagnostic for a serde error: its message in our words, with the path of the key.
fn mistake(text: &str, error: &Error) -> Diagnostic {
    let (message, printed) = (error.message(), error.to_string());
    let path = printed.rsplit_once("\nin `").map_or("", |(_, path)| path.trim_end());
    let path = path.trim_end_matches('`');
    let within = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
    let span = error.span().unwrap_or_default();
    let written = text.get(span.clone()).unwrap_or_default();
    // An item of a list has no key.
    let place = key_of(text, &span);
    let last = || path.rsplit('.').next();
    let key = place.clone().map_or_else(last, |place| text.get(place));
    let key = key.unwrap_or_default().trim_matches(QUOTES);
    let is_name = place.as_ref() == Some(&span);
    let (what, known) = message.split_once(", expected ").unwrap_or((message, ""));
    if what.starts_with("unknown ") {
        let known: Vec<_> = known.split('`').skip(1).step_by(2).collect();
        let name = what.split_once('`').and_then(|(_, rest)| Some(rest.rsplit_once('`')?.0));
        let name = name.unwrap_or_default();
        let message = if what.starts_with("unknown variant") && !is_name {
            format!("unknown value `{}` of `{key}`", shown(name))
        } else {
            format!("unknown key `{}`{within}", shown(name))
        };
        // serde gives a word in a list the position of the list.
        let diagnostic = Diagnostic::new(&position(text, &span, name), message);
        let (before, after) = (text.get(..span.start), text.get(span.end..));
        let (outer, before) = (last().unwrap_or_default(), before.unwrap_or_default());
        let is_table =
            after.is_some_and(|after| after.trim_start_matches([' ', '=']).starts_with('{'));
        let dotted = before.strip_suffix('.').and_then(|before| before.strip_suffix(outer));
        if let Some(before) = dotted.filter(|_| is_table && known.contains(&"type")) {
            let message = format!("the name `{outer}.{name}` has a dot, which needs quotes");
            let help = "put the whole name in quotes; a nested object needs its own model";
            return Diagnostic::new(&(before.len()..span.end), message).help(help);
        }
        let inner = ["field", "param"].into_iter().find(|one| is_table && known.contains(one));
        if let Some(inner) = inner.filter(|_| closest(name, &known).is_none()) {
            return diagnostic.help(format!("write `[{path}.{inner}]` above it"));
        }
        return diagnostic.help(format!("expected {}", listed(&known))).suggest(name, &known);
    }
    if let Some(name) = what.strip_prefix("missing field ") {
        // Each table of a list has a header.
        let header = written.starts_with("[[").then(|| span.start + 2..span.end - 2);
        let place = place.or(header).unwrap_or(span);
        return Diagnostic::new(&place, format!("missing key {name}{within}"));
    }
    if message.starts_with("must have ") {
        return Diagnostic::new(&place.unwrap_or(span), format!("`{key}` {message}"));
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
        "i64" if given == "an integer" => "an integer that fits in 64 bits",
        "i64" | "u32" => "an integer",
        "usize" => "an integer, 0 or more",
        "a nonzero u32" => "an integer between 1 and 4294967295",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        // Only the values of examples may be of other types.
        "" if path.contains("params.") => "a string, an integer, a boolean or a list of them",
        one => one,
    };
    let subject = match place {
        Some(_) if is_name && !what.starts_with("invalid ") => format!("the name `{}`", shown(key)),
        Some(_) => format!("`{key}`"),
        None => format!("each value of `{key}`"),
    };
    let (message, fix) = message.split_once("; ").unwrap_or((message, ""));
    let message = match expected {
        "" => format!("{subject} {message}"),
        _ if expected.starts_with(given) || !message.starts_with("invalid") => {
            format!("{subject} must be {expected}")
        }
        _ => format!("{subject} must be {expected}, not {given}"),
    };
    let help = match (written, expected, given) {
        ("[example]", ..) => "write `[[example]]`",
        (_, "a string", "a float" | "an integer" | "a boolean") => "put the value in quotes",
        (_, "a list", "a string" | "an integer") => "put the value in brackets",
        (_, "an integer", "a string") => "remove the quotes",
        _ => fix,
    };
    Diagnostic::new(&span, &message).help(help)
}

/// The quotes of keys and text.
const QUOTES: [char; 2] = ['"', '\''];

/// Returns the position of a text in a list, quotes included, or of the list if it lacks the text.
pub(crate) fn position(text: &str, list: &Range<usize>, item: &str) -> Range<usize> {
    let written = text.get(list.clone()).unwrap_or_default();
    let start = QUOTES.iter().find_map(|quote| written.find(&format!("{quote}{item}{quote}")));
    let start = start.map(|start| list.start + start);
    start.map_or_else(|| list.clone(), |start| start..start + item.len() + 2)
}

/// Returns the position of the key that is, or whose value is, at this position; `None` for an item of a list.
pub(crate) fn key_of(text: &str, at: &Range<usize>) -> Option<Range<usize>> {
    let (root, _) = DeTable::parse_recoverable(text);
    holder(&DeValue::Table(root.into_inner()), at).map(|(_, key)| key)
}

/// Returns the table that holds the key or value at this position, and the position of the key.
fn holder<'v, 'i>(
    value: &'v DeValue<'i>,
    at: &Range<usize>,
) -> Option<(&'v DeTable<'i>, Range<usize>)> {
    match value {
        DeValue::Table(table) => {
            let mut entries = table.iter();
            let entry = entries.find(|(key, value)| key.span() == *at || value.span() == *at);
            let below = || table.values().find_map(|one| holder(one.get_ref(), at));
            entry.map(|(key, _)| (table, key.span())).or_else(below)
        }
        DeValue::Array(items) => items.iter().find_map(|one| holder(one.get_ref(), at)),
        _ => None,
    }
}

/// Returns the diagnostic for a syntax error, in words that describe the author's mistake.
fn syntax(text: &str, error: &Error) -> Diagnostic {
    let (span, message) = (error.span().unwrap_or(text.len()..text.len()), error.message());
    let (before, after) = text.split_at_checked(span.start).unwrap_or((text, ""));
    let is = |starts: &[&str]| starts.iter().any(|start| message.starts_with(start));
    let say = |at: &Range<usize>, what: &str, help: &str| Diagnostic::new(at, what).help(help);
    if message == "duplicate key" {
        return duplicate(text, &span);
    }
    if is(&["invalid multi-line basic string"]) {
        let open = before.rfind("\"\"\"").unwrap_or(span.start);
        return say(&(open..open + 3), "text without a closing `\"\"\"`", "");
    }
    // Without its closing quote, a text ends with the line or where the next text begins.
    let is_last = after.lines().next().unwrap_or_default().is_empty();
    let is_whole = is_last && is(&["invalid basic string", "invalid literal string"]);
    let swallowed = before.strip_suffix(QUOTES).filter(|_| after.starts_with(char::is_alphabetic));
    let unclosed = swallowed.or_else(|| is_whole.then_some(before));
    if let Some(open) = unclosed.and_then(|text| text.rfind(QUOTES)) {
        return say(&(open..span.start), "missing closing quote", "end the text with `\"`");
    }
    if is(&["invalid boolean", "invalid float", "missing opening quote", "string values must be"]) {
        let start = before.trim_end_matches(|c| !"=[{, \n".contains(c)).len();
        let written = text.get(start..).unwrap_or_default();
        let written = written.split([',', ']', '}', '#', '\n']).next().unwrap_or_default().trim();
        let (span, word) = (start..start + written.len(), written.to_lowercase());
        let meant = match &*word {
            "true" | "false" => word,
            _ => format!("\"{}\"", shown(written.trim_matches(['"', '\'', '“', '”', '„']))),
        };
        return say(&span, "text without quotes", &format!("write `{meant}`"));
    }
    let end = before.trim_end().len();
    let is_next_line = before.get(end..).is_some_and(|gap| gap.contains('\n'));
    let is_open = is(&["missing comma between key", "missing assignment", "missing key for"]);
    if is_next_line && (is_open || after.trim().is_empty()) {
        return say(&(end..end), "missing `}` or `,` at the end of this line", "");
    }
    let (message, help) = match message.trim_end_matches(", expected `,`") {
        _ if after.starts_with(':') => ("`:` after a key instead of `=`", "write `=`"),
        _ if after.starts_with("//") => ("`//` does not begin a comment", "write `#`"),
        _ if is(&["unclosed table"]) => ("missing `]` at the end of the header", ""),
        _ if is(&["unexpected key or value"]) => ("unexpected text after the value", ""),
        message => (message, ""),
    };
    say(&span, message, help)
}

/// Returns the diagnostic for a second key of the same name.
fn duplicate(text: &str, span: &Range<usize>) -> Diagnostic {
    let key = text.get(span.clone()).unwrap_or_default().trim_matches(QUOTES);
    let diagnostic = Diagnostic::new(span, format_args!("duplicate key `{}`", shown(key)));
    let diagnostic = diagnostic.help("remove or rename one of them");
    // The parser keeps a second key only under another name.
    let mut renamed = text.to_owned();
    renamed.replace_range(span.clone(), &"_".repeat(span.len()));
    let (root, _) = DeTable::parse_recoverable(&renamed);
    let root = DeValue::Table(root.into_inner());
    let first = holder(&root, span).and_then(|(table, _)| table.get_key_value(key));
    match first {
        Some((first, _)) => diagnostic.related(&first.span(), "first used here"),
        None => diagnostic,
    }
}
