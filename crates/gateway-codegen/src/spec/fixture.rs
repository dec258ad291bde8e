//! The responses of examples: reads the files and checks them against the operations.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::diag::{Diagnostic, Elsewhere, closest, code, shown};
use crate::ir::{Operation, Response, Service, Type};
use crate::spec::context::Context;
use crate::spec::fixture::json::{Json, Value};
use crate::spec::fixture::misfit::Misfit;
use crate::spec::fixture::value::{Types, duplicate, is_value};
use crate::spec::node::Node;

mod body;
mod json;
mod misfit;
mod value;

pub(super) use self::value::choices;

/// Returns the text of the file that an example names.
pub(super) fn read(cx: &mut Context<'_>, file: &Node, folder: Option<&Path>) -> Option<String> {
    let name = file.as_text()?;
    let Some(folder) = folder else { return Some(String::new()) };
    let path = folder.join(name);
    let failed = |why: &str| {
        Diagnostic::new(&code::EXAMPLE_FILE, &file.span, format!("cannot read `{name}`: {why}"))
    };
    let diagnostic = match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let help = similar(folder, name).map_or_else(
                || RELATIVE.to_owned(),
                |similar| format!("did you mean `{similar}`?"),
            );
            failed("no such file").help(help)
        }
        Err(error) => failed(&error.to_string()).help(RELATIVE),
        Ok(metadata) if metadata.is_dir() => failed("it is a folder").help(RELATIVE),
        Ok(metadata) if metadata.len() > LARGEST => failed("the file is larger than 1 MiB"),
        Ok(_) => match fs::read(&path).map(String::from_utf8) {
            Ok(Ok(text)) => return Some(text),
            Ok(Err(error)) => {
                let at = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let place = Elsewhere::new(name, text, &(at..at + 1), "this byte is not UTF-8");
                failed("the file is not UTF-8").elsewhere(place).help("save the file as UTF-8")
            }
            Err(error) => failed(&error.to_string()),
        },
    };
    cx.say(diagnostic);
    None
}

/// Maximum size of a response file, in bytes. A larger response belongs in a separate test.
const LARGEST: u64 = 1024 * 1024;

const RELATIVE: &str = "the path is relative to the folder of the spec";

/// Returns the path of the file that a path probably means: one with the name of the spec's folder
/// before it, or one of almost the same name.
fn similar(folder: &Path, name: &str) -> Option<String> {
    if let Some((_, below)) = name.split_once('/')
        && folder.join(below).is_file()
    {
        return Some(below.to_owned());
    }
    let (parent, file) = name.rsplit_once('/').unwrap_or(("", name));
    let entries = fs::read_dir(folder.join(parent)).ok()?;
    let mut names: Vec<_> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let similar = closest(file, &names)?;
    Some(name.strip_suffix(file)?.to_owned() + similar)
}

/// Reports the first mistake in the response of an example.
pub(super) fn check(
    cx: &mut Context<'_>,
    service: &Service,
    operation: &Operation,
    example: &Node,
    (body, rejected): (&str, &[usize]),
) {
    let Some(file) = example.get("response") else { return };
    let name = file.as_text().unwrap_or_default();
    let Err(misfit) = fits(Types { service, language: cx.language }, operation, body, rejected)
    else {
        return;
    };
    let Misfit { why, at, help, is_in_rejected } = misfit;
    let list = example.get("rejected").filter(|_| is_in_rejected);
    let message = format!("`{name}`: {why}");
    let mut diagnostic =
        Diagnostic::new(&code::EXAMPLE_ANSWER, &list.unwrap_or(file).span, message).help(help);
    if let Some(at) = at {
        diagnostic = diagnostic.elsewhere(Elsewhere::new(name, body.to_owned(), &at, ""));
    }
    cx.say(diagnostic);
}

fn fits(
    types: Types<'_>,
    operation: &Operation,
    body: &str,
    rejected: &[usize],
) -> Result<(), Misfit> {
    if body.trim().is_empty() && !operation.response.may_be_empty() {
        let nothing = Misfit::new(&(0..0), "the file is empty");
        return Err(Misfit { at: None, ..nothing });
    }
    if body.starts_with('\u{feff}') {
        let why = "it begins with a byte-order mark";
        let help = "save the file as UTF-8 without a byte-order mark";
        return Err(Misfit::new(&(0..1), why).help(help));
    }
    if body.trim().is_empty() {
        return Ok(());
    }
    let root = Json::parse(body).map_err(|(at, why)| {
        let why = match other_format(body) {
            Some(format) => format!("the file is {format}, not JSON"),
            None => format!("invalid JSON: {why}"),
        };
        Misfit::new(&(at..at + 1), why)
    })?;
    let response = &operation.response;
    let of = response.of().map(Type::Model).or_else(|| response.value().cloned());
    let Some(of) = &of else {
        body::data(types, &response.in_body(), &root)?;
        return no_duplicate(&root, &BTreeSet::new());
    };
    let (records, path) = match response {
        Response::Body { body, .. } | Response::Value { body, .. } | Response::Nothing { body } => {
            let path = body.at.iter().fold("$".to_owned(), |path, key| format!("{path}.{key}"));
            let data = body::data(types, body, &root)?;
            match data.map(|data| (data, data.items())) {
                _ if !body.is_list => {
                    let object = data.unwrap_or(&root);
                    is_value(types, of, object, &path)?;
                    return no_duplicate(&root, &BTreeSet::new());
                }
                Some((_, Some(records))) => (records, path),
                Some((record, None)) if body.one_as_list && record.members().is_some() => {
                    (std::slice::from_ref(record), path)
                }
                Some((other, None)) => {
                    let why = format!("`{path}` must be an array, not {}", other.kind());
                    return Err(Misfit::new(&other.span, why));
                }
                None => (&[][..], path),
            }
        }
        Response::Object { .. } => {
            if root.items().is_some() {
                return Err(other_shape(&root, "an object", "`response.array`"));
            }
            is_value(types, of, &root, "$")?;
            return no_duplicate(&root, &BTreeSet::new());
        }
        Response::Array { .. } => {
            let instead = "`response.envelope` or `response.object`";
            let records = root.items().ok_or_else(|| other_shape(&root, "an array", instead))?;
            (records, "$".to_owned())
        }
        Response::Envelope { marker, success, items, .. } => {
            (in_envelope(&root, marker, success, items)?, format!("$.{items}"))
        }
    };
    for (index, record) in records.iter().enumerate() {
        let is_rejected = rejected.binary_search(&index).is_ok();
        match is_value(types, of, record, &format!("{path}[{index}]")) {
            Err(misfit) if !is_rejected => {
                let also =
                    format!("\nif the record is invalid on purpose, add {index} to `rejected`");
                return Err(Misfit { help: misfit.help + &also, ..misfit });
            }
            Ok(()) if is_rejected => {
                let why = format!("record {index} is listed in `rejected`, but is valid");
                return Err(Misfit::in_rejected(Some(record.span.clone()), why));
            }
            _ => {}
        }
    }
    if let Some(index) = rejected.iter().find(|&&index| index >= records.len()) {
        let count = records.len();
        let why =
            format!("record {index} is listed in `rejected`, but there are only {count} records");
        return Err(Misfit::in_rejected(None, why));
    }
    let invalid = rejected.iter().filter_map(|&index| Some(records.get(index)?.span.start));
    no_duplicate(&root, &invalid.collect())
}

/// Returns the format of a response that is not JSON, if it is a common one.
fn other_format(body: &str) -> Option<&'static str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    let text = body.trim_start();
    if text.starts_with('<') {
        Some("XML or HTML")
    } else if text.starts_with(char::is_alphabetic)
        && text.trim_start_matches(is_name).starts_with('(')
    {
        Some("JSONP, a call around JSON")
    } else {
        None
    }
}

/// Returns the records in an envelope.
fn in_envelope<'a>(
    root: &'a Json,
    marker: &str,
    success: &str,
    items: &str,
) -> Result<&'a [Json], Misfit> {
    let Some(members) = root.members() else {
        return Err(other_shape(root, "an object", "`response.array`"));
    };
    let get = |key: &str| {
        root.get(key).ok_or_else(|| {
            let keys: Vec<_> = members.iter().map(|member| member.key.as_str()).collect();
            let start = root.span.start..root.span.start + 1;
            let keys: Vec<_> =
                keys.iter().take(12).map(|key| format!("`{}`", shown(key))).collect();
            let misfit = Misfit::new(&start, format!("the response has no `{key}`"));
            if key.split_once('.').is_some_and(|(first, _)| root.get(first).is_some()) {
                return misfit.help(BELOW);
            }
            misfit.help(format!(
                "correct the file or the operation; the response has {}",
                if keys.is_empty() { "no keys".to_owned() } else { keys.join(", ") }
            ))
        })
    };
    let found = get(marker)?;
    match found.leaf().map(serde_json::Value::as_str) {
        Some(Some(text)) if text == success => {}
        Some(Some(text)) => {
            let why = format!("`{marker}` must be `{success}`, not `{}`", shown(text));
            let help = "correct the file or `success`; an example shows a successful response";
            return Err(Misfit::new(&found.span, why).help(help));
        }
        _ => {
            let why = format!("`{marker}` must be the string `{success}`, not {}", found.kind());
            let help = "in version 1 of the language, the marker is a string; without one, use `response.object`";
            return Err(Misfit::new(&found.span, why).help(help));
        }
    }
    let list = get(items)?;
    list.items().ok_or_else(|| {
        let why = format!("`{items}` must be an array, not {}", list.kind());
        let misfit = Misfit::new(&list.span, why);
        if list.members().is_some() { misfit.help(BELOW) } else { misfit }
    })
}

const BELOW: &str =
    "`items` is a key of the response itself; version 1 of the language has no lists below it";

fn other_shape(root: &Json, expected: &str, instead: &str) -> Misfit {
    let start = root.span.start..root.span.start + 1;
    Misfit::new(&start, format!("the response must be {expected}, not {}", root.kind()))
        .help(format!("correct the file, or declare {instead}"))
}

/// Checks that no object has the same key twice, except in records that begin at these positions.
fn no_duplicate(json: &Json, except: &BTreeSet<usize>) -> Result<(), Misfit> {
    if except.contains(&json.span.start) {
        return Ok(());
    }
    match &json.value {
        Value::Leaf(_) => Ok(()),
        Value::Array(items) => items.iter().try_for_each(|item| no_duplicate(item, except)),
        Value::Object(members) => {
            let mut keys = BTreeSet::new();
            members.iter().try_for_each(|member| {
                if !keys.insert(&member.key) {
                    return Err(duplicate(member));
                }
                no_duplicate(&member.json, except)
            })
        }
    }
}
