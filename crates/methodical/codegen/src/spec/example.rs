//! Checks the examples against the operations: the parameters and the exact queries. The decoders of the runtime check the
//! responses, in the tests of the generated crates.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::diag::{closest, say};
use crate::ir::{Code, Example, ITEM, Operation, Param, Primitive, RustName, Service};
use crate::spec::content;
use crate::spec::context::{Context, RENAME, owned};
use crate::spec::language::{self, Document, Side};
use crate::spec::read::{At, OneOrMany, Single};

pub(super) fn examples(
    cx: &mut Context<'_>,
    document: &Document,
    service: &Service,
    folder: Option<&Path>,
) -> Vec<Example> {
    let given = &document.examples;
    cx.distinct_texts("example", RENAME, given.iter().map(|example| &*example.name));
    // After an error above, an example may be correct and the declaration wrong.
    let clean = cx.is_clean();
    let lower = |one| example(cx, one, document, service, folder, clean);
    let examples = given.iter().filter_map(lower).collect();
    if cx.is_clean() {
        let shown: BTreeSet<_> = given.iter().map(|example| example.operation.as_str()).collect();
        for name in document.operations.names().filter(|name| !shown.contains(name.as_str())) {
            say!(cx, name.span, "the operation `{name}` has no example" => "add an `[[example]]` for it");
        }
    }
    examples
}

fn example(
    cx: &mut Context<'_>,
    given: &language::Example,
    document: &Document,
    service: &Service,
    folder: Option<&Path>,
    clean: bool,
) -> Option<Example> {
    let name = &given.operation;
    if document.operations.named(name).is_none() {
        let known: Vec<_> = document.operations.names().map(|name| name.as_str()).collect();
        cx.unknown(name, format_args!("unknown operation `{name}`"), &known, "");
    }
    // An operation with a mistake is not in the service.
    let mut operations = service.operations.iter().enumerate();
    let (index, operation) = operations.find(|(_, one)| one.rust.words() == name.value)?;
    let params = if clean { params(cx, given, operation) } else { None };
    if let Some(params) = &params {
        request(cx, given, service, operation, params);
    }
    let rejected = given.rejected.iter().flat_map(|list| list.iter());
    let rejected: BTreeSet<_> = rejected.filter_map(|at| usize::try_from(at.0).ok()).collect();
    let may_be_empty = operation.response.may_be_empty();
    let body = response(cx, &given.response, folder, may_be_empty)?;
    let applies = |side| given.applies_to.as_ref().is_none_or(|sides| sides.contains(&side));
    Some(Example {
        name: RustName::new(&given.name)?,
        operation: index,
        doc: given.doc.value.clone(),
        params: params?,
        query: owned(given.query.as_ref()).unwrap_or_default(),
        sent: owned(given.body.as_ref()).unwrap_or_default(),
        path: given.response.value.clone(),
        body,
        rejected: rejected.into_iter().collect(),
        client: applies(Side::Client),
        server: applies(Side::Server),
    })
}

/// Returns the text of the file that an example names, which must be JSON.
fn response(
    cx: &mut Context<'_>,
    file: &At<String>,
    folder: Option<&Path>,
    may_be_empty: bool,
) -> Option<String> {
    let Some(folder) = folder else { return Some(String::new()) };
    let bytes = match content(&folder.join(&file.value)) {
        Ok(bytes) => bytes,
        Err(why) => {
            let help = similar(folder, file).map_or_else(
                || "the path is relative to the folder of the spec".to_owned(),
                |similar| format!("did you mean `{similar}`?"),
            );
            say!(cx, file.span, "cannot read `{file}`: {why}" => "{help}");
            return None;
        }
    };
    let is_empty = bytes.trim_ascii().is_empty();
    if let Err(why) = serde_json::from_slice::<serde_json::Value>(&bytes)
        && !(is_empty && may_be_empty)
    {
        let why = if is_empty { "the file is empty".to_owned() } else { why.to_string() };
        say!(cx, file.span, "`{file}` is not JSON: {why}" => "correct the file");
    }
    String::from_utf8(bytes).ok()
}

/// Returns the path of a file with almost the same name.
fn similar(folder: &Path, name: &str) -> Option<String> {
    let (_, file) = name.rsplit_once('/').unwrap_or(("", name));
    let parent = name.strip_suffix(file)?;
    let entries = fs::read_dir(folder.join(parent)).ok()?;
    let names: BTreeSet<_> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    Some(parent.to_owned() + closest(file, &names)?)
}

/// Returns the parameters in the order of the operation, as wire text.
fn params(
    cx: &mut Context<'_>,
    given: &language::Example,
    operation: &Operation,
) -> Option<Vec<(usize, String)>> {
    let known: Vec<_> = operation.params.iter().map(|param| param.wire.as_str()).collect();
    let mut params = Vec::new();
    let mut whole = true;
    for (name, value) in given.params.iter().flat_map(|params| params.iter()) {
        let mut all = operation.params.iter().enumerate();
        let Some((index, param)) = all.find(|(_, param)| param.wire == name.value) else {
            let message =
                format_args!("unknown parameter `{name}` of `{}`", operation.rust.words());
            cx.unknown(name, message, &known, "");
            whole = false;
            continue;
        };
        match values(param, value) {
            Ok(text) => params.push((index, text)),
            Err(expected) => {
                say!(cx, value.span, "`{name}` must be {expected}");
                whole = false;
            }
        }
    }
    params.sort_by_key(|(index, _)| *index);
    let place = given.params.as_ref().map_or(&given.operation.span, |params| &params.span);
    (whole && complete(cx, operation, &params, place)).then_some(params)
}

/// Returns the wire text of a value, or of all values of a list. The error is the expected form.
fn values(param: &Param, given: &OneOrMany<Single>) -> Result<String, String> {
    let (items, style) = match (given.values.as_slice(), param.list) {
        ([one], None) if !given.is_list => return value(param, one),
        // A list is not of any type.
        (_, None) => return value(param, &Single::Float(String::new())),
        (_, Some(_)) if !given.is_list => return Err("a list".to_owned()),
        (items, Some(style)) => (items, style),
    };
    let items: Vec<_> = items.iter().map(|item| value(param, item)).collect::<Result<_, _>>()?;
    let is_separated = |separator| items.iter().any(|item| item.contains(separator));
    match style.separator() {
        _ if items.is_empty() => Err("a list that is not empty".to_owned()),
        Some(separator) if is_separated(separator) => Err(format!("values without `{separator}`")),
        _ => Ok(items.join(&ITEM.to_string())),
    }
}

/// Returns the wire text of a value. The error is the expected form.
fn value(param: &Param, value: &Single) -> Result<String, String> {
    Err(match (param.ty.in_query(), value) {
        (Primitive::Coded, Single::Boolean(flag)) => {
            let code = param
                .ty
                .codes()
                .and_then(|codes| if *flag { codes.yes.first() } else { codes.no.first() });
            return Ok(code.map(Code::text).unwrap_or_default());
        }
        (Primitive::Boolean, Single::Boolean(flag)) => return Ok(flag.to_string()),
        (Primitive::Boolean | Primitive::Coded, _) => "`true` or `false`".to_owned(),
        (Primitive::Signed, Single::Integer(number)) => {
            let low = param.min.is_some_and(|min| *number < min);
            if !low && param.max.is_none_or(|max| *number <= max) {
                return Ok(number.to_string());
            }
            limits(param)
        }
        (Primitive::Signed, _) => "an integer".to_owned(),
        (Primitive::Unsigned, Single::Integer(number)) if *number >= 0 => {
            return Ok(number.to_string());
        }
        (Primitive::Unsigned, _) => "a non-negative integer".to_owned(),
        (Primitive::Text, Single::Text(text)) if !text.is_empty() => {
            let most = param.max_chars.unwrap_or(u32::MAX);
            if text.chars().count() <= most as usize {
                return Ok(text.clone());
            }
            format!("text of at most {most} characters")
        }
        (Primitive::Text, _) => "non-empty text".to_owned(),
    })
}

/// Returns the limits of an integer, of which there is at least one.
fn limits(param: &Param) -> String {
    match (param.min, param.max) {
        (Some(min), Some(max)) => format!("between {min} and {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, max) => max.map(|max| format!("at most {max}")).unwrap_or_default(),
    }
}

/// Returns whether a call has all parameters that it needs.
fn complete(
    cx: &mut Context<'_>,
    operation: &Operation,
    params: &[(usize, String)],
    place: &Range<usize>,
) -> bool {
    let has = |index: usize| params.iter().any(|(given, _)| *given == index);
    let mut missing = BTreeSet::new();
    for (index, param) in operation.params.iter().enumerate() {
        if param.required && !has(index) {
            missing.insert(format!("missing required parameter `{}`", param.wire));
        }
        for need in param.needs.iter().filter(|&&need| has(index) && !has(need)) {
            let needed = operation.params.get(*need).map_or("", |param| param.wire.as_str());
            missing.insert(format!("`{}` is given without `{needed}`, which it needs", param.wire));
        }
    }
    let complete = missing.is_empty();
    for message in missing {
        say!(cx, *place, "{message}");
    }
    complete
}

/// Checks the query and the body of an example.
fn request(
    cx: &mut Context<'_>,
    given: &language::Example,
    service: &Service,
    operation: &Operation,
    params: &[(usize, String)],
) {
    let params: Vec<_> = params
        .iter()
        .filter_map(|(index, value)| Some((operation.params.get(*index)?, value.clone())))
        .collect();
    let (query, body) = service.request_of(operation, &params);
    let texts: [(&str, Option<&At<String>>, String, char); 2] = [
        ("query", given.query.as_deref(), query, '"'),
        ("body", given.body.as_deref(), body, '\''),
    ];
    for (key, given_text, sent, quote) in texts {
        if given_text.map(|text| text.as_str()).unwrap_or_default() == sent {
            continue;
        }
        let help = if sent.is_empty() {
            format!("remove `{key}`: the client sends none")
        } else {
            format!("write `{key} = {quote}{sent}{quote}`")
        };
        let span = given_text.map_or(&given.operation.span, |text| &text.span);
        say!(cx, *span, "the {key} differs from the one that the client sends" => "{help}");
    }
}
