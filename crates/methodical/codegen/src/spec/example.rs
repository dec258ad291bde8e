//! Checks the examples against the operations: the parameters, and the exact queries and bodies. The responses are
//! checked by the runtime's decoders, in the tests of the generated crates.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::diag::say;
use crate::ir::{Code, Example, ITEM, Operation, Param, Primitive, RustName, Service};
use crate::spec::context::{Context, RENAME, exact, owned};
use crate::spec::language::{self, Document, Side};
use crate::spec::read::{At, OneOrMany};

pub(super) fn examples(
    cx: &mut Context<'_>,
    document: &Document,
    service: &Service,
    folder: Option<&Path>,
) -> Vec<Example> {
    let given = &document.examples;
    cx.distinct("example", RENAME, given.iter().map(|example| exact(&example.name)));
    // After an error above, an example may be correct and the declaration wrong.
    let clean = cx.diagnostics.is_empty();
    let lower = |one| example(cx, one, document, service, folder, clean);
    let examples = given.iter().filter_map(lower).collect();
    if cx.diagnostics.is_empty() {
        let shown: BTreeSet<_> = given.iter().map(|example| example.operation.as_str()).collect();
        for name in document.operations.names().filter(|name| !shown.contains(name.as_str())) {
            say!(cx, name, "the operation `{name}` has no example" => "add an `[[example]]` for it");
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
        let known = document.operations.names().map(|name| &name.value);
        cx.unknown(name, format_args!("unknown operation `{name}`"), known, "");
    }
    // An operation with a mistake is not in the service.
    let mut operations = service.operations.iter().enumerate();
    let (index, operation) = operations.find(|(_, one)| one.rust.words() == name.value)?;
    let params = if clean { params(cx, given, operation) } else { None };
    if let Some(params) = &params {
        request(cx, given, service, operation, params);
    }
    let rejected: BTreeSet<_> =
        given.rejected.iter().flat_map(|list| list.iter()).copied().collect();
    let may_be_empty = operation.response.may_be_empty();
    let body = response(cx, &given.response, folder, may_be_empty)?;
    let applies = |side| given.applies_to.as_ref().is_none_or(|sides| sides.contains(&side));
    Some(Example {
        name: RustName::new(&given.name)?,
        operation: index,
        doc: given.doc.value.clone(),
        params: params?.into_iter().map(|(param, text)| (param.wire.clone(), text)).collect(),
        query: owned(given.query.as_ref()).unwrap_or_default(),
        sent: owned(given.body.as_ref()).unwrap_or_default(),
        path: given.response.value.clone(),
        body,
        rejected: rejected.into_iter().collect(),
        client: applies(Side::Client),
        server: applies(Side::Server),
    })
}

/// Returns the text of the file that an example names. The text must be JSON or, with `may_be_empty`, empty.
fn response(
    cx: &mut Context<'_>,
    file: &At<String>,
    folder: Option<&Path>,
    may_be_empty: bool,
) -> Option<String> {
    let Some(folder) = folder else { return Some(String::new()) };
    let read = fs::read(folder.join(&file.value)).map_err(|why| {
        say!(cx, file, "cannot read `{file}`: {why}" => "the path is relative to the folder of the spec");
    });
    let bytes = read.ok()?;
    let is_empty = bytes.trim_ascii().is_empty();
    if let Err(why) = serde_json::from_slice::<serde_json::Value>(&bytes)
        && !(is_empty && may_be_empty)
    {
        let why = if is_empty { "the file is empty".to_owned() } else { why.to_string() };
        say!(cx, file, "`{file}` is not JSON: {why}" => "correct the file");
    }
    String::from_utf8(bytes).ok()
}

/// Returns the parameters in the order of the operation, as wire text.
fn params<'o>(
    cx: &mut Context<'_>,
    given: &language::Example,
    operation: &'o Operation,
) -> Option<Vec<(&'o Param, String)>> {
    let mut params = Vec::new();
    for (name, value) in given.params.iter().flat_map(|params| params.iter()) {
        let Some(param) = operation.params.iter().find(|param| param.wire == name.value) else {
            let known = operation.params.iter().map(|param| &param.wire);
            let message =
                format_args!("unknown parameter `{name}` of `{}`", operation.rust.words());
            cx.unknown(name, message, known, "");
            continue;
        };
        match values(param, value) {
            Ok(text) => params.push((param, text)),
            Err(expected) => say!(cx, value, "`{name}` must be {expected}"),
        }
        for item in value.values() {
            cx.visible(name, &item.text(), value);
        }
    }
    params.sort_by_key(|(param, _)| operation.params.iter().position(|one| one == *param));
    let place = given.params.as_ref().map_or(&given.operation.span, |params| &params.span);
    let is_whole = given.params.as_ref().is_none_or(|all| all.len() == params.len());
    (is_whole && complete(cx, operation, &params, place)).then_some(params)
}

/// Returns the wire text of a value, or of all values in a list. The error says which form was expected.
fn values(param: &Param, given: &OneOrMany<Code>) -> Result<String, &'static str> {
    match (given, param.list) {
        (OneOrMany::Many(items), Some(style)) if !items.is_empty() => {
            let items = items.iter().map(|item| match value(param, item)? {
                text if style.separator().is_some_and(|between| text.contains(between)) => {
                    Err("a list of values that do not contain the separator of its `style`")
                }
                text => Ok(text),
            });
            Ok(items.collect::<Result<Vec<_>, _>>()?.join(&ITEM.to_string()))
        }
        (_, Some(_)) => Err("a non-empty list"),
        (OneOrMany::Many(_), None) => Err("a single value"),
        (OneOrMany::One(item), None) => value(param, item),
    }
}

/// Returns the wire text of a value. The error says which form was expected.
fn value(param: &Param, value: &Code) -> Result<String, &'static str> {
    let (fits, expected) = match param.ty.in_query {
        Primitive::Boolean | Primitive::Coded => {
            (matches!(value, Code::Boolean(_)), "`true` or `false`")
        }
        Primitive::Signed => (matches!(value, Code::Integer(_)), "an integer"),
        Primitive::Unsigned => (matches!(value, Code::Integer(0..)), "a non-negative integer"),
        Primitive::Text => {
            (matches!(value, Code::Text(text) if !text.is_empty()), "non-empty text")
        }
    };
    let code = match (&param.ty.codes, value) {
        (Some(codes), Code::Boolean(true)) => codes.yes.first(),
        (Some(codes), Code::Boolean(false)) => codes.no.first(),
        _ => None,
    };
    if fits { Ok(code.unwrap_or(value).text()) } else { Err(expected) }
}

/// Returns whether a call has all parameters that are required or that others need. Reports a missing one.
fn complete(
    cx: &mut Context<'_>,
    operation: &Operation,
    params: &[(&Param, String)],
    place: &Range<usize>,
) -> bool {
    let is_missing = |(index, param): &(usize, &Param)| {
        let is_needed =
            param.required || params.iter().any(|(given, _)| given.needs.contains(index));
        is_needed && !params.iter().any(|(given, _)| given == param)
    };
    let missing = operation.params.iter().enumerate().find(is_missing);
    if let Some((_, param)) = missing {
        say!(cx, *place, "missing parameter `{}`, which the call needs", param.wire);
    }
    missing.is_none()
}

/// Checks the query and the body of an example.
fn request(
    cx: &mut Context<'_>,
    given: &language::Example,
    service: &Service,
    operation: &Operation,
    params: &[(&Param, String)],
) {
    let (query, body) = service.request_of(operation, params);
    let texts: [(&str, Option<&At<String>>, String, char); 2] = [
        ("query", given.query.as_deref(), query, '"'),
        ("body", given.body.as_deref(), body, '\''),
    ];
    for (key, given_text, sent, quote) in texts {
        if given_text.map(|text| text.as_str()).unwrap_or_default() == sent {
            continue;
        }
        let help = if sent.is_empty() {
            format!("remove `{key}`: the client sends no `{key}`")
        } else {
            format!("write `{key} = {quote}{sent}{quote}`")
        };
        let span = given_text.map_or(&given.operation.span, |text| &text.span);
        say!(cx, *span, "the {key} differs from the one that the client sends" => "{help}");
    }
}
