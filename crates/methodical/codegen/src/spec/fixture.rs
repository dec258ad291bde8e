//! The responses of examples: reads the files and checks them against the operations.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use crate::diag::{Diagnostic, Elsewhere, closest, listed, shown};
use crate::ir::{Decides, Field, Leniency, Operation, Response, Service, Type, ValueType, Verdict};
use crate::spec::context::Context;
use crate::spec::example::choices;
use crate::spec::form::{LIST, MAP};
use crate::spec::json::{Json, Member};
use crate::spec::language;
use crate::spec::read::At;

/// Returns the text of the file that an example names.
pub(super) fn read(
    cx: &mut Context<'_>,
    file: &At<String>,
    folder: Option<&Path>,
) -> Option<String> {
    let Some(folder) = folder else { return Some(String::new()) };
    let path = folder.join(&file.value);
    let mut place = None;
    let (why, help) = match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let similar = similar(folder, file).map(|similar| format!("did you mean `{similar}`?"));
            ("no such file".to_owned(), similar.unwrap_or_else(|| RELATIVE.to_owned()))
        }
        Err(error) => (error.to_string(), RELATIVE.to_owned()),
        Ok(metadata) if metadata.is_dir() => ("it is a folder".to_owned(), RELATIVE.to_owned()),
        Ok(metadata) if metadata.len() > LARGEST => {
            ("the file is larger than 1 MiB".to_owned(), String::new())
        }
        Ok(_) => match fs::read(&path).map(String::from_utf8) {
            Ok(Ok(text)) => return Some(text),
            Ok(Err(error)) => {
                let (at, text) = (error.utf8_error().valid_up_to(), error.as_bytes());
                let text = String::from_utf8_lossy(text).into_owned();
                let (path, note) = (file.value.clone(), "this byte is not UTF-8");
                place = Some(Elsewhere { path, text, span: at..at + 1, note });
                ("the file is not UTF-8".to_owned(), "save the file as UTF-8".to_owned())
            }
            Err(error) => (error.to_string(), String::new()),
        },
    };
    let message = format!("cannot read `{file}`: {why}");
    cx.push(Diagnostic::new(&file.span, message).help(help).elsewhere(place));
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
    Some(name.strip_suffix(file)?.to_owned() + closest(file, &names)?)
}

/// The reason why a response does not match its operation.
struct Misfit {
    why: String,
    /// The place in the response.
    at: Option<Range<usize>>,
    help: String,
    /// Whether the mistake is in the list `rejected`, not in the response.
    is_in_rejected: bool,
}

fn misfit(at: Range<usize>, why: impl Into<String>, help: impl Into<String>) -> Misfit {
    Misfit { why: why.into(), at: Some(at), help: help.into(), is_in_rejected: false }
}

fn in_rejected(at: Option<Range<usize>>, why: String) -> Misfit {
    let help = "correct the positions in `rejected`, which start at 0".to_owned();
    Misfit { why, at, help, is_in_rejected: true }
}

/// Reports the first mistake in the response of an example.
pub(super) fn check(
    cx: &mut Context<'_>,
    service: &Service,
    operation: &Operation,
    example: &language::Example,
    (body, rejected): (&str, &[usize]),
) {
    let file = &example.response;
    let Err(Misfit { why, at, help, is_in_rejected }) = fits(service, operation, body, rejected)
    else {
        return;
    };
    let list = example.rejected.as_ref().filter(|_| is_in_rejected);
    let span = list.map_or(&file.span, |list| &list.span);
    let (path, text) = (file.value.clone(), body.to_owned());
    let place = at.map(|span| Elsewhere { path, text, span, note: "" });
    let diagnostic = Diagnostic::new(span, format!("`{file}`: {why}"));
    cx.push(diagnostic.help(help).elsewhere(place));
}

fn fits(
    service: &Service,
    operation: &Operation,
    body: &str,
    rejected: &[usize],
) -> Result<(), Misfit> {
    let response = &operation.response;
    if body.trim().is_empty() && response.may_be_empty() {
        return Ok(());
    }
    if body.trim().is_empty() {
        return Err(Misfit { at: None, ..misfit(0..0, "the file is empty", CORRECT) });
    }
    if body.starts_with('\u{feff}') {
        let help = "save the file as UTF-8 without a byte-order mark";
        return Err(misfit(0..1, "it begins with a byte-order mark", help));
    }
    let root = Json::parse(body).map_err(|(at, why)| {
        let why = match other_format(body) {
            Some(format) => format!("the file is {format}, not JSON"),
            None => format!("invalid JSON: {why}"),
        };
        misfit(at..at + 1, why, CORRECT)
    })?;
    let data = data(service, response, root)?;
    let path = response.at.iter().fold("$".to_owned(), |path, key| format!("{path}.{key}"));
    let (Some(of), Some(data)) = (&response.of, data) else {
        return no_duplicate(root, &BTreeSet::new());
    };
    if !response.is_list {
        if of.model().is_some() && data.members().is_none() {
            let help = "correct the file, or declare `response.list`";
            return Err(other_kind(data, &path, "an object", help));
        }
        is_value(service, of, data, &path)?;
        return no_duplicate(root, &BTreeSet::new());
    }
    let records = match data.items() {
        Some(records) => records,
        None if response.one_as_list && data.members().is_some() => vec![data],
        None => {
            let help = "correct the file, or write where the list is with `at`";
            return Err(other_kind(data, &path, "an array", help));
        }
    };
    for (index, record) in records.iter().enumerate() {
        let is_rejected = rejected.binary_search(&index).is_ok();
        match is_value(service, of, *record, &format!("{path}[{index}]")) {
            Err(misfit) if !is_rejected => {
                let also =
                    format!("\nif the record is invalid on purpose, add {index} to `rejected`");
                return Err(Misfit { help: misfit.help + &also, ..misfit });
            }
            Ok(()) if is_rejected => {
                let why = format!("record {index} is listed in `rejected`, but is valid");
                return Err(in_rejected(Some(record.span()), why));
            }
            _ => {}
        }
    }
    if let Some(index) = rejected.iter().find(|&&index| index >= records.len()) {
        let count = records.len();
        let why =
            format!("record {index} is listed in `rejected`, but there are only {count} records");
        return Err(in_rejected(None, why));
    }
    let invalid = rejected.iter().filter_map(|&index| Some(records.get(index)?.span().start));
    no_duplicate(root, &invalid.collect())
}

const CORRECT: &str = "correct the file";

/// Returns the format of a response that is not JSON, if it is a common one.
fn other_format(body: &str) -> Option<&'static str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    let text = body.trim_start();
    let is_call =
        text.starts_with(char::is_alphabetic) && text.trim_start_matches(is_name).starts_with('(');
    match () {
        () if text.starts_with('<') => Some("XML or HTML"),
        () => is_call.then_some("JSONP, a call around JSON"),
    }
}

/// Returns the data of a successful response, or `None` if there is none. Also checks the fields beside the list.
fn data<'j>(
    service: &Service,
    body: &Response,
    root: Json<'j>,
) -> Result<Option<Json<'j>>, Misfit> {
    if let Some(verdict) = &body.verdict
        && let Err(failure) = succeeded(&verdict.decides, root)
    {
        return if body.is_list && means_empty(verdict, root) { Ok(None) } else { Err(failure) };
    }
    let mut json = root;
    for (depth, key) in body.at.iter().enumerate() {
        if depth == body.beside_at().len()
            && let Some(beside) = body.beside
        {
            let path = format!("$.{}", body.beside_at().join("."));
            is_value(service, &Type::Model(beside), json, &path)?;
        }
        let is_absent = |found: &Json<'_>| body.absent_as_empty && found.kind() == "null";
        match json.get(key).filter(|found| !is_absent(found)) {
            Some(found) => json = found,
            None if body.absent_as_empty => return Ok(None),
            None => {
                let place = body.at.get(..=depth).unwrap_or_default().join(".");
                return Err(missing(json, &place, "`at` of the operation"));
            }
        }
    }
    Ok(Some(json))
}

fn missing(json: Json<'_>, place: &str, origin: &str) -> Misfit {
    let Some(members) = json.members() else { return other_kind(json, "$", "an object", RESPONSE) };
    let keys = members.iter().map(|member| format!("`{}`", shown(&member.key))).take(12);
    let keys = keys.collect::<Vec<_>>().join(", ");
    let keys = if keys.is_empty() { "no keys".to_owned() } else { keys };
    let help = format!("correct the file, or {origin}; the object has {keys}");
    misfit(json.start(), format!("the response has no `{place}`"), help)
}

const RESPONSE: &str = "correct the file, or the response of the operation";

fn other_kind(json: Json<'_>, path: &str, expected: &str, help: &str) -> Misfit {
    let what = if path == "$" { "the response".to_owned() } else { format!("`{path}`") };
    misfit(json.start(), format!("{what} must be {expected}, not {}", json.kind()), help)
}

/// Returns the value at the end of a path.
fn at<'j>(root: Json<'j>, path: &[String]) -> Option<Json<'j>> {
    path.iter().try_fold(root, |json, key| json.get(key))
}

/// Returns whether a failure means an empty list.
fn means_empty(verdict: &Verdict, root: Json<'_>) -> bool {
    let is_in = |path: &[String], texts: &[String]| {
        let text = at(root, path).filter(|_| !path.is_empty()).and_then(Json::leaf_text);
        text.is_some_and(|text| texts.contains(&text))
    };
    is_in(&verdict.code, &verdict.empty_codes) || is_in(&verdict.message, &verdict.empty_messages)
}

/// Checks that a response reports success.
fn succeeded(decides: &Decides, root: Json<'_>) -> Result<(), Misfit> {
    let name = decides.path().join(".");
    let found = at(root, decides.path());
    let text = found.and_then(Json::leaf_text);
    let help = "correct the file or the envelope; an example shows a successful response";
    match (decides, found) {
        (Decides::Success { .. }, None) => Err(missing(root, &name, "the envelope")),
        (Decides::Success { is, .. }, Some(found)) => {
            if text.as_ref().is_some_and(|text| is.contains(text)) {
                return Ok(());
            }
            let text =
                text.map_or_else(|| found.kind().to_owned(), |text| format!("`{}`", shown(&text)));
            let is = listed(&is.iter().map(String::as_str).collect::<Vec<_>>());
            Err(misfit(found.span(), format!("`{name}` must be {is}, not {text}"), help))
        }
        (Decides::Failure { .. }, Some(found)) if found.kind() != "null" => {
            Err(misfit(found.span(), format!("`{name}` is present, so the call failed"), help))
        }
        (Decides::Failure { .. }, _) => Ok(()),
    }
}

/// Checks a JSON value against a type. Messages show the path.
fn is_value(service: &Service, ty: &Type, json: Json<'_>, path: &str) -> Result<(), Misfit> {
    let expected = |what: &str| {
        let help = format!("correct the file, or the type of the field{}", instead(ty, json));
        Misfit { at: Some(json.span()), ..other_kind(json, path, what, &help) }
    };
    match ty {
        Type::Value(ty) => {
            if !json.leaf().is_some_and(|leaf| ty.accepts(&leaf)) {
                return Err(expected(&ty.expected()));
            }
            let text = json.leaf_text().unwrap_or_default();
            match ty.as_closed_enum() {
                Some(one) if !one.lists(&text) => {
                    let help = "correct the file, add the value to the enum, or make it `open-ended = true`";
                    Err(misfit(json.span(), format!("`{path}` must be {}", choices(one)), help))
                }
                _ => Ok(()),
            }
        }
        Type::Model(id) => {
            let members = json.members().ok_or_else(|| expected("an object"))?;
            let fields = &service.model(*id).fields;
            let is_field =
                |member: &&Member<'_>| fields.iter().any(|field| field.wire == member.key);
            distinct(members.iter().filter(is_field))?;
            fields.iter().try_for_each(|field| self::is_field(service, field, json, path))
        }
        Type::List(of) => {
            let items = json.items().ok_or_else(|| expected("an array"))?;
            let mut items = items.into_iter().enumerate();
            items.try_for_each(|(at, item)| is_value(service, of, item, &format!("{path}[{at}]")))
        }
        Type::Map(of) => {
            let members = json.members().ok_or_else(|| expected("an object"))?;
            distinct(members.iter())?;
            members.iter().try_for_each(|member| {
                is_value(service, of, member.json, &format!("{path}.{}", shown(&member.key)))
            })
        }
    }
}

/// Checks a field of a record.
fn is_field(service: &Service, field: &Field, record: Json<'_>, path: &str) -> Result<(), Misfit> {
    const MISSING: &str = "correct the file, or make the field `presence = \"optional\"`";
    let Some(json) = record.get(&field.wire) else {
        let why = format!("`{path}` has no `{}`", field.wire);
        return if field.required { Err(misfit(record.start(), why, MISSING)) } else { Ok(()) };
    };
    let path = format!("{path}.{}", field.wire);
    let is_null = json.kind() == "null";
    if is_null && field.required {
        return Err(misfit(json.span(), format!("`{path}` must not be null"), MISSING));
    }
    let is_blank = json.leaf().is_some_and(|leaf| leaf == "") && field.is(Leniency::BlankAsNone);
    let is_empty =
        json.items().is_some_and(|all| all.is_empty()) && field.is(Leniency::EmptyArrayAsMap);
    if is_null || is_blank || is_empty {
        return Ok(());
    }
    let ty = match &field.ty {
        Type::List(of) if field.is(Leniency::OneAsList) && json.items().is_none() => of,
        ty => ty,
    };
    is_value(service, ty, json, &path)
}

/// Returns how a field with this value is declared, after "the type of the field".
fn instead(ty: &Type, json: Json<'_>) -> String {
    let kind = json.kind();
    let wire = if kind == "a string" { "string" } else { "integer" };
    match (ty, kind) {
        (Type::Value(ty), _) if ty.codes().is_some() => {
            ": its scalar needs the value in `true` or `false`".to_owned()
        }
        (Type::Value(ValueType::Scalar(_)), "a string" | "a number") => {
            format!(": its scalar needs `wire = \"{wire}\"`")
        }
        (_, "a string") => ": use `text`".to_owned(),
        (_, "a number") => ": use `integer`".to_owned(),
        (_, "a boolean") => ": use `boolean`".to_owned(),
        (_, "a fraction") => ": use `float`".to_owned(),
        (_, "an array") => format!("\n{LIST}"),
        (_, "an object") => format!("\n{MAP}"),
        _ => String::new(),
    }
}

/// Checks that no two members have the same key.
fn distinct<'m>(members: impl Iterator<Item = &'m Member<'m>>) -> Result<(), Misfit> {
    let mut keys = BTreeSet::new();
    for Member { key, key_span, .. } in members {
        if !keys.insert(key) {
            return Err(misfit(
                key_span.clone(),
                format!("duplicate key `{key}`"),
                "remove one of them",
            ));
        }
    }
    Ok(())
}

/// Checks that no object has the same key twice, except in records that begin at these positions.
fn no_duplicate(json: Json<'_>, except: &BTreeSet<usize>) -> Result<(), Misfit> {
    if except.contains(&json.span().start) {
        return Ok(());
    }
    if let Some(items) = json.items() {
        return items.into_iter().try_for_each(|item| no_duplicate(item, except));
    }
    let members = json.members().unwrap_or_default();
    distinct(members.iter())?;
    members.iter().try_for_each(|member| no_duplicate(member.json, except))
}
