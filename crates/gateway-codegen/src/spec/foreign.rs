//! Words of other languages: types such as `string` and `int[]`, keys such as `description`.

use crate::ir::built_in;
use crate::spec::grammar::Language;

/// Returns the key of a table that has the meaning of an unknown one.
pub(super) fn key(table: &str, written: &str) -> Option<&'static str> {
    let written = written.to_lowercase();
    let applies = |tables: &str| tables.is_empty() || tables == table;
    let mut keys = KEYS.iter();
    keys.find(|(tables, words, _)| applies(tables) && words.contains(&written.as_str()))
        .map(|(_, _, key)| *key)
}

/// The table (any, if empty), words that it does not know, and its key with the same meaning.
const KEYS: &[(&str, &[&str], &str)] = &[
    ("", &["description", "desc", "summary", "comment", "help"], "doc"),
    ("field", &["required", "optional", "nullable", "mandatory"], "presence"),
    ("field", &["kind"], "type"),
    ("parameter", &["presence", "optional", "mandatory"], "required"),
    ("parameter", &["kind"], "type"),
    ("operation", &["method", "action", "function", "command", "call"], "select"),
    ("operation", &["returns", "result", "output"], "response"),
    ("operation", &["query", "args", "arguments"], "param"),
    ("response", &["list", "items", "records"], "array"),
    ("example", &["request", "url"], "query"),
    ("example", &["body", "file", "fixture", "result"], "response"),
    ("service", &["url", "base-url", "base_url", "endpoint"], "path"),
    ("enum", &["open", "closed"], "open-ended"),
    ("enum", &["variants", "options", "cases"], "value"),
    ("model", &["id", "key"], "identity"),
    ("model", &["properties", "attributes", "members"], "field"),
];

/// Returns a hint for a key whose meaning the language does not have.
pub(super) fn unsupported(table: &str, written: &str, value: Option<&str>) -> Option<&'static str> {
    match (table, written, value) {
        ("operation", _, Some("GET" | "POST" | "PUT" | "PATCH" | "DELETE")) => {
            Some("version 1 of the language describes only GET requests, and needs no key for it")
        }
        ("parameter" | "field", "default", _) => {
            Some("the language has no defaults; say in `doc` what the service assumes")
        }
        ("parameter" | "field", "enum" | "values" | "choices", _) => {
            Some("declare the values as `[enum.…]`, and use its name as the `type`")
        }
        ("`[auth]`" | "service" | "operation", "signature" | "signing" | "sign" | "hmac", _) => {
            Some(
                "the language has no signatures; sign requests with `MapRequest` of gateway-transport",
            )
        }
        ("spec" | "`[dispatch]`" | "operation", "batch", _) => {
            Some("the language has no batches of calls; send each call alone")
        }
        _ => None,
    }
}

/// Returns a hint for the name of a type of another language.
pub(super) fn hint(written: &str, language: Language) -> Option<String> {
    let name = written.trim().to_ascii_lowercase();
    let outer = name.split(['<', '[', '(', ' ']).next().unwrap_or_default();
    if name.starts_with('[') || name.contains("[]") || LISTS.contains(&outer) {
        return Some(list(language).to_owned());
    }
    if MAPS.contains(&outer) {
        return Some(map(language).to_owned());
    }
    let optional = ["Option<", "option<", "Optional<"].into_iter();
    let inner = optional
        .filter_map(|open| written.strip_prefix(open)?.strip_suffix('>'))
        .chain(written.strip_suffix('?'))
        .next();
    if let Some(inner) = inner {
        let ty = same_as(&inner.to_ascii_lowercase(), language).unwrap_or(inner);
        return Some(format!("write `type = \"{ty}\"` and `presence = \"optional\"`"));
    }
    if let Some(ty) = same_as(&name, language) {
        return Some(format!("use `{ty}`"));
    }
    let meaning = |example: &str| {
        format!("declare `[scalar.{example}]` with the `meaning` that fits, and use its name")
    };
    Some(match name.as_str() {
        "number" | "numeric" if language == Language::Two => format!(
            "use `integer` for a whole number and `float` for another one; for a decimal number in a string, {}",
            meaning("Price")
        ),
        "number" | "numeric" => format!(
            "use `integer` for a whole number; for a decimal number in a string, {}",
            meaning("Price")
        ),
        "decimal" | "money" if language == Language::Two => {
            format!(
                "for a decimal number in a string, {}; use `float` for a JSON number",
                meaning("Price")
            )
        }
        "float" | "double" | "decimal" | "real" | "f32" | "f64" | "money" => {
            format!(
                "for a decimal number in a string, {}; only version 2 of the language has fractions as JSON numbers, as `float`",
                meaning("Price")
            )
        }
        "date" | "time" | "datetime" | "timestamp" | "instant" => meaning("Date"),
        "id" | "identifier" => meaning("PhotoId"),
        "currency" => meaning("Currency"),
        "uuid" | "guid" | "url" | "uri" | "email" | "phone" | "html" | "hex" | "address" => {
            format!("use `text`, or {}", meaning("Link"))
        }
        "enum" => "declare an enum such as `[enum.Color]`, and use its name".to_owned(),
        "null" | "none" | "void" | "nil" => "leave the field out".to_owned(),
        _ if name.contains('|') => "choose one type; the language has no alternatives".to_owned(),
        _ => return None,
    })
}

/// Returns the built-in type that is the same as a type of another language.
fn same_as(name: &str, language: Language) -> Option<&'static str> {
    let mut all = built_in(language.number());
    all.find(|one| one.word == name || one.elsewhere.contains(&name)).map(|one| one.word)
}

const LISTS: &[&str] = &["array", "list", "vec", "set", "seq", "sequence", "slice"];
const MAPS: &[&str] =
    &["map", "dict", "hashmap", "record", "object", "json", "any", "unknown", "struct"];

/// Returns the hint for a list.
pub(super) fn list(language: Language) -> &'static str {
    match language {
        Language::One => {
            "version 1 of the language has no lists: leave it out, and records keep it in `extra()`; or use version 2, which has `list<…>`"
        }
        Language::Two => "write a list as `list<text>`, with the type of its values",
    }
}

/// Returns the hint for an object.
pub(super) fn map(language: Language) -> &'static str {
    match language {
        Language::One => {
            "declare the object as `[model.…]`, and use its name; without fixed keys, leave it out: records keep unlisted fields in `extra()`"
        }
        Language::Two => {
            "declare the object as `[model.…]`, and use its name; without fixed keys, write `map<text>`, with the type of its values"
        }
    }
}
