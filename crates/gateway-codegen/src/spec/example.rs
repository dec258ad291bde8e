//! Checks the examples against the operations: the exact queries, and every field of the responses.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use crate::diag::{Diagnostic, code};
use crate::ir::{Code, Example, ITEM, Operation, Param, Primitive, RustName, Service};
use crate::spec::context::{About, Context};
use crate::spec::fixture;
use crate::spec::node::{Node, Value};

pub(super) fn examples(
    cx: &mut Context<'_>,
    root: &Node,
    service: &Service,
    folder: Option<&Path>,
) -> Vec<Example> {
    let given = root.list_of("example");
    let nodes: Vec<_> = given.iter().collect();
    cx.distinct_texts(&code::NAMES_COLLIDE, "example", "name", &nodes);
    // After an error above, an example may be correct and the declaration wrong.
    let clean = cx.is_clean();
    let declared = root.entries_of("operation").iter().map(|entry| (entry.key.clone(), None));
    let mut operations: BTreeMap<_, _> = declared.collect();
    let in_service = service.operations.iter().enumerate();
    operations.extend(in_service.map(|(index, one)| (one.rust.words(), Some(index))));
    let all = All { service, operations, folder, clean };
    let examples: Vec<_> = given.iter().filter_map(|node| example(cx, node, &all)).collect();
    if cx.is_clean() {
        let shown: BTreeSet<_> = given.iter().map(|node| node.text("operation")).collect();
        for entry in root.entries_of("operation") {
            if !shown.contains(&entry.key) {
                let message = format!("the operation `{}` has no example", entry.key);
                let help = "add an `[[example]]` for it";
                cx.say(Diagnostic::new(&code::NO_EXAMPLE, &entry.key_span, message).help(help));
            }
        }
    }
    examples
}

/// The spec around an example.
struct All<'a> {
    service: &'a Service,
    /// The positions of the operations, by name; `None` for one whose response was rejected.
    operations: BTreeMap<String, Option<usize>>,
    folder: Option<&'a Path>,
    /// Whether no error was found before the examples.
    clean: bool,
}

fn example(cx: &mut Context<'_>, node: &Node, all: &All<'_>) -> Option<Example> {
    let All { service, folder, clean, .. } = *all;
    let about = About::of(cx, node);
    let named = node.get("operation")?;
    let index = operation(cx, named, &all.operations)?;
    let operation = service.operations.get(index)?;
    let params = if clean { params(cx, node, operation) } else { None };
    if let Some(params) = &params {
        request(cx, node, service, operation, params);
    }
    let rejected = rejected(node);
    let file = node.get("response")?;
    let body = fixture::read(cx, file, folder)?;
    if clean && folder.is_some() {
        fixture::check(cx, service, operation, node, (&body, &rejected));
    }
    let (client, server) = sides(cx, node);
    Some(Example {
        name: RustName::new(node.get("name")?.as_text()?)?,
        operation: index,
        doc: about.doc,
        params: params?,
        query: node.text("query"),
        sent: node.text("body"),
        path: file.as_text()?.to_owned(),
        body,
        rejected,
        client,
        server,
    })
}

fn operation(
    cx: &mut Context<'_>,
    given: &Node,
    operations: &BTreeMap<String, Option<usize>>,
) -> Option<usize> {
    let name = given.as_text()?;
    let index = operations.get(name).copied();
    if index.is_none() && !cx.is_rejected(name) {
        let message = format!("unknown operation `{name}`");
        let known: Vec<_> = operations.keys().map(String::as_str).collect();
        let diagnostic = Diagnostic::new(&code::UNKNOWN_OPERATION, &given.span, message);
        cx.say(diagnostic.suggest(name, &known));
    }
    index.flatten()
}

/// Returns the parameters in the order of the operation, as wire text.
fn params(
    cx: &mut Context<'_>,
    node: &Node,
    operation: &Operation,
) -> Option<Vec<(usize, String)>> {
    let given = node.entries_of("params");
    let mut params = Vec::new();
    let mut whole = true;
    for entry in given {
        let known: Vec<_> = operation.params.iter().map(|param| param.wire.as_str()).collect();
        let Some(index) = known.iter().position(|name| *name == entry.key) else {
            let message =
                format!("unknown parameter `{}` of `{}`", entry.key, operation.rust.words());
            let diagnostic = Diagnostic::new(&code::UNKNOWN_PARAM, &entry.key_span, message);
            cx.say(diagnostic.suggest(&entry.key, &known));
            whole = false;
            continue;
        };
        match operation.params.get(index).map(|param| values(param, &entry.node)) {
            Some(Ok(text)) => params.push((index, text)),
            Some(Err(expected)) => {
                let message = format!("`{}` must be {expected}", entry.key);
                cx.say(Diagnostic::new(&code::EXAMPLE_PARAMS, &entry.node.span, message));
                whole = false;
            }
            None => {}
        }
    }
    params.sort_by_key(|(index, _)| *index);
    let place =
        node.get("params").or_else(|| node.get("operation")).map_or(0..0, |node| node.span.clone());
    whole.then(|| complete(cx, operation, &params, &place)).flatten().map(|()| params)
}

/// Returns the wire text of a value, or of all values of a list. The error is the expected form.
fn values(param: &Param, node: &Node) -> Result<String, String> {
    let Some(style) = param.list else { return value(param, &node.value) };
    let Value::List(items) = &node.value else { return Err("a list".to_owned()) };
    let items: Vec<_> =
        items.iter().map(|item| value(param, &item.value)).collect::<Result<_, _>>()?;
    let is_separated = |separator| items.iter().any(|item| item.contains(separator));
    match style.separator() {
        _ if items.is_empty() => Err("a list that is not empty".to_owned()),
        Some(separator) if is_separated(separator) => Err(format!("values without `{separator}`")),
        _ => Ok(items.join(&ITEM.to_string())),
    }
}

/// Returns the wire text of a value. The error is the expected form.
pub(super) fn value(param: &Param, value: &Value) -> Result<String, String> {
    match (param.ty.in_query(), value) {
        (Primitive::Coded, Value::Boolean(flag)) => {
            let code = param.ty.codes().and_then(|codes| codes.of(*flag));
            Ok(code.map(Code::text).unwrap_or_default())
        }
        (Primitive::Signed, Value::Integer(number))
            if param.ty.as_closed_enum().is_some_and(|one| !one.lists(&number.to_string())) =>
        {
            Err(param.ty.as_closed_enum().map(fixture::choices).unwrap_or_default())
        }
        (Primitive::Signed, Value::Integer(number)) => {
            let low = param.min.is_some_and(|min| *number < min);
            let high = param.max.is_some_and(|max| *number > max);
            if low || high { Err(limits(param)) } else { Ok(number.to_string()) }
        }
        (Primitive::Signed, _) => Err("an integer".to_owned()),
        (Primitive::Unsigned, Value::Integer(number)) if *number >= 0 => Ok(number.to_string()),
        (Primitive::Unsigned, _) => Err("a non-negative integer".to_owned()),
        (Primitive::Float, Value::Integer(number)) => Ok(shortest(&number.to_string())),
        (Primitive::Float, Value::Float(text)) => Ok(shortest(text)),
        (Primitive::Float, _) => Err("a number".to_owned()),
        (Primitive::Boolean, Value::Boolean(flag)) => Ok(flag.to_string()),
        (Primitive::Boolean | Primitive::Coded, _) => Err("`true` or `false`".to_owned()),
        (Primitive::Text, Value::Text(text)) if !text.is_empty() => {
            let listed = param.ty.as_closed_enum().is_none_or(|one| one.lists(text));
            let short = param.max_chars.is_none_or(|max| text.chars().count() <= max as usize);
            match (listed, short) {
                (false, _) => {
                    Err(param.ty.as_closed_enum().map(fixture::choices).unwrap_or_default())
                }
                (_, false) => Err(format!(
                    "text of at most {} characters",
                    param.max_chars.unwrap_or_default()
                )),
                _ => Ok(text.clone()),
            }
        }
        (Primitive::Text, _) => Err("non-empty text".to_owned()),
    }
}

/// Returns the text of a number as a client sends it.
fn shortest(text: &str) -> String {
    text.parse::<f64>().map_or_else(|_| text.to_owned(), |number| number.to_string())
}

/// Returns the limits of an integer, of which there is at least one.
fn limits(param: &Param) -> String {
    match (param.min, param.max) {
        (Some(min), Some(max)) => format!("between {min} and {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, max) => max.map(|max| format!("at most {max}")).unwrap_or_default(),
    }
}

fn complete(
    cx: &mut Context<'_>,
    operation: &Operation,
    params: &[(usize, String)],
    place: &Range<usize>,
) -> Option<()> {
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
        cx.say(Diagnostic::new(&code::EXAMPLE_PARAMS, place, message));
    }
    complete.then_some(())
}

/// Checks the query and the body of an example.
fn request(
    cx: &mut Context<'_>,
    node: &Node,
    service: &Service,
    operation: &Operation,
    params: &[(usize, String)],
) {
    let params = params
        .iter()
        .filter_map(|(index, value)| Some((operation.params.get(*index)?, value.clone())));
    let (query, body) = service.request_of(operation, &params.collect::<Vec<_>>());
    for (key, sent, quote) in [("query", query, '"'), ("body", body, '\'')] {
        let given = node.get(key);
        if given.and_then(Node::as_text).unwrap_or_default() == sent {
            continue;
        }
        let message = format!("the {key} differs from the one that the client sends");
        let help = if sent.is_empty() {
            format!("remove `{key}`: the client sends none")
        } else {
            format!("write `{key} = {quote}{sent}{quote}`")
        };
        let span = given.or_else(|| node.get("operation")).map_or(&node.span, |one| &one.span);
        cx.say(Diagnostic::new(&code::EXAMPLE_QUERY, span, message).help(help));
    }
}

fn rejected(node: &Node) -> Vec<usize> {
    let numbers = node.list_of("rejected").iter().filter_map(|node| match node.value {
        Value::Integer(number) => usize::try_from(number).ok(),
        _ => None,
    });
    numbers.collect::<BTreeSet<_>>().into_iter().collect()
}

fn sides(cx: &mut Context<'_>, node: &Node) -> (bool, bool) {
    let Some(list) = node.get("applies-to") else { return (true, true) };
    for side in list.list() {
        let text = side.as_text().unwrap_or_default();
        if !matches!(text, "client" | "server") {
            let message = format!("unknown value `{text}` in `applies-to`");
            let diagnostic = Diagnostic::new(&code::UNKNOWN_CHOICE, &side.span, message);
            cx.say(diagnostic.suggest(text, &["client", "server"]));
        }
    }
    let has = |side| list.list().iter().any(|node| node.as_text() == Some(side));
    (has("client"), has("server"))
}
