//! The fixes that messages about the grammar suggest.

use toml::de::{DeTable, DeValue};

use crate::diag::{closest, listed};
use crate::ir::{Meaning, RustName, Wire};
use crate::spec::foreign;
use crate::spec::grammar::{Form, Key, Language, Shape, Table};
use crate::spec::words::article;

/// Returns the fix for a missing key of a table.
pub(super) fn missing(table: &Table, key: &Key) -> String {
    let written = match key.shape {
        _ if table.name != "spec" => key.name.to_owned(),
        Shape::Table(_) => format!("[{}]", key.name),
        Shape::Named(..) => format!("[{}.…]", key.name),
        Shape::Tables(_) => format!("[[{}]]", key.name),
        _ => key.name.to_owned(),
    };
    format!("add `{written}`: {}", first_sentence(key.doc))
}

/// Returns the key that an unknown one probably means, and the fix.
pub(super) fn unknown_key(
    table: &Table,
    language: Language,
    written: &str,
    value: &DeValue<'_>,
) -> (Option<&'static str>, String) {
    let keys: Vec<_> = table.keys_in(language).map(|key| key.name).collect();
    if let Some(help) = foreign::unsupported(table.name, written, value.as_str()) {
        return (None, help.to_owned());
    }
    if let Some(key) = closest(written, &keys) {
        return (Some(key), format!("did you mean `{key}`?"));
    }
    let synonym = foreign::key(table.name, written);
    match table.keys_in(language).find(|key| Some(key.name) == synonym) {
        Some(key) => (Some(key.name), format!("use `{}`: {}", key.name, first_sentence(key.doc))),
        None => (None, format!("expected {}", listed(&keys))),
    }
}

/// Returns whether only version 2 of the language has a value of a key.
pub(super) fn is_later_choice(key: &str, text: &str) -> bool {
    let is_plain = |wire: &Wire| Wire::PLAIN_WORDS.iter().any(|(word, _)| *word == wire.word());
    match key {
        "wire" => Wire::of(text).is_some_and(|wire| !is_plain(&wire)),
        "meaning" => Meaning::of(text).is_some_and(|meaning| meaning.since == 2),
        _ => false,
    }
}

/// Returns the message about a key of another version of the language, and the fix.
pub(super) fn other_language(table: &Table, key: &Key) -> (String, &'static str) {
    let message = if key.only == Some(Language::One) {
        format!("language 2 has no `{}` in {}", key.name, article(table.name))
    } else {
        format!("`{}` needs `spec-language = 2`", key.name)
    };
    let help = match (key.only, table.name, key.name) {
        (Some(Language::One), "service", "selector") => "write `selector` in `[dispatch]`",
        (Some(Language::One), "service", "auth") => "write `bearer = {}` in `[auth]`",
        (Some(Language::One), "response", "array") => "write `response.list = { of = … }`",
        (Some(Language::One), "response", "envelope") => {
            "declare `[envelope.NAME]`, and write `response.list = { of = …, at = …, envelope = … }`"
        }
        (_, "spec", "dispatch") => {
            "in language 1, write `selector` in `[service]`; `spec upgrade` rewrites a valid spec in language 2"
        }
        (_, "spec", "auth") => {
            "in language 1, write `auth = \"bearer\"` in `[service]`; `spec upgrade` rewrites a valid spec in language 2"
        }
        (_, "response", "list") => {
            "in language 1, write `array` for a bare list; `spec upgrade` rewrites a valid spec in language 2"
        }
        _ if key.only == Some(Language::Two) => {
            "remove it, run `spec upgrade`, which rewrites a valid spec in language 2, and add it again"
        }
        _ => "`explain GW039` lists the differences between the languages",
    };
    (message, help)
}

/// Returns the missing table to which a key of another table belongs, if it seems that only the
/// header of that table is missing.
pub(super) fn header_of(
    table: &Table,
    language: Language,
    given: &DeTable<'_>,
    written: &str,
    value: &DeValue<'_>,
) -> Option<&'static Key> {
    let has = |table: &Table, key: &str| table.key_in(language, key).is_some();
    let is_missing = |key: &&Key| !given.keys().any(|given| given.get_ref() == key.name);
    let mut missing = table.keys_in(language).filter(|key| key.required).filter(is_missing);
    missing.find(|key| match (&key.shape, value) {
        (Shape::Table(inner), _) => has(inner, written),
        (Shape::Named(_, inner), DeValue::Table(value)) => {
            value.keys().any(|key| has(inner, key.get_ref()))
        }
        _ => false,
    })
}

/// Returns whether the name of a table was divided at a dot: all that it contains are tables with
/// the keys that it should have.
pub(super) fn is_dotted(inner: &Table, language: Language, table: &DeTable<'_>) -> bool {
    let is_key = |name: &str| inner.key_in(language, name).is_some();
    !table.is_empty()
        && table.iter().all(|(name, value)| {
            let below = value.get_ref().as_table();
            !is_key(name.get_ref())
                && below.is_some_and(|below| below.keys().any(|key| is_key(key.get_ref())))
        })
}

/// Returns the fix for a value of the wrong kind.
pub(super) fn wrong_kind(language: Language, key: &Key, found: &DeValue<'_>) -> Option<String> {
    let name = key.name;
    Some(match (&key.shape, found) {
        (Shape::Tables(_), DeValue::Table(_)) => format!("write `[[{name}]]`, with two brackets"),
        (Shape::Table(_) | Shape::Named(..), DeValue::Array(items))
            if items.iter().any(|item| matches!(item.get_ref(), DeValue::Table(_))) =>
        {
            format!("write `[{name}]` or `[….{name}]`, with one bracket")
        }
        (Shape::Table(table), _) if table.exactly_one => {
            let keys: Vec<_> =
                table.keys_in(language).map(|key| format!("{name}.{}", key.name)).collect();
            let keys: Vec<_> = keys.iter().map(String::as_str).collect();
            format!("write {}", listed(&keys))
        }
        (Shape::Table(table), _) => format!("write `{name} = {}`", sample(table, language)),
        (Shape::Named(_, table), _) => {
            format!(
                "declare each {} by its name: `{name}.NAME = {}`",
                table.name,
                sample(table, language)
            )
        }
        (Shape::Choice(choices), _) => {
            format!(
                "expected {}",
                listed(&choices.iter().map(|(name, _)| *name).collect::<Vec<_>>())
            )
        }
        (Shape::Integer(..), DeValue::String(text)) if text.parse::<i64>().is_ok() => {
            "remove the quotes".to_owned()
        }
        (Shape::Boolean, DeValue::String(text)) => match text.to_lowercase().as_str() {
            "true" | "yes" => "write `true`".to_owned(),
            "false" | "no" => "write `false`".to_owned(),
            _ => return None,
        },
        (Shape::Text(Form::TypeRef | Form::AnyType), DeValue::Array(items)) if items.len() > 1 => {
            "declare the values as an enum, and use its name".to_owned()
        }
        (Shape::Text(Form::TypeRef | Form::AnyType), DeValue::Array(_)) => {
            foreign::list(language).to_owned()
        }
        (Shape::Text(Form::TypeRef | Form::AnyType), DeValue::Table(_)) => {
            foreign::map(language).to_owned()
        }
        (Shape::Text(_), DeValue::Array(_)) if name == "selector" => {
            "in version 1 of the language, one parameter selects the operation".to_owned()
        }
        (Shape::Values | Shape::ValuesOrLists, _) => format!("write `{name} = {{ NAME = … }}`"),
        (Shape::Text(_), DeValue::Boolean(_)) => format!("write text: {}", first_sentence(key.doc)),
        (Shape::Text(_), DeValue::Integer(_) | DeValue::Float(_)) => {
            "put the value in quotes".to_owned()
        }
        (Shape::Texts(_), DeValue::String(_))
        | (Shape::Positions, DeValue::Integer(_))
        | (Shape::Codes, DeValue::String(_) | DeValue::Integer(_) | DeValue::Boolean(_)) => {
            "put the value in brackets".to_owned()
        }
        _ => return None,
    })
}

/// Returns a table with its required keys.
pub(super) fn sample(table: &Table, language: Language) -> String {
    let keys = table.keys_in(language).filter(|key| key.required);
    let keys: Vec<_> = keys.map(|key| format!("{} = …", key.name)).collect();
    format!("{{ {} }}", keys.join(", "))
}

/// Returns the fix for a text that does not have its form.
pub(super) fn malformed(form: Form, text: &str, what: &str) -> Option<String> {
    if what == "`operation`" && text.contains(['.', '/']) {
        let help = "write the name in `[operation.NAME]`, not the value of its selector";
        return Some(help.to_owned());
    }
    let foreign = text.chars().find(|c| !c.is_ascii() && c.is_alphanumeric());
    if let Some(c) = foreign.filter(|_| form.is_ascii()) {
        return Some(format!("replace `{c}` (U+{:04X}) with an ASCII letter", u32::from(c)));
    }
    if matches!(form, Form::TypeRef | Form::AnyType) {
        let language = if form == Form::AnyType { Language::Two } else { Language::One };
        return foreign::hint(text, language);
    }
    if form == Form::Select && text.contains(['=', '&']) {
        let help = "write only the value of the selector, and declare the rest as parameters";
        return Some(help.to_owned());
    }
    if form == Form::Bracketed && text.ends_with("[]") {
        return Some(
            "in version 2, a list is declared without brackets, with `style = \"bracket\"`"
                .to_owned(),
        );
    }
    let corrected = corrected(form, text).filter(|corrected| form.fits(corrected))?;
    Some(if matches!(form, Form::Path | Form::SecretPath) && text.contains("://") {
        format!("write `{corrected}`; the base URL of a client has the host")
    } else {
        format!("did you mean `{corrected}`?")
    })
}

/// Returns a text in the form that it probably should have.
pub(super) fn corrected(form: Form, text: &str) -> Option<String> {
    match form {
        Form::Type => Some(RustName::new(text)?.plain()),
        Form::Snake => Some(RustName::new(text)?.words()),
        Form::Kebab => Some(RustName::new(text)?.kebab()),
        Form::Version => {
            let numbers = text.trim_start_matches(['v', 'V']);
            let missing = 2_usize.checked_sub(numbers.matches('.').count())?;
            Some(numbers.to_owned() + &".0".repeat(missing))
        }
        Form::Path | Form::SecretPath => {
            let path = text.split_once("://").map_or(text, |(_, rest)| {
                rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or_default()
            });
            let path = path.split(['?', '#']).next()?.trim_matches('/');
            Some(format!("/{path}"))
        }
        Form::Media if text == "json" => Some("application/json".to_owned()),
        Form::Media => Some(text.split(';').next()?.trim().to_lowercase()),
        Form::File => Some(text.trim_start_matches("./").to_owned()),
        Form::Select => Some(text.trim_matches('/').to_owned()),
        _ => None,
    }
}

fn first_sentence(doc: &str) -> String {
    let sentence = doc.split_once(". ").map_or(doc, |(first, _)| first).trim_end_matches('.');
    let mut chars = sentence.chars();
    let Some(first) = chars.next() else { return String::new() };
    // An abbreviation, such as "JSON", stays in capitals.
    if chars.as_str().starts_with(char::is_uppercase) {
        return sentence.to_owned();
    }
    first.to_lowercase().to_string() + chars.as_str()
}
