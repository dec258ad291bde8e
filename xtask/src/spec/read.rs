//! From text to a tree that has the shape of the grammar, with the place of everything in it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, code};
use crate::spec::grammar::{DOCUMENT, Form, Key, Shape, Table, hidden_in};

/// A value of the spec with its place. What did not fit the grammar is not in the tree.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) node: Node,
}

impl Node {
    /// The entries of a table, in the order of the file.
    pub(super) fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    pub(super) fn list(&self) -> &[Self] {
        if let Value::List(nodes) = &self.value { nodes } else { &[] }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The text under a key; empty if there is none.
    pub(super) fn text(&self, key: &str) -> String {
        self.get(key).and_then(Self::as_text).unwrap_or_default().to_owned()
    }

    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        if let Value::Integer(number) = self.get(key)?.value { Some(number) } else { None }
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Self { value: Value::Boolean(true), .. }))
    }
}

/// Reads a document: the tree, and the names that were refused where they are declared. Without
/// syntax errors there is always a tree, however little is in it.
pub(super) fn document(
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Node, Vec<String>)> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let end = text.trim_end().len();
        diagnostics.extend(errors.iter().map(|error| {
            let span = error.span().unwrap_or(end..end);
            let place = text.get(span.clone()).filter(|_| error.message() == "duplicate key");
            let message = place.map_or_else(
                || error.message().to_owned(),
                |key| format!("the key `{}` is given twice", shown(key)),
            );
            Diagnostic::new(&code::SYNTAX, &span, message)
        }));
        return None;
    }
    let mut reader = Reader { diagnostics, refused: Vec::new() };
    let whole = 0..0;
    let tree = reader.table(&DOCUMENT, root.get_ref(), &whole, &whole);
    Some((tree, reader.refused))
}

struct Reader<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    refused: Vec<String>,
}

type Entries<'a, 'i> = Vec<(&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>)>;

/// `DeTable` iterates by name; people and generated code want the order of the file.
fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Entries<'a, 'i> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

impl Reader<'_> {
    fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reads a table; `named` is the place of its name, where a missing key is reported.
    fn table(
        &mut self,
        table: &Table,
        given: &DeTable<'_>,
        span: &Range<usize>,
        named: &Range<usize>,
    ) -> Node {
        let mut entries = Vec::new();
        for (name, value) in in_order(given) {
            let Some(key) = table.keys.iter().find(|key| key.name == name.get_ref()) else {
                let keys: Vec<_> = table.keys.iter().map(|key| key.name).collect();
                let message =
                    format!("unknown key `{}` in {}", shown(name.get_ref()), article(table.name));
                self.say(
                    Diagnostic::new(&code::UNKNOWN_KEY, &name.span(), message)
                        .suggest(name.get_ref(), &keys),
                );
                if let DeValue::Table(below) = value.get_ref() {
                    self.refused.extend(below.keys().map(|name| name.get_ref().to_string()));
                }
                continue;
            };
            if let Some(node) = self.shape(key, value, &name.span()) {
                entries.push(Entry { key: key.name.to_owned(), key_span: name.span(), node });
            }
        }
        for key in table.keys.iter().filter(|key| key.required) {
            if !given.keys().any(|name| name.get_ref() == key.name) {
                let message = format!("{} needs the key `{}`", article(table.name), key.name);
                self.say(
                    Diagnostic::new(&code::MISSING_KEY, named, message)
                        .help(first_sentence(key.doc)),
                );
            }
        }
        if table.exactly_one && given.len() != 1 {
            let keys: Vec<_> = table.keys.iter().map(|key| key.name).collect();
            let message = format!(
                "{} takes exactly one of {}, not {}",
                article(table.name),
                crate::diag::listed(&keys),
                given.len()
            );
            self.say(Diagnostic::new(&code::RESPONSE_SHAPE, named, message));
        }
        Node { span: span.clone(), value: Value::Table(entries) }
    }

    fn shape(
        &mut self,
        key: &Key,
        value: &Spanned<DeValue<'_>>,
        named: &Range<usize>,
    ) -> Option<Node> {
        let span = value.span();
        let value = match (&key.shape, value.get_ref()) {
            (Shape::Text(form), DeValue::String(text)) => {
                self.text(*form, text, &span, &format!("`{}`", key.name))?
            }
            (Shape::Choice(choices), DeValue::String(text)) => {
                self.choice(key.name, choices, text, &span)?
            }
            (Shape::Integer(min, max), DeValue::Integer(_)) => self.integer(value, *min, *max)?,
            (Shape::Boolean, DeValue::Boolean(flag)) => Value::Boolean(*flag),
            (Shape::Texts(form), DeValue::Array(items)) => {
                self.list(items.iter(), |reader, item| match item.get_ref() {
                    DeValue::String(text) => {
                        reader.text(*form, text, &item.span(), &format!("`{}`", key.name))
                    }
                    other => reader.wrong_kind(&item.span(), key.name, "a list of texts", other),
                })
            }
            (Shape::Positions, DeValue::Array(items)) => {
                self.list(items.iter(), |reader, item| match item.get_ref() {
                    DeValue::Integer(_) => reader.integer(item, 0, 1_000_000),
                    other => reader.wrong_kind(&item.span(), key.name, "a list of integers", other),
                })
            }
            (Shape::Values, DeValue::Table(table)) => self.values(key.name, table),
            (Shape::Table(inner), DeValue::Table(table)) => {
                return Some(self.table(inner, table, &span, named));
            }
            (Shape::Named(form, inner), DeValue::Table(table)) => self.named(*form, inner, table),
            (Shape::Tables(inner), DeValue::Array(items)) => {
                self.list(items.iter(), |reader, item| match item.get_ref() {
                    DeValue::Table(table) => {
                        Some(reader.table(inner, table, &item.span(), &item.span()).value)
                    }
                    other => reader.wrong_kind(&item.span(), key.name, "a list of tables", other),
                })
            }
            (shape, other) => self.wrong_kind(&span, key.name, expected(shape), other)?,
        };
        Some(Node { span, value })
    }

    fn wrong_kind(
        &mut self,
        span: &Range<usize>,
        key: &str,
        expected: &str,
        found: &DeValue<'_>,
    ) -> Option<Value> {
        let message = format!("`{key}` takes {expected}, not {}", kind(found));
        let mut diagnostic = Diagnostic::new(&code::WRONG_KIND, span, message);
        if let (true, DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_)) =
            (expected == "text", found)
        {
            diagnostic = diagnostic.help("put it between quotes");
        }
        self.say(diagnostic);
        None
    }

    fn text(&mut self, form: Form, text: &str, span: &Range<usize>, what: &str) -> Option<Value> {
        if let Some(c) = hidden_in(text) {
            let message =
                format!("{what} holds the character U+{:04X}, which does not show", u32::from(c));
            self.say(
                Diagnostic::new(&code::HIDDEN_CHARACTER, span, message)
                    .help("write the text without it"),
            );
            return None;
        }
        if !form.fits(text) {
            let message = format!("{what} is not {}", form.expected());
            let mut diagnostic = Diagnostic::new(&code::MALFORMED, span, message);
            let foreign = text.chars().find(|c| !c.is_ascii() && c.is_alphanumeric());
            if let Some(c) = foreign.filter(|_| form.is_ascii()) {
                let help =
                    format!("the letter `{c}` is U+{:04X}, which is not ASCII", u32::from(c));
                diagnostic = diagnostic.help(help);
            }
            self.say(diagnostic);
            return None;
        }
        Some(Value::Text(text.to_owned()))
    }

    fn choice(
        &mut self,
        key: &str,
        choices: &[(&str, &str)],
        text: &str,
        span: &Range<usize>,
    ) -> Option<Value> {
        if choices.iter().any(|(choice, _)| *choice == text) {
            return Some(Value::Text(text.to_owned()));
        }
        let names: Vec<_> = choices.iter().map(|(choice, _)| *choice).collect();
        let message = format!("`{key}` cannot be `{}`", shown(text));
        self.say(Diagnostic::new(&code::UNKNOWN_CHOICE, span, message).help(
            match crate::diag::closest(text, &names) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("it can be {}", crate::diag::listed(&names)),
            },
        ));
        None
    }

    fn integer(&mut self, value: &Spanned<DeValue<'_>>, min: i64, max: i64) -> Option<Value> {
        let number = value
            .get_ref()
            .as_integer()
            .and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok());
        match number {
            Some(number) if (min..=max).contains(&number) => Some(Value::Integer(number)),
            _ if max == 1 => {
                let message = "this generator reads version 1 of the spec language";
                self.say(Diagnostic::new(&code::LANGUAGE_VERSION, &value.span(), message));
                None
            }
            _ => {
                let message = if number.is_some() {
                    format!("the number must be between {min} and {max}")
                } else {
                    "the number does not fit 64 bits".to_owned()
                };
                self.say(Diagnostic::new(&code::OUT_OF_RANGE, &value.span(), message));
                None
            }
        }
    }

    fn list<'a, 'i: 'a>(
        &mut self,
        items: impl Iterator<Item = &'a Spanned<DeValue<'i>>>,
        mut each: impl FnMut(&mut Self, &Spanned<DeValue<'i>>) -> Option<Value>,
    ) -> Value {
        Value::List(
            items
                .filter_map(|item| Some(Node { span: item.span(), value: each(self, item)? }))
                .collect(),
        )
    }

    fn values(&mut self, key: &str, table: &DeTable<'_>) -> Value {
        let mut entries = Vec::new();
        for (name, value) in in_order(table) {
            let span = value.span();
            let read = match value.get_ref() {
                DeValue::String(text) => Some(Value::Text(text.clone().into_owned())),
                DeValue::Integer(_) => self.integer(value, i64::MIN, i64::MAX),
                DeValue::Boolean(flag) => Some(Value::Boolean(*flag)),
                other => self.wrong_kind(&span, key, "texts, integers and booleans", other),
            };
            if let Some(value) = read {
                entries.push(Entry {
                    key: name.get_ref().clone().into_owned(),
                    key_span: name.span(),
                    node: Node { span, value },
                });
            }
        }
        Value::Table(entries)
    }

    fn named(&mut self, form: Form, inner: &Table, table: &DeTable<'_>) -> Value {
        let mut entries = Vec::new();
        for (name, value) in in_order(table) {
            let Some(Value::Text(key)) = self.text(
                form,
                name.get_ref(),
                &name.span(),
                &format!("the name of {}", article(inner.name)),
            ) else {
                self.refused.push(name.get_ref().to_string());
                continue;
            };
            match value.get_ref() {
                DeValue::Table(table) => {
                    let node = self.table(inner, table, &value.span(), &name.span());
                    entries.push(Entry { key, key_span: name.span(), node });
                }
                other => {
                    self.wrong_kind(&value.span(), &key, "a table", other);
                    self.refused.push(key);
                }
            }
        }
        Value::Table(entries)
    }
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Text(_) | Shape::Choice(_) => "text",
        Shape::Integer(..) => "an integer",
        Shape::Boolean => "`true` or `false`",
        Shape::Texts(_) => "a list of texts",
        Shape::Positions => "a list of integers",
        Shape::Values | Shape::Table(_) | Shape::Named(..) => "a table",
        Shape::Tables(_) => "a list of tables (`[[…]]`)",
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    match name {
        "spec" | "service" => format!("the {name}"),
        _ => format!("{article} {name}"),
    }
}

fn first_sentence(doc: &str) -> String {
    let sentence = doc.split_once(". ").map_or(doc, |(first, _)| first).trim_end_matches('.');
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().to_string() + chars.as_str())
}

/// A piece of the spec as a message quotes it: short, and without characters that do not show.
fn shown(text: &str) -> String {
    let visible = |c: char| if crate::text::is_hidden(c) { '\u{fffd}' } else { c };
    let mut shown: String = text.chars().take(40).map(visible).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}
