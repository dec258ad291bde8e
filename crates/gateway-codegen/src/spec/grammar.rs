//! The grammar of the spec language, as tables of keys and their values.
//!
//! The reader and the JSON Schema for editors are both derived from these tables, so they agree.
//! `spec/README.md` is the guide for people.

pub use self::document::DOCUMENT;
pub use self::form::{Form, list_of, map_of};
pub use self::language::Language;
use crate::text::is_hidden;

mod document;
mod form;
mod language;
mod paging;
mod requests;
mod responses;

/// A table with a fixed set of keys.
#[derive(Debug)]
pub struct Table {
    /// The name in messages and in the JSON Schema.
    pub name: &'static str,
    /// The description.
    pub doc: &'static str,
    /// The keys of all versions of the language, in the order in which messages list them. A version
    /// has a key at most once.
    pub keys: &'static [Key],
    /// Whether exactly one of the keys must be given.
    pub exactly_one: bool,
}

/// One key of a table.
#[derive(Debug)]
pub struct Key {
    /// The name of the key.
    pub name: &'static str,
    /// The form of its value.
    pub shape: Shape,
    /// Whether the key must be present.
    pub required: bool,
    /// The only version of the language that has the key; `None` if all versions have it.
    pub only: Option<Language>,
    /// The description.
    pub doc: &'static str,
}

impl Table {
    /// Returns the keys of one version of the language.
    pub fn keys_in(&self, language: Language) -> impl Iterator<Item = &'static Key> {
        self.keys.iter().filter(move |key| key.only.is_none_or(|only| only == language))
    }

    /// Returns a key of one version of the language.
    pub fn key_in(&self, language: Language, name: &str) -> Option<&'static Key> {
        self.keys_in(language).find(|key| key.name == name)
    }
}

/// The form of the value of a key.
#[derive(Debug)]
pub enum Shape {
    /// Text of a form.
    Text(Form),
    /// One of a few words, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// An integer between two bounds, inclusive.
    Integer(i64, i64),
    /// `true` or `false`.
    Boolean,
    /// A list of texts of a form.
    Texts(Form),
    /// A text of a form, or a list of two.
    OneOrTwo(Form),
    /// A list of non-negative integers.
    Positions,
    /// A list of strings, integers and booleans.
    Codes,
    /// A table whose values are text, integers or booleans.
    Values,
    /// The same, or lists of them.
    ValuesOrLists,
    /// Text, a number or a boolean.
    Value,
    /// A table.
    Table(&'static Table),
    /// A table of tables, whose names have a form.
    Named(Form, &'static Table),
    /// A list of tables: `[[example]]`.
    Tables(&'static Table),
}

/// Returns the first character of a text that a spec must not contain.
pub fn hidden_in(text: &str) -> Option<char> {
    text.chars().find(|&c| is_hidden(c) && c != '\n')
}

pub(crate) const fn table(name: &'static str, doc: &'static str, keys: &'static [Key]) -> Table {
    Table { name, doc, keys, exactly_one: false }
}

pub(crate) const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: true, only: None, doc }
}

pub(crate) const fn optional(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: false, only: None, doc }
}

/// Restricts a key to one version of the language.
const fn only(language: Language, key: Key) -> Key {
    Key { only: Some(language), ..key }
}

const DOC: Key = required(
    "doc",
    Shape::Text(Form::Prose),
    "The description, in sentences; `code` in backticks.",
);
const SOURCE: Key =
    optional("source", Shape::Text(Form::Line), "The sections of the contract that it follows.");
const OPEN: Key = optional("open", Shape::Texts(Form::Id), "The open points that affect it.");
const DEPRECATED: Key = optional(
    "deprecated",
    Shape::Text(Form::Line),
    "Why it is deprecated, and what to use instead.",
);
const RUST_NAME: Key = optional(
    "rust-name",
    Shape::Text(Form::Ident),
    "The name in generated code, if it differs from the wire name.",
);
