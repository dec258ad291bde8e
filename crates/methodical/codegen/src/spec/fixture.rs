//! The responses of examples: reads the files and checks them against the operations.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use serde_json::Value as Leaf;

use crate::diag::{Diagnostic, Elsewhere, closest, code, listed, shown};
use crate::ir::{Decides, Field, Leniency, Operation, Response, Service, Type, ValueType, Verdict};
use crate::spec::check::{LIST, MAP};
use crate::spec::context::Context;
use crate::spec::example::choices;
use crate::spec::json::{Json, Member, Value};
use crate::spec::language;
use crate::spec::value::At;

/// Returns the text of the file that an example names.
pub(super) fn read(
    cx: &mut Context<'_>,
    file: &At<String>,
    folder: Option<&Path>,
) -> Option<String> {
    let name = &file.value;
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
    cx.push(diagnostic);
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

impl Misfit {
    fn new(at: &Range<usize>, why: impl Into<String>) -> Self {
        let help = "correct the file".to_owned();
        Self { why: why.into(), at: Some(at.clone()), help, is_in_rejected: false }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    fn in_rejected(at: Option<Range<usize>>, why: String) -> Self {
        let help = "correct the positions in `rejected`, which start at 0".to_owned();
        Self { why, at, help, is_in_rejected: true }
    }
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
    let Err(misfit) = fits(service, operation, body, rejected) else { return };
    let Misfit { why, at, help, is_in_rejected } = misfit;
    let list = example.rejected.as_ref().filter(|_| is_in_rejected);
    let span = list.map_or(&file.span, |list| &list.span);
    let message = format!("`{}`: {why}", file.value);
    let mut diagnostic = Diagnostic::new(&code::EXAMPLE_ANSWER, span, message).help(help);
    if let Some(at) = at {
        diagnostic = diagnostic.elsewhere(Elsewhere::new(file, body.to_owned(), &at, ""));
    }
    cx.push(diagnostic);
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
        return Err(Misfit { at: None, ..Misfit::new(&(0..0), "the file is empty") });
    }
    if body.starts_with('\u{feff}') {
        let misfit = Misfit::new(&(0..1), "it begins with a byte-order mark");
        return Err(misfit.help("save the file as UTF-8 without a byte-order mark"));
    }
    let root = Json::parse(body).map_err(|(at, why)| {
        let why = match other_format(body) {
            Some(format) => format!("the file is {format}, not JSON"),
            None => format!("invalid JSON: {why}"),
        };
        Misfit::new(&(at..at + 1), why)
    })?;
    let data = data(service, response, &root)?;
    let path = response.at.iter().fold("$".to_owned(), |path, key| format!("{path}.{key}"));
    let (Some(of), Some(data)) = (&response.of, data) else {
        return no_duplicate(&root, &BTreeSet::new());
    };
    if !response.is_list {
        if of.model().is_some() && data.members().is_none() {
            let help = "correct the file, or declare `response.list`";
            return Err(other_kind(data, &path, "an object").help(help));
        }
        is_value(service, of, data, &path)?;
        return no_duplicate(&root, &BTreeSet::new());
    }
    let records = match data.items() {
        Some(records) => records,
        None if response.one_as_list && data.members().is_some() => std::slice::from_ref(data),
        None => {
            return Err(other_kind(data, &path, "an array")
                .help("correct the file, or write where the list is with `at`"));
        }
    };
    for (index, record) in records.iter().enumerate() {
        let is_rejected = rejected.binary_search(&index).is_ok();
        match is_value(service, of, record, &format!("{path}[{index}]")) {
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

/// Returns the data of a successful response, or `None` if there is none. Also checks the fields beside the list.
fn data<'j>(
    service: &Service,
    body: &Response,
    root: &'j Json,
) -> Result<Option<&'j Json>, Misfit> {
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
            is_value(
                service,
                &Type::Model(beside),
                json,
                &format!("$.{}", body.beside_at().join(".")),
            )?;
        }
        let is_absent =
            |found: &&Json| body.absent_as_empty && found.leaf().is_some_and(Leaf::is_null);
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

fn missing(json: &Json, place: &str, origin: &str) -> Misfit {
    let Some(members) = json.members() else { return other_kind(json, "$", "an object") };
    let keys: Vec<_> =
        members.iter().map(|member| format!("`{}`", shown(&member.key))).take(12).collect();
    let keys = if keys.is_empty() { "no keys".to_owned() } else { keys.join(", ") };
    let start = json.span.start..json.span.start + 1;
    let misfit = Misfit::new(&start, format!("the response has no `{place}`"));
    misfit.help(format!("correct the file, or {origin}; the object has {keys}"))
}

fn other_kind(json: &Json, path: &str, expected: &str) -> Misfit {
    let what = if path == "$" { "the response".to_owned() } else { format!("`{path}`") };
    let start = json.span.start..json.span.start + 1;
    let misfit = Misfit::new(&start, format!("{what} must be {expected}, not {}", json.kind()));
    misfit.help("correct the file, or the response of the operation")
}

/// Returns whether a failure means an empty list.
fn means_empty(verdict: &Verdict, root: &Json) -> bool {
    let is_in = |path: &[String], texts: &[String]| {
        let found = path.iter().try_fold(root, |json, key| json.get(key));
        !path.is_empty() && found.and_then(text).is_some_and(|text| texts.contains(&text))
    };
    is_in(&verdict.code, &verdict.empty_codes) || is_in(&verdict.message, &verdict.empty_messages)
}

/// Returns the text of a value that is not an object or a list.
fn text(json: &Json) -> Option<String> {
    let leaf = json.leaf()?;
    Some(leaf.as_str().map_or_else(|| leaf.to_string(), str::to_owned))
}

/// Checks that a response reports success.
fn succeeded(decides: &Decides, root: &Json) -> Result<(), Misfit> {
    let path = decides.path();
    let name = path.join(".");
    let found = path.iter().try_fold(root, |json, key| json.get(key));
    let text = found.and_then(text);
    let help = "correct the file or the envelope; an example shows a successful response";
    let misfit = match (decides, found) {
        (Decides::Success { .. }, None) => missing(root, &name, "the envelope"),
        (Decides::Success { is, .. }, Some(_))
            if text.as_ref().is_some_and(|text| is.contains(text)) =>
        {
            return Ok(());
        }
        (Decides::Success { is, .. }, Some(found)) => {
            let text =
                text.map_or_else(|| found.kind().to_owned(), |text| format!("`{}`", shown(&text)));
            let is: Vec<_> = is.iter().map(String::as_str).collect();
            Misfit::new(&found.span, format!("`{name}` must be {}, not {text}", listed(&is)))
                .help(help)
        }
        (Decides::Failure { .. }, Some(found)) if text.as_deref() != Some("null") => {
            Misfit::new(&found.span, format!("`{name}` is present, so the call failed")).help(help)
        }
        (Decides::Failure { .. }, _) => return Ok(()),
    };
    Err(misfit)
}

/// Checks a JSON value against a type. Messages show the path.
fn is_value(service: &Service, ty: &Type, json: &Json, path: &str) -> Result<(), Misfit> {
    let expected = |what: &str| {
        let help = format!("correct the file, or the type of the field{}", instead(ty, json));
        Err(Misfit { at: Some(json.span.clone()), ..other_kind(json, path, what) }.help(help))
    };
    match ty {
        Type::Value(ty) => {
            let Some(leaf) = json.leaf().filter(|leaf| ty.accepts(leaf)) else {
                return expected(&ty.expected());
            };
            let text = leaf.as_str().map_or_else(|| leaf.to_string(), str::to_owned);
            match ty.as_closed_enum() {
                Some(one) if !one.lists(&text) => {
                    let help = "correct the file, add the value to the enum, or make it `open-ended = true`";
                    Err(Misfit::new(&json.span, format!("`{path}` must be {}", choices(one)))
                        .help(help))
                }
                _ => Ok(()),
            }
        }
        Type::Model(id) => {
            let Some(members) = json.members() else { return expected("an object") };
            let fields = &service.model(*id).fields;
            let mut keys = BTreeSet::new();
            for member in members {
                if !keys.insert(&member.key) && fields.iter().any(|field| field.wire == member.key)
                {
                    return Err(duplicate(member));
                }
            }
            fields.iter().try_for_each(|field| is_field(service, field, json, path))
        }
        Type::List(of) => {
            let Some(items) = json.items() else { return expected("an array") };
            let mut items = items.iter().enumerate();
            items.try_for_each(|(at, item)| is_value(service, of, item, &format!("{path}[{at}]")))
        }
        Type::Map(of) => {
            let Some(members) = json.members() else { return expected("an object") };
            let mut keys = BTreeSet::new();
            members.iter().try_for_each(|member| {
                if !keys.insert(&member.key) {
                    return Err(duplicate(member));
                }
                is_value(service, of, &member.json, &format!("{path}.{}", shown(&member.key)))
            })
        }
    }
}

/// Checks a field of a record.
fn is_field(service: &Service, field: &Field, record: &Json, path: &str) -> Result<(), Misfit> {
    const MISSING: &str = "correct the file, or make the field `presence = \"optional\"`";
    let Some(json) = record.get(&field.wire) else {
        if !field.required {
            return Ok(());
        }
        let start = record.span.start..record.span.start + 1;
        return Err(Misfit::new(&start, format!("`{path}` has no `{}`", field.wire)).help(MISSING));
    };
    let path = format!("{path}.{}", field.wire);
    let is_null = json.leaf() == Some(&Leaf::Null);
    if is_null && field.required {
        return Err(Misfit::new(&json.span, format!("`{path}` must not be null")).help(MISSING));
    }
    let is_blank =
        json.leaf().and_then(Leaf::as_str) == Some("") && field.is(Leniency::BlankAsNone);
    let is_empty =
        json.items().is_some_and(<[Json]>::is_empty) && field.is(Leniency::EmptyArrayAsMap);
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
fn instead(ty: &Type, json: &Json) -> String {
    let (is_scalar, is_enum) = match ty {
        Type::Value(ty) if ty.codes().is_some() => {
            return ": its scalar needs the value in `true` or `false`".to_owned();
        }
        Type::Value(ValueType::Scalar(_)) => (true, false),
        Type::Value(ValueType::Enum(_)) => (false, true),
        _ => (false, false),
    };
    let wire = match json.kind() {
        "a string" => "string",
        _ => "integer",
    };
    match json.kind() {
        "a string" | "a number" if is_scalar => format!(": its scalar needs `wire = \"{wire}\"`"),
        "a string" | "a number" if is_enum => format!(": its enum needs `wire = \"{wire}\"`"),
        "a string" => ": use `text`".to_owned(),
        "a number" => ": use `integer`".to_owned(),
        "a boolean" => ": use `boolean`".to_owned(),
        "a fraction" => ": use `float`".to_owned(),
        "an array" => format!("\n{LIST}"),
        "an object" => format!("\n{MAP}"),
        _ => String::new(),
    }
}

/// Returns the mistake of a key that its object already has.
fn duplicate(member: &Member) -> Misfit {
    Misfit::new(&member.key_span, format!("duplicate key `{}`", member.key))
        .help("remove one of them")
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
