//! Parses the text of a spec into a tree that follows the grammar and keeps every position.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, code, listed, shown};
use crate::spec::grammar::{Form, Key, Language, Shape, Table, hidden_in};
use crate::spec::node::{Entry, Node, Value};
use crate::spec::words::{article, expected, kind};
use crate::spec::{help, syntax};

/// Reads a document that follows a grammar. Returns the tree, and the names whose declarations were rejected. `None` only
/// if there are syntax errors.
pub(super) fn document(
    grammar: &Table,
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Node, Vec<String>)> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        diagnostics.extend(syntax::errors(text));
        return None;
    }
    let language = Language::of(root.get_ref());
    let mut reader = Reader { language, diagnostics, rejected: Vec::new() };
    let whole = 0..0;
    let tree = reader.table(grammar, root.get_ref(), &whole, &whole);
    Some((tree, reader.rejected))
}

/// The name of a rejected declaration without a name: a reference to any name may mean it.
pub(super) const ANY: &str = "*";

struct Reader<'a> {
    language: Language,
    diagnostics: &'a mut Vec<Diagnostic>,
    rejected: Vec<String>,
}

type Entries<'a, 'i> = Vec<(&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>)>;

/// Returns the entries in the order of the file, because `DeTable` iterates by name.
fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Entries<'a, 'i> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

impl Reader<'_> {
    fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reads a table. Missing keys are reported at `named`, the position of its name.
    fn table(
        &mut self,
        table: &Table,
        given: &DeTable<'_>,
        span: &Range<usize>,
        named: &Range<usize>,
    ) -> Node {
        // The keys that were meant by unknown ones, with what was declared below them.
        let mut meant: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let language = self.language;
        let given_in_order = in_order(given);
        for (name, value) in &given_in_order {
            if table.key_in(language, name.get_ref()).is_some() {
                continue;
            }
            if let Some(key) =
                help::header_of(table, language, given, name.get_ref(), value.get_ref())
            {
                // The other keys below the missing header belong to the same table.
                if !meant.contains_key(key.name) {
                    let message = format!("`{}` belongs to `{}`", shown(name.get_ref()), key.name);
                    let parent = if table.name == "spec" { "" } else { "…." };
                    let help = format!("write `[{parent}{}]` above it", key.name);
                    self.say(Diagnostic::new(&code::UNKNOWN_KEY, &name.span(), message).help(help));
                }
                meant.entry(key.name).or_default();
                continue;
            }
            if let Some(other) = table.keys.iter().find(|key| key.name == name.get_ref()) {
                let (message, help) = help::other_language(table, other);
                self.say(Diagnostic::new(&code::OTHER_LANGUAGE, &name.span(), message).help(help));
                self.reject_below(value.get_ref());
                continue;
            }
            let (key, help) = help::unknown_key(table, language, name.get_ref(), value.get_ref());
            let message =
                format!("unknown key `{}` in {}", shown(name.get_ref()), article(table.name));
            self.say(Diagnostic::new(&code::UNKNOWN_KEY, &name.span(), message).help(help));
            let below = self.reject_below(value.get_ref());
            if let Some(key) = key {
                meant.entry(key).or_default().extend(below);
            }
        }
        let mut entries = Vec::new();
        for (name, value) in given_in_order {
            let Some(key) = table.key_in(language, name.get_ref()) else {
                continue;
            };
            let misplaced = meant.get(key.name).map(Vec::as_slice).unwrap_or_default();
            if let Some(node) = self.shape(key, value, &name.span(), misplaced) {
                entries.push(Entry { key: key.name.to_owned(), key_span: name.span(), node });
            }
        }
        for key in table.keys_in(language).filter(|key| key.required) {
            let is_given = given.keys().any(|name| name.get_ref() == key.name);
            if !is_given && !meant.contains_key(key.name) {
                let message = format!("missing key `{}` in {}", key.name, article(table.name));
                let diagnostic = Diagnostic::new(&code::MISSING_KEY, named, message);
                self.say(diagnostic.help(help::missing(table, key)));
            }
        }
        if table.exactly_one && given.len() != 1 {
            let keys: Vec<_> = table.keys_in(language).map(|key| key.name).collect();
            let message = format!(
                "{} must have exactly one of {}, but has {}",
                article(table.name),
                listed(&keys),
                given.len()
            );
            self.say(Diagnostic::new(&code::EXACTLY_ONE, named, message));
        }
        Node { span: span.clone(), value: Value::Table(entries) }
    }

    /// Marks everything that is declared below a rejected key as rejected, and returns its names.
    fn reject_below(&mut self, value: &DeValue<'_>) -> Vec<String> {
        let below = value.as_table().into_iter().flat_map(DeTable::keys);
        let below: Vec<_> = below.map(|name| name.get_ref().to_string()).collect();
        self.rejected.extend(below.iter().cloned());
        below
    }

    /// Reads the value of a key. `misplaced` are names that are also declared under a misspelt key.
    fn shape(
        &mut self,
        key: &Key,
        value: &Spanned<DeValue<'_>>,
        named: &Range<usize>,
        misplaced: &[String],
    ) -> Option<Node> {
        let span = value.span();
        let value = match (&key.shape, value.get_ref()) {
            (Shape::Text(form) | Shape::OneOrTwo(form), DeValue::String(text)) => {
                self.text(*form, text, &span, &format!("`{}`", key.name))?
            }
            (Shape::OneOrTwo(form), DeValue::Array(items)) if items.len() == 2 => {
                self.list(items.iter(), |reader, item| match item.get_ref() {
                    DeValue::String(text) => {
                        reader.text(*form, text, &item.span(), &format!("`{}`", key.name))
                    }
                    other => {
                        reader.wrong_kind(&item.span(), key.name, "a list of strings", other, None)
                    }
                })
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
                    other => {
                        reader.wrong_kind(&item.span(), key.name, "a list of strings", other, None)
                    }
                })
            }
            (Shape::Positions, DeValue::Array(items)) => {
                self.list(items.iter(), |reader, item| match item.get_ref() {
                    DeValue::Integer(_) => reader.integer(item, 0, 1_000_000),
                    other => {
                        reader.wrong_kind(&item.span(), key.name, "a list of integers", other, None)
                    }
                })
            }
            (Shape::Codes, DeValue::Array(items)) => {
                self.list(items.iter(), |reader, item| match item.get_ref() {
                    DeValue::String(text) if text.is_empty() => Some(Value::Text(String::new())),
                    DeValue::String(text) => {
                        reader.text(Form::Wire, text, &item.span(), &format!("`{}`", key.name))
                    }
                    DeValue::Integer(_) => reader.integer(item, i64::MIN, i64::MAX),
                    DeValue::Boolean(flag) => Some(Value::Boolean(*flag)),
                    other => {
                        let expected = expected(&key.shape);
                        reader.wrong_kind(&item.span(), key.name, expected, other, None)
                    }
                })
            }
            (Shape::Values, DeValue::Table(table)) => self.values(table, false),
            (Shape::Value, _) => self.single(key.name, value)?,
            (Shape::ValuesOrLists, DeValue::Table(table)) => self.values(table, true),
            (Shape::Table(inner), DeValue::Table(table)) => {
                return Some(self.table(inner, table, &span, named));
            }
            (Shape::Named(form, inner), DeValue::Table(table)) => {
                self.named(*form, inner, table, misplaced)?
            }
            (Shape::Tables(inner), DeValue::Array(items)) => {
                self.list(items.iter(), |reader, item| match item.get_ref() {
                    DeValue::Table(table) => {
                        Some(reader.table(inner, table, &item.span(), &item.span()).value)
                    }
                    other => {
                        reader.wrong_kind(&item.span(), key.name, "a list of tables", other, None)
                    }
                })
            }
            (Shape::Texts(form), DeValue::String(text)) => {
                let help = help::wrong_kind(self.language, key, value.get_ref());
                self.wrong_kind(&span, key.name, expected(&key.shape), value.get_ref(), help);
                // The text is used as if it were in brackets, so that it does not seem to be missing.
                let value = self.text(*form, text, &span, &format!("`{}`", key.name))?;
                Value::List(vec![Node { span: span.clone(), value }])
            }
            (shape, other) => {
                let help = help::wrong_kind(self.language, key, other);
                self.wrong_kind(&span, key.name, expected(shape), other, help)?
            }
        };
        Some(Node { span, value })
    }

    fn wrong_kind(
        &mut self,
        span: &Range<usize>,
        key: &str,
        expected: &str,
        found: &DeValue<'_>,
        help: Option<String>,
    ) -> Option<Value> {
        let message = format!("`{key}` must be {expected}, not {}", kind(found));
        let diagnostic = Diagnostic::new(&code::WRONG_KIND, span, message);
        self.say(Diagnostic { help, ..diagnostic });
        None
    }

    fn text(&mut self, form: Form, text: &str, span: &Range<usize>, what: &str) -> Option<Value> {
        if let Some(c) = hidden_in(text) {
            let message = format!("{what} contains the invisible character U+{:04X}", u32::from(c));
            self.say(
                Diagnostic::new(&code::HIDDEN_CHARACTER, span, message)
                    .help("remove the character"),
            );
            return None;
        }
        if !form.fits(text) {
            let message = if text.trim().is_empty() {
                format!("{what} must not be empty")
            } else {
                format!("{what} must be {}", form.expected())
            };
            let diagnostic = Diagnostic::new(&code::MALFORMED, span, message);
            let help = help::malformed(form, text, what);
            self.say(Diagnostic { help, ..diagnostic });
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
        if self.language == Language::One && help::is_later_choice(key, text) {
            let message = format!("`{key} = \"{text}\"` needs `spec-language = 2`");
            let help = format!("in language 1, expected {}", listed(&names));
            self.say(Diagnostic::new(&code::OTHER_LANGUAGE, span, message).help(help));
            return None;
        }
        let message = format!("unknown value `{}` of `{key}`", shown(text));
        let diagnostic = Diagnostic::new(&code::UNKNOWN_CHOICE, span, message);
        let diagnostic = diagnostic.suggest(text, &names);
        self.say(match names.as_slice() {
            [only] => diagnostic.help(format!(
                "version {} of the language has only `{only}`",
                self.language.number()
            )),
            _ => diagnostic,
        });
        None
    }

    fn integer(&mut self, value: &Spanned<DeValue<'_>>, min: i64, max: i64) -> Option<Value> {
        let number = value
            .get_ref()
            .as_integer()
            .and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok());
        match number {
            Some(number) if (min..=max).contains(&number) => Some(Value::Integer(number)),
            _ if min == max => {
                let message = "unsupported version of the spec language";
                let help =
                    "this generator reads versions 1 and 2; a newer spec needs a newer generator";
                self.say(
                    Diagnostic::new(&code::LANGUAGE_VERSION, &value.span(), message).help(help),
                );
                None
            }
            _ => {
                let message = if number.is_some() {
                    format!("the number must be between {min} and {max}")
                } else {
                    "the number does not fit in a signed 64-bit integer".to_owned()
                };
                self.say(Diagnostic::new(&code::OUT_OF_RANGE, &value.span(), message));
                None
            }
        }
    }

    fn float(&mut self, text: &str, span: &Range<usize>) -> Option<Value> {
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        if number.is_none() {
            let message = "the number is not finite";
            self.say(Diagnostic::new(&code::OUT_OF_RANGE, span, message));
        }
        number.map(|_| Value::Float(text.to_owned()))
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

    fn values(&mut self, table: &DeTable<'_>, has_lists: bool) -> Value {
        let mut entries = Vec::new();
        for (name, value) in in_order(table) {
            let span = value.span();
            let name_of = name.get_ref();
            let read = match value.get_ref() {
                DeValue::Array(items) if has_lists => {
                    Some(self.list(items.iter(), |reader, item| reader.single(name_of, item)))
                }
                _ => self.single(name_of, value),
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

    fn single(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let span = value.span();
        match value.get_ref() {
            DeValue::String(text) => Some(Value::Text(text.clone().into_owned())),
            DeValue::Integer(_) => self.integer(value, i64::MIN, i64::MAX),
            DeValue::Float(number) => self.float(number.as_str(), &span),
            DeValue::Boolean(flag) => Some(Value::Boolean(*flag)),
            other => {
                let expected = "a string, a number or a boolean";
                self.wrong_kind(&span, name, expected, other, None)
            }
        }
    }

    /// Reads a table of named tables. Returns `None` if all of them were rejected.
    fn named(
        &mut self,
        form: Form,
        inner: &Table,
        table: &DeTable<'_>,
        misplaced: &[String],
    ) -> Option<Value> {
        if let Some((name, _)) = in_order(table).into_iter().find(|(name, value)| {
            let is_key = inner.key_in(self.language, name.get_ref()).is_some();
            is_key && !matches!(value.get_ref(), DeValue::Table(_))
        }) {
            let message = format!(
                "`{}` is a key of {}, which has no name",
                name.get_ref(),
                article(inner.name)
            );
            let help =
                format!("write `[{}.NAME]` above it", inner.name.replace("parameter", "….param"));
            self.say(Diagnostic::new(&code::UNKNOWN_KEY, &name.span(), message).help(help));
            self.rejected.extend(table.keys().map(|name| name.get_ref().to_string()));
            self.rejected.push(ANY.to_owned());
            return None;
        }
        let mut entries = Vec::new();
        for (name, value) in in_order(table) {
            // The declaration would seem to lack what is below the misspelt key.
            if misplaced.iter().any(|misplaced| misplaced == name.get_ref()) {
                continue;
            }
            let Some(Value::Text(key)) = self.text(
                form,
                name.get_ref(),
                &name.span(),
                &format!("the name of {}", article(inner.name)),
            ) else {
                // References may use the written name or the correct one.
                self.rejected.push(name.get_ref().to_string());
                self.rejected.extend(help::corrected(form, name.get_ref()));
                continue;
            };
            match value.get_ref() {
                DeValue::Table(table) if help::is_dotted(inner, self.language, table) => {
                    let message = format!("`{}` has a dot, which needs quotes", shown(&key));
                    let diagnostic = Diagnostic::new(&code::MALFORMED, &name.span(), message);
                    let help = "put the whole name in quotes; the keys of a nested object need a model of their own";
                    self.say(diagnostic.help(help));
                    self.rejected.push(key);
                }
                DeValue::Table(table) => {
                    let node = self.table(inner, table, &value.span(), &name.span());
                    entries.push(Entry { key, key_span: name.span(), node });
                }
                other => {
                    let help = format!("write `{key} = {}`", help::sample(inner, self.language));
                    self.wrong_kind(&value.span(), &key, "a table", other, Some(help));
                    self.rejected.push(key);
                }
            }
        }
        (table.is_empty() || !entries.is_empty()).then_some(Value::Table(entries))
    }
}
