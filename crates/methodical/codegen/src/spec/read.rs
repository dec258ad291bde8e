//! Reads the values of a TOML file into the types of its language, and reports every mistake with its position.
//!
//! A type of the language implements [`Read`]: its [`Shape`] says what a value may be, for the checks, for messages and
//! for the JSON Schema, and `read` reads one. The checks report all mistakes of a file before any value is read.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range};

use serde_json::{Map, Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, closest, listed, say, shown};
use crate::ir::Code;
use crate::spec::context::Context;
use crate::spec::form::{Form, Formed};
use crate::text::is_hidden;

/// The form of a value.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Text(&'static Form),
    Words(fn() -> Words),
    /// An integer between these.
    Integer(i64, i64),
    Boolean,
    /// Text, an integer or a boolean; with `true`, also a number with a fraction.
    Single(bool),
    List(&'static Self),
    Table(&'static Table),
    /// Declarations by name.
    Named(&'static Form, &'static Self),
    Either(&'static Self, &'static Self),
}

/// Words with their descriptions.
pub(crate) type Words = Vec<(&'static str, &'static str)>;

/// The keys of a table.
pub(crate) struct Table {
    /// The name of its type.
    pub(crate) name: &'static str,
    /// Its name in messages.
    pub(crate) title: &'static str,
    pub(crate) doc: &'static str,
    /// Whether it has exactly one of its keys.
    pub(crate) is_choice: bool,
    pub(crate) keys: &'static [Key],
}

/// A key of a table.
pub(crate) struct Key {
    /// The name, which may have `_` instead of `-`.
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) is_required: bool,
    pub(crate) shape: &'static Shape,
}

/// A type of the language.
pub(crate) trait Read: Sized {
    const SHAPE: Shape;
    /// Whether a table must have a key of this type.
    const IS_REQUIRED: bool = true;

    /// Reads a value whose key is at this position. It has the shape, or else the result is `None`.
    fn read(value: &Spanned<DeValue<'_>>, key: &Range<usize>) -> Option<Self>;

    /// Returns the value of a key that may be absent.
    fn absent() -> Option<Self> {
        None
    }
}

/// A value with its position, and that of its key.
#[derive(Clone, Debug, Default)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Range<usize>,
    pub(crate) key: Range<usize>,
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

impl<T: Read> Read for At<T> {
    const SHAPE: Shape = T::SHAPE;
    const IS_REQUIRED: bool = T::IS_REQUIRED;

    fn read(value: &Spanned<DeValue<'_>>, key: &Range<usize>) -> Option<Self> {
        Some(Self { value: T::read(value, key)?, span: value.span(), key: key.clone() })
    }
}

impl<T: Read> Read for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const IS_REQUIRED: bool = false;

    fn read(value: &Spanned<DeValue<'_>>, key: &Range<usize>) -> Option<Self> {
        T::read(value, key).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Read> Read for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn read(value: &Spanned<DeValue<'_>>, _: &Range<usize>) -> Option<Self> {
        value.get_ref().as_array()?.iter().map(|item| T::read(item, &item.span())).collect()
    }
}

/// A text of a form, with its position.
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

impl<F: Formed> Read for Text<F> {
    const SHAPE: Shape = Shape::Text(F::FORM);

    fn read(value: &Spanned<DeValue<'_>>, key: &Range<usize>) -> Option<Self> {
        let text = value.get_ref().as_str()?.to_owned();
        Some(Self(At { value: text, span: value.span(), key: key.clone() }, PhantomData))
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

impl<F: Formed, T: Read> Read for Named<F, T> {
    const SHAPE: Shape = Shape::Named(F::FORM, &T::SHAPE);

    fn read(value: &Spanned<DeValue<'_>>, _: &Range<usize>) -> Option<Self> {
        let entries = in_order(value.get_ref().as_table()?).into_iter().map(|(name, value)| {
            let (text, span) = (name.get_ref().to_string(), name.span());
            let declared = T::read(value, &span)?;
            Some((Text(At { value: text, span: span.clone(), key: span }, PhantomData), declared))
        });
        entries.collect::<Option<_>>().map(Self)
    }
}

/// Text, a number or a boolean. A number with a fraction keeps its digits.
#[derive(Debug)]
pub(crate) enum Single {
    Text(String),
    Integer(i64),
    Float(String),
    Boolean(bool),
}

impl Read for Single {
    const SHAPE: Shape = Shape::Single(true);

    fn read(value: &Spanned<DeValue<'_>>, _: &Range<usize>) -> Option<Self> {
        Some(match value.get_ref() {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(_) => Self::Integer(integer(value.get_ref())?),
            DeValue::Float(number) => Self::Float(number.as_str().replace('_', "")),
            DeValue::Boolean(flag) => Self::Boolean(*flag),
            _ => return None,
        })
    }
}

/// One value, or a list of values.
#[derive(Debug)]
pub(crate) struct OneOrMany<T> {
    pub(crate) values: Vec<T>,
    pub(crate) is_list: bool,
}

impl<T: Read> Read for OneOrMany<T> {
    const SHAPE: Shape = Shape::Either(&T::SHAPE, &Shape::List(&T::SHAPE));

    fn read(value: &Spanned<DeValue<'_>>, key: &Range<usize>) -> Option<Self> {
        let is_list = value.get_ref().is_array();
        let values = if is_list { Vec::read(value, key)? } else { vec![T::read(value, key)?] };
        Some(Self { values, is_list })
    }
}

impl Read for Code {
    const SHAPE: Shape = Shape::Single(false);

    fn read(value: &Spanned<DeValue<'_>>, key: &Range<usize>) -> Option<Self> {
        Some(match Single::read(value, key)? {
            Single::Text(text) | Single::Float(text) => Self::Text(text),
            Single::Integer(number) => Self::Integer(number),
            Single::Boolean(flag) => Self::Boolean(flag),
        })
    }
}

impl Read for bool {
    const SHAPE: Shape = Shape::Boolean;

    fn read(value: &Spanned<DeValue<'_>>, _: &Range<usize>) -> Option<Self> {
        value.get_ref().as_bool()
    }
}

/// An integer between two limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Int<const MIN: i64 = { i64::MIN }, const MAX: i64 = { i64::MAX }>(pub(crate) i64);

impl<const MIN: i64, const MAX: i64> Read for Int<MIN, MAX> {
    const SHAPE: Shape = Shape::Integer(MIN, MAX);

    fn read(value: &Spanned<DeValue<'_>>, _: &Range<usize>) -> Option<Self> {
        integer(value.get_ref()).map(Self)
    }
}

impl<const MIN: i64, const MAX: i64> fmt::Display for Int<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A type whose values are words of a spec.
pub(crate) trait Worded: Sized {
    /// Returns the words with their descriptions.
    fn words() -> Words;

    fn of_word(word: &str) -> Option<Self>;
}

impl<T: Worded> Read for T {
    const SHAPE: Shape = Shape::Words(T::words);

    fn read(value: &Spanned<DeValue<'_>>, _: &Range<usize>) -> Option<Self> {
        T::of_word(value.get_ref().as_str()?)
    }
}

/// Some of the words of a type: those whose bits, from the lowest on, are 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Only<T, const BITS: u32>(pub(crate) T);

impl<T: Worded, const BITS: u32> Worded for Only<T, BITS> {
    fn words() -> Words {
        let all = T::words().into_iter().enumerate();
        all.filter(|(index, _)| BITS >> index & 1 == 1).map(|(_, word)| word).collect()
    }

    fn of_word(word: &str) -> Option<Self> {
        T::of_word(word).map(Self)
    }
}

/// Defines an enum whose values are words of a spec. The comment of a variant describes its word for editors.
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
        }

        impl $crate::spec::read::Worded for $name {
            fn words() -> $crate::spec::read::Words {
                vec![$(($word, concat!($($doc),+))),+]
            }

            fn of_word(word: &str) -> Option<Self> {
                Self::of(word)
            }
        }
    };
}

pub(crate) use words;

/// Defines the types of tables. The text after a name is its title; after a `+` follow keys that many tables have. A row
/// is a key with its type and its description. It has its name in the spec after `as`, if that differs, and `= default`
/// if the key may be absent without being an `Option`.
macro_rules! tables {
    ($($(#[doc = $doc:literal])+ $name:ident $title:literal $($choice:ident)? $(+ $($more:ident)+)? { $($body:tt)* })+) => {
        $(tables! { @table [$($doc)+] $name $title [$($choice)?] [$($($more)+)?] { $($body)* } })+
    };
    (@table $doc:tt $name:ident $title:literal $choice:tt [doc $($more:ident)*] { $($body:tt)* }) => {
        tables! { @table $doc $name $title $choice [$($more)*] { $($body)*
            doc: Text<Prose>, "The description, in sentences; `code` in backticks.";
        } }
    };
    (@table $doc:tt $name:ident $title:literal $choice:tt [source $($more:ident)*] { $($body:tt)* }) => {
        tables! { @table $doc $name $title $choice [$($more)*] { $($body)*
            source: Option<Text<Line>>, "The sections of the contract that it follows.";
        } }
    };
    (@table $doc:tt $name:ident $title:literal $choice:tt [open $($more:ident)*] { $($body:tt)* }) => {
        tables! { @table $doc $name $title $choice [$($more)*] { $($body)*
            open: Vec<Text<Id>> = default, "The open points that affect it.";
        } }
    };
    (@table [$($doc:literal)+] $name:ident $title:literal [$($choice:ident)?] [] {
        $($key:ident $(as $wire:literal)?: $ty:ty $(= $default:ident)?, $about:literal;)*
    }) => {
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub(crate) struct $name { $(#[doc = $about] pub(crate) $key: $ty,)* }

        impl $crate::spec::read::Read for $name {
            const SHAPE: $crate::spec::read::Shape = $crate::spec::read::Shape::Table(&$crate::spec::read::Table {
                name: stringify!($name),
                title: $title,
                doc: concat!($($doc),+),
                is_choice: !concat!("" $(, stringify!($choice))?).is_empty(),
                keys: &[$($crate::spec::read::Key {
                    name: tables!(@key $key $($wire)?),
                    doc: $about,
                    is_required: <$ty as $crate::spec::read::Read>::IS_REQUIRED && tables!(@required $($default)?),
                    shape: &<$ty as $crate::spec::read::Read>::SHAPE,
                }),*],
            });

            fn read(
                value: &::toml::Spanned<::toml::de::DeValue<'_>>,
                _: &::std::ops::Range<usize>,
            ) -> Option<Self> {
                let _table = value.get_ref().as_table()?;
                $(let $key: Option<$ty> = $crate::spec::read::member(_table, tables!(@key $key $($wire)?))
                    .or_else(|| tables!(@absent $($default)?));)*
                Some(Self { $($key: $key?),* })
            }
        }
    };
    (@key $key:ident) => { stringify!($key) };
    (@key $key:ident $wire:literal) => { $wire };
    (@required) => { true };
    (@required default) => { false };
    (@absent) => { None };
    (@absent default) => { Some(Default::default()) };
}

pub(crate) use tables;

/// Reads the value of a key.
pub(crate) fn member<T: Read>(table: &DeTable<'_>, name: &str) -> Option<T> {
    let entry = table.get_key_value(&*name.replace('_', "-"));
    entry.map_or_else(T::absent, |(name, value)| T::read(value, &name.span()))
}

/// A value of a key, or an item of its list.
struct Given<'a> {
    key: &'a str,
    /// The position of the key.
    named: Range<usize>,
    value: &'a Spanned<DeValue<'a>>,
}

impl Context<'_> {
    /// Checks a whole file, and reads it if it has no mistake.
    pub(super) fn document<T: Read>(&mut self, root: &Spanned<DeTable<'_>>) -> Option<T> {
        let value = Spanned::new(root.span(), DeValue::Table(root.get_ref().clone()));
        let given = Given { key: "", named: 0..0, value: &value };
        self.check(&given, &T::SHAPE);
        if self.diagnostics.is_empty() { T::read(&value, &given.named) } else { None }
    }

    /// Checks that a value has a shape, and reports each mistake in it.
    fn check(&mut self, given: &Given<'_>, shape: &Shape) {
        let (value, span) = (given.value.get_ref(), given.value.span());
        let what = || format!("`{}`", given.key);
        match (shape, value) {
            (Shape::Either(one, _), _) if one.accepts(value) => self.check(given, one),
            (Shape::Either(_, many), _) if many.accepts(value) => self.check(given, many),
            _ if !shape.accepts(value) => self.wrong_kind(given.key, shape, given.value),
            (Shape::Text(form), DeValue::String(text)) => {
                self.check_text(form, text, &span, &what());
            }
            (Shape::Single(_), DeValue::String(text)) => {
                self.check_hidden(text, &span, &what());
            }
            (Shape::Single(_), DeValue::Float(number))
                if !number.as_str().parse::<f64>().is_ok_and(f64::is_finite) =>
            {
                say!(self, span, "the number is not finite");
            }
            (Shape::Words(words), DeValue::String(word)) => {
                let words: Vec<_> = words().into_iter().map(|(word, _)| word).collect();
                if !words.contains(&&**word) {
                    let message = format!("unknown value `{}` of {}", shown(word), what());
                    self.push(Diagnostic::new(&span, message).suggest(word, &words));
                }
            }
            (_, DeValue::Integer(_)) => match (shape, integer(value)) {
                (_, None) => say!(self, span, "the number does not fit in a signed 64-bit integer"),
                (Shape::Integer(min, max), Some(number)) if !(min..=max).contains(&&number) => {
                    say!(self, span, "the number must be between {min} and {max}");
                }
                _ => {}
            },
            (Shape::List(of), DeValue::Array(items)) => {
                for item in items {
                    if of.accepts(item.get_ref()) {
                        self.check(&Given { key: given.key, named: item.span(), value: item }, of);
                    } else {
                        self.wrong_kind(given.key, shape, item);
                    }
                }
            }
            (Shape::Table(keys), DeValue::Table(table)) => {
                self.check_keys(given, keys, table, &shape.title());
            }
            (Shape::Named(form, of), DeValue::Table(table)) => {
                self.check_names(given, form, of, table);
            }
            _ => {}
        }
    }

    /// Checks declarations and their names.
    fn check_names(
        &mut self,
        given: &Given<'_>,
        form: &Form,
        of: &'static Shape,
        table: &DeTable<'_>,
    ) {
        for (name, value) in in_order(table) {
            let (text, span) = (&**name.get_ref(), name.span());
            self.check_text(form, text, &span, &format!("the name of {}", of.title()));
            let key = if matches!(of, Shape::Words(_)) { given.key } else { text };
            self.check(&Given { key, named: span, value }, of);
        }
    }

    /// Checks a table and its keys. Missing keys are reported at its name.
    fn check_keys(
        &mut self,
        given: &Given<'_>,
        keys: &'static Table,
        table: &DeTable<'_>,
        title: &str,
    ) {
        let mut known: Vec<_> = keys.keys.iter().map(Key::name).collect();
        known.sort();
        let known: Vec<_> = known.iter().map(String::as_str).collect();
        let mut meant = BTreeSet::new();
        for (name, value) in in_order(table) {
            let written = &**name.get_ref();
            if known.contains(&written) {
                continue;
            }
            let close = closest(written, &known);
            let help = match (keys.title, value.get_ref().as_str(), close) {
                ("operation", Some("GET" | "POST"), _) => {
                    "write `verb = \"get\"` or `verb = \"post\"`".to_owned()
                }
                (.., Some(key)) => format!("did you mean `{key}`?"),
                _ => format!("expected {}", listed(&known)),
            };
            say!(self, name.span(), "unknown key `{}` in {title}", shown(written) => "{help}");
            meant.extend(close);
        }
        for key in keys.keys.iter().filter(|key| key.is_required) {
            let name = key.name();
            if !table.contains_key(&*name) && !meant.contains(&*name) {
                say!(self, given.named, "missing key `{name}` in {title}");
            }
        }
        if keys.is_choice && table.len() != 1 {
            let (all, number) = (listed(&known), table.len());
            say!(self, given.named, "{title} must have exactly one of {all}, but has {number}");
        }
        // A declaration would seem to lack what is below a misspelled key.
        for key in keys.keys.iter().filter(|key| !meant.contains(&*key.name())) {
            if let Some((name, value)) = table.get_key_value(&*key.name()) {
                let given = Given { key: name.get_ref(), named: name.span(), value };
                self.check(&given, key.shape);
            }
        }
    }

    fn wrong_kind(&mut self, key: &str, shape: &Shape, found: &Spanned<DeValue<'_>>) {
        let (expected, kind) = (shape.expected(), kind_of(found.get_ref()));
        say!(self, found.span(), "`{key}` must be {expected}, not {kind}");
    }

    fn check_hidden(&mut self, text: &str, span: &Range<usize>, what: &str) -> bool {
        let hidden = text.chars().find(|&c| is_hidden(c) && c != '\n').map(u32::from);
        if let Some(c) = hidden {
            say!(self, *span, "{what} contains the invisible character U+{c:04X}"
                => "remove the character");
        }
        hidden.is_none()
    }

    fn check_text(&mut self, form: &Form, text: &str, span: &Range<usize>, what: &str) {
        if !self.check_hidden(text, span, what) || form.fits(text) {
            return;
        }
        if text.trim().is_empty() {
            say!(self, *span, "{what} must not be empty");
        } else {
            say!(self, *span, "{what} must be {}", form.expected);
        }
    }
}

impl Key {
    fn name(&self) -> String {
        self.name.replace('_', "-")
    }
}

impl Shape {
    fn table(&self) -> Option<&'static Table> {
        if let Self::Table(table) = self { Some(table) } else { None }
    }

    /// Returns the name of a table with its article.
    fn title(&self) -> String {
        let title = match self {
            Self::Table(table) => table.title,
            Self::Single(true) => "constant",
            Self::Either(..) => "parameter",
            _ => "",
        };
        let article = if title.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        match title {
            "spec" | "service" | "configuration" => format!("the {title}"),
            title if title.starts_with('`') => title.to_owned(),
            _ => format!("{article} {title}"),
        }
    }

    /// Returns whether a value is of this kind.
    fn accepts(&self, value: &DeValue<'_>) -> bool {
        matches!(
            (self, value),
            (Self::Text(_) | Self::Words(_) | Self::Single(_), DeValue::String(_))
                | (Self::Integer(..) | Self::Single(_), DeValue::Integer(_))
                | (Self::Boolean | Self::Single(_), DeValue::Boolean(_))
                | (Self::Single(true), DeValue::Float(_))
                | (Self::Table(_) | Self::Named(..), DeValue::Table(_))
                | (Self::List(_), DeValue::Array(_))
        ) || matches!(self, Self::Either(one, other) if one.accepts(value) || other.accepts(value))
    }

    /// Returns what a value must be.
    fn expected(&self) -> String {
        match self {
            Self::Text(_) | Self::Words(_) => "a string".to_owned(),
            Self::Integer(..) => "an integer".to_owned(),
            Self::Boolean => "`true` or `false`".to_owned(),
            Self::Single(_) => "a string, a number or a boolean".to_owned(),
            Self::Either(one, other) => format!("{} or {}", one.expected(), other.expected()),
            Self::Table(_) | Self::Named(..) => "a table".to_owned(),
            Self::List(items) => {
                let of = match items {
                    Self::Table(_) => "tables (`[[…]]`)",
                    Self::Integer(..) => "integers",
                    Self::Single(_) => "strings, integers or booleans",
                    _ => "strings",
                };
                format!("a list of {of}")
            }
        }
    }

    /// Returns the JSON Schema of a shape; that of a table is among the definitions.
    fn schema(&self, definitions: &mut Map<String, Value>) -> Value {
        match *self {
            Self::Text(form) => {
                json!({ "type": "string", "pattern": form.pattern, "maxLength": form.longest })
            }
            Self::Words(words) => {
                let words = words().into_iter();
                let words =
                    words.map(|(word, doc)| json!({ "const": word, "description": doc.trim() }));
                json!({ "oneOf": words.collect::<Vec<_>>() })
            }
            Self::Integer(i64::MIN, i64::MAX) => json!({ "type": "integer" }),
            Self::Integer(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Single(true) => json!({ "type": ["string", "number", "boolean"] }),
            Self::Single(false) => json!({ "type": ["string", "integer", "boolean"] }),
            Self::List(of) => json!({ "type": "array", "items": of.schema(definitions) }),
            Self::Named(form, of) => json!({
                "type": "object",
                "propertyNames": Self::Text(form).schema(definitions),
                "additionalProperties": of.schema(definitions),
            }),
            Self::Either(one, other) => {
                json!({ "anyOf": [one.schema(definitions), other.schema(definitions)] })
            }
            Self::Table(table) => {
                if !definitions.contains_key(table.name) {
                    let schema = table.schema(definitions);
                    definitions.insert(table.name.to_owned(), Value::Object(schema));
                }
                json!({ "$ref": format!("#/$defs/{}", table.name) })
            }
        }
    }
}

impl Table {
    fn schema(&self, definitions: &mut Map<String, Value>) -> Map<String, Value> {
        let properties = self.keys.iter().map(|key| {
            let mut schema = key.shape.schema(definitions);
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), json!(key.doc));
            }
            (key.name(), schema)
        });
        let properties: Map<_, _> = properties.collect();
        let required = self.keys.iter().filter(|key| key.is_required).map(Key::name);
        let mut schema = vec![
            ("title", json!(self.title)),
            ("description", json!(self.doc.trim())),
            ("type", json!("object")),
            ("properties", json!(properties)),
            ("required", required.collect()),
            ("additionalProperties", json!(false)),
        ];
        if self.is_choice {
            schema.extend([("minProperties", json!(1)), ("maxProperties", json!(1))]);
        }
        schema.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

/// Returns the JSON Schema of a type, for editors.
pub(super) fn schema<T: Read>() -> Value {
    let mut definitions = Map::new();
    let mut root = T::SHAPE.table().map(|table| table.schema(&mut definitions)).unwrap_or_default();
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(root)
}

/// Returns the entries in the order of the file, because `DeTable` iterates by name.
pub(crate) fn in_order<'a>(
    table: &'a DeTable<'a>,
) -> Vec<(&'a Spanned<Cow<'a, str>>, &'a Spanned<DeValue<'a>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// Returns the kind of a value.
fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
