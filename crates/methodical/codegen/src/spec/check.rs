//! Checks a TOML file against the JSON Schema of its language, and reports every mistake with its position.
//!
//! serde stops at the first mistake and knows no similar names, so it reads only files that passed this check.

use std::collections::BTreeMap;
use std::ops::Range;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, closest, code, listed, shown};
use crate::spec::form::{Form, corrected};
use crate::text::is_hidden;

/// Returns the JSON Schema of a type.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let mut schema =
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    without_null(&mut schema);
    schema
}

/// Returns the JSON Schema for editors, which do not know our forms.
pub(crate) fn for_editors<T: JsonSchema>() -> Value {
    fn remove(value: &mut Value) {
        match value {
            Value::Object(members) => {
                // A key of a table with this name has an object.
                members.retain(|key, value| key != "form" || value.is_object());
                members.values_mut().for_each(remove);
            }
            Value::Array(items) => items.iter_mut().for_each(remove),
            _ => {}
        }
    }
    let mut schema = schema::<T>();
    remove(&mut schema);
    schema
}

/// Removes what `Option` adds to a schema: TOML has no null.
fn without_null(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(types) = members.get_mut("type").and_then(Value::as_array_mut) {
                types.retain(|one| one != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    members.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(mut any)) = members.remove("anyOf") {
                any.retain(|one| *one != json!({ "type": "null" }));
                match any.pop() {
                    Some(Value::Object(only)) if any.is_empty() => members.extend(only),
                    last => {
                        any.extend(last);
                        members.insert("anyOf".to_owned(), Value::Array(any));
                    }
                }
            }
            // A key of a table with this name has an object.
            if members.get("default").is_some_and(|default| !default.is_object()) {
                members.remove("default");
            }
            members.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Reports the mistakes in a document, and returns the positions of the keys by those of their values.
pub(super) fn document(
    schema: &Value,
    document: &DeTable<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeMap<usize, Range<usize>> {
    let mut check = Check { root: schema, diagnostics, keys: BTreeMap::new() };
    check.table(schema, document, &(0..0), &[]);
    check.keys
}

struct Check<'a> {
    root: &'a Value,
    diagnostics: &'a mut Vec<Diagnostic>,
    keys: BTreeMap<usize, Range<usize>>,
}

/// The values that a schema allows.
enum Kind<'a> {
    Text(&'a str),
    Words(Vec<&'a str>),
    Version(i64),
    Integer,
    Boolean,
    Single(&'a [Value]),
    List(&'a Value),
    Table,
    Named(&'a str, &'a Value),
    Either(&'a [Value]),
}

type Properties<'a> = &'a Map<String, Value>;

impl<'a> Check<'a> {
    fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let name =
            schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
        name.and_then(|name| self.root.get("$defs")?.get(name)).unwrap_or(schema)
    }

    fn kind(&self, schema: &'a Value) -> Kind<'a> {
        let schema = self.resolved(schema);
        let list = |key: &str| schema.get(key).and_then(Value::as_array).map(Vec::as_slice);
        if let Some(version) = schema.get("const").and_then(Value::as_i64) {
            return Kind::Version(version);
        }
        if let Some(words) = list("oneOf") {
            return Kind::Words(
                words.iter().filter_map(|one| one.get("const")?.as_str()).collect(),
            );
        }
        if let Some(any) = list("anyOf") {
            return Kind::Either(any);
        }
        match (schema.get("type").and_then(Value::as_str), schema.get("propertyNames")) {
            (Some("string"), _) => {
                Kind::Text(schema.get("form").and_then(Value::as_str).unwrap_or_default())
            }
            (Some("integer"), _) => Kind::Integer,
            (Some("boolean"), _) => Kind::Boolean,
            (Some("array"), _) => Kind::List(schema.get("items").unwrap_or(schema)),
            (Some("object"), Some(names)) => Kind::Named(
                names.get("form").and_then(Value::as_str).unwrap_or_default(),
                schema.get("additionalProperties").unwrap_or(schema),
            ),
            (None, _) if list("type").is_some() => Kind::Single(list("type").unwrap_or_default()),
            _ => Kind::Table,
        }
    }

    fn properties(&self, schema: &'a Value) -> Option<Properties<'a>> {
        self.resolved(schema).get("properties")?.as_object()
    }

    fn required(&self, schema: &'a Value) -> Vec<&'a str> {
        let required = self.resolved(schema).get("required").and_then(Value::as_array);
        required.map(|names| names.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    }

    fn title(&self, schema: &'a Value) -> &'a str {
        self.resolved(schema).get("title").and_then(Value::as_str).unwrap_or_default()
    }

    /// Checks a table. Missing keys are reported at its name. Declarations in `skipped` have further keys elsewhere.
    fn table(
        &mut self,
        schema: &'a Value,
        given: &DeTable<'_>,
        named: &Range<usize>,
        skipped: &[String],
    ) {
        let Some(properties) = self.properties(schema) else { return };
        let title = self.title(schema);
        let known: Vec<_> = properties.keys().map(String::as_str).collect();
        // The keys that were meant by unknown ones, with what is declared below them.
        let mut meant: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (name, value) in in_order(given) {
            if properties.contains_key(&**name.get_ref()) {
                continue;
            }
            let written = shown(name.get_ref());
            if let Some(key) = self.header_of(schema, given, name.get_ref(), value.get_ref()) {
                // The other keys below the missing header belong to the same table.
                if meant.insert(key, Vec::new()).is_none() {
                    let parent = if title == "spec" { "" } else { "…." };
                    self.say(
                        Diagnostic::new(
                            &code::UNKNOWN_KEY,
                            &name.span(),
                            format!("`{written}` belongs to `{key}`"),
                        )
                        .help(format!("write `[{parent}{key}]` above it")),
                    );
                }
                continue;
            }
            let close = closest(name.get_ref(), &known);
            let help = match (title, value.get_ref().as_str(), close) {
                ("operation", Some("GET" | "POST"), _) => {
                    "write `verb = \"get\"` or `verb = \"post\"`".to_owned()
                }
                (.., Some(key)) => format!("did you mean `{key}`?"),
                _ => format!("expected {}", listed(&known)),
            };
            let message = format!("unknown key `{written}` in {}", article(title));
            self.say(Diagnostic::new(&code::UNKNOWN_KEY, &name.span(), message).help(help));
            let below = value.get_ref().as_table().into_iter().flat_map(DeTable::keys);
            if let Some(key) = close {
                meant.entry(key).or_default().extend(below.map(|name| name.get_ref().to_string()));
            }
        }
        for (name, value) in in_order(given) {
            if let Some(property) = properties.get(&**name.get_ref()) {
                self.keys.insert(value.span().start, name.span());
                let skipped = meant.get(&**name.get_ref()).map_or(skipped, Vec::as_slice);
                self.value(name.get_ref(), property, value, &name.span(), skipped);
            }
        }
        for key in self.required(schema) {
            let property = properties.get(key).unwrap_or(schema);
            if !given.contains_key(key) && !meant.contains_key(key) {
                let written = match self.kind(property) {
                    _ if title != "spec" => key.to_owned(),
                    Kind::Table => format!("[{key}]"),
                    Kind::Named(..) => format!("[{key}.…]"),
                    Kind::List(_) => format!("[[{key}]]"),
                    _ => key.to_owned(),
                };
                let message = format!("missing key `{key}` in {}", article(title));
                let help = format!("add `{written}`: {}", first_sentence(property));
                self.say(Diagnostic::new(&code::MISSING_KEY, named, message).help(help));
            }
        }
        if self.resolved(schema).get("maxProperties").is_some() && given.len() != 1 {
            let all = listed(&known);
            let message = format!(
                "{} must have exactly one of {all}, but has {}",
                article(title),
                given.len()
            );
            self.say(Diagnostic::new(&code::EXACTLY_ONE, named, message));
        }
    }

    /// Checks the value of a key.
    fn value(
        &mut self,
        key: &str,
        schema: &'a Value,
        value: &Spanned<DeValue<'_>>,
        named: &Range<usize>,
        skipped: &[String],
    ) {
        let span = value.span();
        match (self.kind(schema), value.get_ref()) {
            (Kind::Text(form), DeValue::String(text)) => {
                self.text(form, text, &span, &format!("`{key}`"));
            }
            (Kind::Words(words), DeValue::String(text)) => {
                if !words.contains(&&**text) {
                    let message = format!("unknown value `{}` of `{key}`", shown(text));
                    self.say(
                        Diagnostic::new(&code::UNKNOWN_CHOICE, &span, message)
                            .suggest(text, &words),
                    );
                }
            }
            (Kind::Version(version), _) => {
                if integer(value.get_ref()) != Some(version) {
                    let help = format!(
                        "this generator reads version {version}; a newer spec needs a newer generator"
                    );
                    let message = "unsupported version of the spec language";
                    self.say(Diagnostic::new(&code::LANGUAGE_VERSION, &span, message).help(help));
                }
            }
            (Kind::Integer, DeValue::Integer(_)) => self.integer(schema, value),
            (Kind::Boolean, DeValue::Boolean(_)) => {}
            (Kind::Single(types), found) if is_one_of(types, found) => {
                self.single(key, schema, value);
            }
            (Kind::List(items), DeValue::Array(given)) if self.allows(schema, given.len()) => {
                for item in given {
                    if self.accepts(items, item.get_ref()) {
                        self.value(key, items, item, &item.span(), &[]);
                    } else {
                        self.wrong_kind(key, schema, item, None);
                    }
                }
            }
            (Kind::Table, DeValue::Table(given)) => self.table(schema, given, named, skipped),
            (Kind::Named(form, inner), DeValue::Table(given)) => {
                self.named(key, form, inner, given, skipped);
            }
            (Kind::Either(any), found) => match any.iter().find(|one| self.accepts(one, found)) {
                Some(one) => self.value(key, one, value, named, &[]),
                None => self.wrong_kind(key, schema, value, None),
            },
            (_, found) => {
                let help = self.help(key, schema, found);
                self.wrong_kind(key, schema, value, help);
            }
        }
    }

    /// Returns whether a value is of the kind of a schema.
    fn accepts(&self, schema: &'a Value, value: &DeValue<'_>) -> bool {
        match (self.kind(schema), value) {
            (Kind::Single(types), value) => is_one_of(types, value),
            (Kind::List(_), DeValue::Array(items)) => self.allows(schema, items.len()),
            (Kind::Text(_) | Kind::Words(_), DeValue::String(_))
            | (Kind::Integer | Kind::Version(_), DeValue::Integer(_))
            | (Kind::Boolean, DeValue::Boolean(_))
            | (Kind::Table | Kind::Named(..), DeValue::Table(_)) => true,
            _ => false,
        }
    }

    fn allows(&self, schema: &'a Value, length: usize) -> bool {
        let only = self.resolved(schema).get("maxItems").and_then(Value::as_u64);
        only.is_none_or(|only| usize::try_from(only) == Ok(length))
    }

    fn wrong_kind(
        &mut self,
        key: &str,
        schema: &'a Value,
        found: &Spanned<DeValue<'_>>,
        help: Option<String>,
    ) {
        let message =
            format!("`{key}` must be {}, not {}", self.expected(schema), kind_of(found.get_ref()));
        let diagnostic = Diagnostic::new(&code::WRONG_KIND, &found.span(), message);
        self.say(Diagnostic { help, ..diagnostic });
    }

    fn single(&mut self, key: &str, schema: &'a Value, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Integer(_) => self.integer(schema, value),
            DeValue::Float(number) if !number.as_str().parse::<f64>().is_ok_and(f64::is_finite) => {
                self.say(Diagnostic::new(
                    &code::OUT_OF_RANGE,
                    &value.span(),
                    "the number is not finite",
                ));
            }
            DeValue::String(text) => self.hidden(text, &value.span(), &format!("`{key}`")),
            _ => {}
        }
    }

    fn hidden(&mut self, text: &str, span: &Range<usize>, what: &str) {
        if let Some(c) = text.chars().find(|&c| is_hidden(c) && c != '\n') {
            let message = format!("{what} contains the invisible character U+{:04X}", u32::from(c));
            self.say(
                Diagnostic::new(&code::HIDDEN_CHARACTER, span, message)
                    .help("remove the character"),
            );
        }
    }

    fn text(&mut self, name: &str, text: &str, span: &Range<usize>, what: &str) {
        let before = self.diagnostics.len();
        self.hidden(text, span, what);
        let Some(form) = Form::of(name) else { return };
        if self.diagnostics.len() > before || Form::fits(name, text) {
            return;
        }
        let message = if text.trim().is_empty() {
            format!("{what} must not be empty")
        } else {
            format!("{what} must be {}", form.expected)
        };
        let diagnostic = Diagnostic::new(&code::MALFORMED, span, message);
        self.say(Diagnostic { help: malformed(name, text, what), ..diagnostic });
    }

    fn integer(&mut self, schema: &'a Value, value: &Spanned<DeValue<'_>>) {
        let schema = self.resolved(schema);
        let bound = |key: &str, or: i64| schema.get(key).and_then(Value::as_i64).unwrap_or(or);
        let (min, max) = (bound("minimum", i64::MIN), bound("maximum", i64::MAX));
        let message = match integer(value.get_ref()) {
            Some(number) if (min..=max).contains(&number) => return,
            Some(_) => format!("the number must be between {min} and {max}"),
            None => "the number does not fit in a signed 64-bit integer".to_owned(),
        };
        self.say(Diagnostic::new(&code::OUT_OF_RANGE, &value.span(), message));
    }

    /// Checks a table of declarations by name.
    fn named(
        &mut self,
        key: &str,
        form: &str,
        inner: &'a Value,
        given: &DeTable<'_>,
        skipped: &[String],
    ) {
        let is_table = self.properties(inner).is_some();
        let properties = self.properties(inner);
        let has = |name: &str| properties.is_some_and(|all| all.contains_key(name));
        let what = article(self.title(inner));
        if let Some((name, _)) = in_order(given)
            .into_iter()
            .find(|(name, value)| has(name.get_ref()) && value.get_ref().as_table().is_none())
        {
            let message = format!("`{}` is a key of {what}, which has no name", name.get_ref());
            let place = if matches!(key, "param" | "field" | "value") { "…." } else { "" };
            let help = format!("write `[{place}{key}.NAME]` above it");
            self.say(Diagnostic::new(&code::UNKNOWN_KEY, &name.span(), message).help(help));
            return;
        }
        for (name, value) in in_order(given) {
            // The declaration would seem to lack what is below a misspelt key.
            if skipped.iter().any(|skipped| skipped == name.get_ref()) {
                continue;
            }
            self.text(form, name.get_ref(), &name.span(), &format!("the name of {what}"));
            self.keys.insert(value.span().start, name.span());
            let below = value.get_ref().as_table().filter(|_| is_table);
            if let Some(below) = below
                && !below.is_empty()
                && below.iter().all(|(name, value)| {
                    !has(name.get_ref())
                        && value
                            .get_ref()
                            .as_table()
                            .is_some_and(|one| one.keys().any(|key| has(key.get_ref())))
                })
            {
                let message = format!("`{}` has a dot, which needs quotes", shown(name.get_ref()));
                let help = "put the whole name in quotes; the keys of a nested object need a model of their own";
                self.say(Diagnostic::new(&code::MALFORMED, &name.span(), message).help(help));
                continue;
            }
            if is_table && below.is_none() {
                let help = format!("write `{} = {}`", name.get_ref(), self.sample(inner));
                self.wrong_kind(name.get_ref(), inner, value, Some(help));
            } else {
                let is_word = matches!(self.kind(inner), Kind::Words(_));
                let key = if is_word { key } else { name.get_ref() };
                self.value(key, inner, value, &name.span(), &[]);
            }
        }
    }

    /// Returns the missing table to which a key of another table belongs, if only the header of that table seems to be
    /// missing.
    fn header_of(
        &self,
        schema: &'a Value,
        given: &DeTable<'_>,
        written: &str,
        value: &DeValue<'_>,
    ) -> Option<&'a str> {
        let has = |table: &'a Value, key: &str| {
            self.properties(table).is_some_and(|all| all.contains_key(key))
        };
        let properties = self.properties(schema)?;
        let missing = self.required(schema).into_iter().filter(|key| !given.contains_key(*key));
        missing.into_iter().find(|key| {
            match (properties.get(*key).map(|one| self.kind(one)), value) {
                (Some(Kind::Table), _) => {
                    properties.get(*key).is_some_and(|table| has(table, written))
                }
                (Some(Kind::Named(_, inner)), DeValue::Table(value)) => {
                    value.keys().any(|key| has(inner, key.get_ref()))
                }
                _ => false,
            }
        })
    }

    /// Returns the kind of value that a schema takes.
    fn expected(&self, schema: &'a Value) -> String {
        match self.kind(schema) {
            Kind::Text(_) | Kind::Words(_) => "a string".to_owned(),
            Kind::Integer | Kind::Version(_) => "an integer".to_owned(),
            Kind::Boolean => "`true` or `false`".to_owned(),
            Kind::Single(_) => "a string, a number or a boolean".to_owned(),
            Kind::Either(any) => {
                any.iter().map(|one| self.expected(one)).collect::<Vec<_>>().join(" or ")
            }
            Kind::Table | Kind::Named(..) => "a table".to_owned(),
            Kind::List(items) => {
                let two = if self.allows(schema, 1) { "" } else { "two " };
                let of = match self.kind(items) {
                    Kind::Table => "tables (`[[…]]`)",
                    Kind::Integer => "integers",
                    Kind::Single(_) => "strings, integers or booleans",
                    _ => "strings",
                };
                format!("a list of {two}{of}")
            }
        }
    }

    /// Returns the fix for a value of the wrong kind.
    fn help(&self, key: &str, schema: &'a Value, found: &DeValue<'_>) -> Option<String> {
        Some(match (self.kind(schema), found) {
            (Kind::List(items), DeValue::Table(_)) if matches!(self.kind(items), Kind::Table) => {
                format!("write `[[{key}]]`, with two brackets")
            }
            (Kind::Table | Kind::Named(..), DeValue::Array(items))
                if items.iter().any(|one| one.get_ref().is_table()) =>
            {
                format!("write `[{key}]` or `[….{key}]`, with one bracket")
            }
            (Kind::Table, _) if self.resolved(schema).get("maxProperties").is_some() => {
                let keys = self.properties(schema).into_iter().flat_map(Map::keys);
                let keys: Vec<_> = keys.map(|inner| format!("{key}.{inner}")).collect();
                format!("write {}", listed(&keys.iter().map(String::as_str).collect::<Vec<_>>()))
            }
            (Kind::Table, _) => format!("write `{key} = {}`", self.sample(schema)),
            (Kind::Named(_, inner), _) if self.properties(inner).is_none() => {
                format!("write `{key} = {{ NAME = … }}`")
            }
            (Kind::Named(_, inner), _) => format!(
                "declare each {} by its name: `{key}.NAME = {}`",
                self.title(inner),
                self.sample(inner)
            ),
            (Kind::Words(words), _) => format!("expected {}", listed(&words)),
            (Kind::Integer, DeValue::String(text)) if text.parse::<i64>().is_ok() => {
                "remove the quotes".to_owned()
            }
            (Kind::Boolean, DeValue::String(text)) => match &*text.to_lowercase() {
                "true" | "yes" => "write `true`".to_owned(),
                "false" | "no" => "write `false`".to_owned(),
                _ => return None,
            },
            (Kind::Text("AnyType"), DeValue::Array(items)) if items.len() > 1 => {
                "declare the values as an enum, and use its name".to_owned()
            }
            (Kind::Text("AnyType"), DeValue::Array(_)) => LIST.to_owned(),
            (Kind::Text("AnyType"), DeValue::Table(_)) => MAP.to_owned(),
            (Kind::Text(_), DeValue::Boolean(_)) => {
                format!("write text: {}", first_sentence(schema))
            }
            (Kind::Text(_), DeValue::Integer(_) | DeValue::Float(_)) => {
                "put the value in quotes".to_owned()
            }
            (Kind::List(items), found) if self.accepts(items, found) => {
                "put the value in brackets".to_owned()
            }
            _ => return None,
        })
    }

    /// Returns a table with its required keys.
    fn sample(&self, table: &'a Value) -> String {
        let keys: Vec<_> =
            self.required(table).into_iter().map(|key| format!("{key} = …")).collect();
        format!("{{ {} }}", keys.join(", "))
    }
}

/// The hint for a list.
pub(super) const LIST: &str = "write a list as `list<text>`, with the type of its values";

/// The hint for a type of another form.
const TYPES: &str = "write `text`, `list<text>` or `map<text>`, or another type; an optional field has `presence = \"optional\"`";

/// The hint for an object.
pub(super) const MAP: &str = "declare the object as `[model.…]`, and use its name; without fixed keys, write `map<text>`, with the type of its values";

/// Returns the entries in the order of the file, because `DeTable` iterates by name.
fn in_order<'a, 'i>(
    table: &'a DeTable<'i>,
) -> Vec<(&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// Returns whether a value has one of some types of a JSON Schema.
fn is_one_of(types: &[Value], value: &DeValue<'_>) -> bool {
    let allowed: &[&str] = match value {
        DeValue::String(_) => &["string"],
        DeValue::Integer(_) => &["integer", "number"],
        DeValue::Float(_) => &["number"],
        DeValue::Boolean(_) => &["boolean"],
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => &[],
    };
    types.iter().any(|one| allowed.iter().any(|allowed| one == allowed))
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

/// Returns the name of a table with its article.
fn article(title: &str) -> String {
    let article = if title.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    match title {
        "spec" | "service" | "configuration" => format!("the {title}"),
        title if title.starts_with('`') => title.to_owned(),
        _ => format!("{article} {title}"),
    }
}

/// Returns the fix for a text that does not have its form.
fn malformed(form: &str, text: &str, what: &str) -> Option<String> {
    if what == "`operation`" && text.contains(['.', '/']) {
        return Some(
            "write the name in `[operation.NAME]`, not the value of its selector".to_owned(),
        );
    }
    let foreign = text.chars().find(|c| !c.is_ascii() && c.is_alphanumeric());
    if let Some(c) = foreign.filter(|_| !matches!(form, "Prose" | "Line" | "Wire")) {
        return Some(format!("replace `{c}` (U+{:04X}) with an ASCII letter", u32::from(c)));
    }
    if form == "AnyType" {
        return Some(TYPES.to_owned());
    }
    if form == "Select" && text.contains(['=', '&']) {
        return Some(
            "write only the value of the selector, and declare the rest as parameters".to_owned(),
        );
    }
    if form == "Bracketed" && text.ends_with("[]") {
        return Some("a list is declared without brackets, with `style = \"bracket\"`".to_owned());
    }
    let corrected = corrected(form, text)?;
    Some(if form == "Path" && text.contains("://") {
        format!("write `{corrected}`; the base URL of a client has the host")
    } else {
        format!("did you mean `{corrected}`?")
    })
}

/// Returns the first sentence of a description, as a part of another sentence.
fn first_sentence(schema: &Value) -> String {
    let doc = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let sentence = doc.split_once(". ").map_or(doc, |(first, _)| first).trim_end_matches('.');
    let mut chars = sentence.chars();
    match chars.next() {
        // An abbreviation, such as "JSON", stays in capitals.
        Some(first) if !chars.as_str().starts_with(char::is_uppercase) => {
            first.to_lowercase().to_string() + chars.as_str()
        }
        _ => sentence.to_owned(),
    }
}
