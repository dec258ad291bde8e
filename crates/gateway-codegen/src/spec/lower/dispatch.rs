//! Lowers how a call names its operation: the selectors, the constants, and the `select` of an operation.

use crate::diag::{Diagnostic, code};
use crate::ir::{Dispatch, Place};
use crate::spec::context::Context;
use crate::spec::grammar::{Form, hidden_in};
use crate::spec::node::{Entry, Node, Value};

/// Lowers the dispatch of a service. Language 1 has the selector in `service`.
pub(super) fn dispatch(cx: &mut Context<'_>, root: &Node) -> Dispatch {
    let head = root.get("service");
    let Some(node) = root.get("dispatch") else {
        let selector = head.and_then(|head| head.get("selector")).map(texts).unwrap_or_default();
        return Dispatch { place: Place::Query, selectors: selector, constants: Vec::new() };
    };
    let place = match node.text("in").as_str() {
        "path" => Place::Path,
        "form" => Place::Form,
        _ => Place::Query,
    };
    let selector = node.get("selector");
    match (place, selector) {
        (Place::Path, Some(selector)) => {
            let message = "a path that names the operation has no `selector`";
            let help = "remove `selector`, or `in = \"path\"`";
            cx.say(Diagnostic::new(&code::SELECTORS, &selector.span, message).help(help));
        }
        // A malformed selector was reported.
        (Place::Query | Place::Form, None) if cx.is_clean() => {
            let message = "missing key `selector` in `[dispatch]`";
            let help = "add `selector`: the parameter that selects the operation; or write `in = \"path\"`";
            let span = root.entries().iter().find(|entry| entry.key == "dispatch");
            let span = span.map_or(&node.span, |entry| &entry.key_span);
            cx.say(Diagnostic::new(&code::MISSING_KEY, span, message).help(help));
        }
        _ => {}
    }
    let selectors = selector.map(texts).unwrap_or_default();
    if let ([first, second], Some(selector)) = (selectors.as_slice(), selector)
        && first == second
    {
        let message = format!("duplicate selector `{first}`");
        let help = "remove or correct one of them";
        cx.say(Diagnostic::new(&code::DUPLICATE_WIRE, &selector.span, message).help(help));
    }
    let constants = node.entries_of("constants").iter();
    let constants = constants.filter_map(|entry| constant(cx, entry, &selectors)).collect();
    Dispatch { place, selectors, constants }
}

/// Lowers a parameter that every call has.
fn constant(cx: &mut Context<'_>, entry: &Entry, selectors: &[String]) -> Option<(String, String)> {
    if !Form::Param.fits(&entry.key) {
        let message = format!("the name of a constant must be {}", Form::Param.expected());
        cx.say(Diagnostic::new(&code::MALFORMED, &entry.key_span, message));
        return None;
    }
    if selectors.contains(&entry.key) {
        let message = format!("the constant `{}` has the name of the selector", entry.key);
        let help = "remove it; every call sends the selector";
        cx.say(Diagnostic::new(&code::SELECTOR_TAKEN, &entry.key_span, message).help(help));
    }
    let value = match &entry.node.value {
        Value::Text(text) | Value::Float(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::List(_) | Value::Table(_) => return None,
    };
    if let Some(c) = hidden_in(&value).or_else(|| value.chars().find(|c| *c == '\n')) {
        let message =
            format!("`{}` contains the invisible character U+{:04X}", entry.key, u32::from(c));
        let diagnostic = Diagnostic::new(&code::HIDDEN_CHARACTER, &entry.node.span, message);
        cx.say(diagnostic.help("remove the character"));
    }
    Some((entry.key.clone(), value))
}

/// Returns the value of the selector of an operation; those of two selectors with a `/` between them.
pub(super) fn select(cx: &mut Context<'_>, node: &Node, dispatch: &Dispatch) -> String {
    let Some(given) = node.get("select") else { return String::new() };
    let texts = texts(given);
    let expected = dispatch.selectors.len().max(1);
    if texts.len() != expected {
        let message = match (dispatch.selectors.as_slice(), expected) {
            ([first, second], _) => {
                format!("`select` must have two texts: the values of `{first}` and `{second}`")
            }
            _ => "`select` must be one text: the service has one selector".to_owned(),
        };
        let help = match texts.as_slice() {
            [one] if one.contains('/') => {
                let (first, second) = one.split_once('/').unwrap_or_default();
                format!("write `select = [\"{first}\", \"{second}\"]`")
            }
            _ => "`[dispatch]` names the selectors".to_owned(),
        };
        cx.say(Diagnostic::new(&code::SELECTORS, &given.span, message).help(help));
    } else if texts.len() > 1
        && let Some(text) =
            given.list().iter().find(|text| text.as_text().is_some_and(|text| text.contains('/')))
    {
        let message = "the value of one of two selectors must not contain `/`";
        let help = "names of operations have a `/` between the two values";
        cx.say(Diagnostic::new(&code::SELECTORS, &text.span, message).help(help));
    }
    texts.join("/")
}

/// Reports a parameter of an operation that every call has anyway.
pub(super) fn taken(cx: &mut Context<'_>, entry: &Entry, dispatch: &Dispatch) {
    let (what, help) = if dispatch.selectors.contains(&entry.key) {
        ("the selector", "remove it; every call sends the selector")
    } else if dispatch.constants.iter().any(|(name, _)| *name == entry.key) {
        ("a constant", "remove it, or the constant; every call sends the constants")
    } else {
        return;
    };
    let message = format!("parameter `{}` has the name of {what}", entry.key);
    cx.say(Diagnostic::new(&code::SELECTOR_TAKEN, &entry.key_span, message).help(help));
}

/// Returns a text, or the texts of a list.
pub(super) fn texts(node: &Node) -> Vec<String> {
    let all = node.list().iter().chain([node]);
    all.filter_map(Node::as_text).map(str::to_owned).collect()
}
