//! Lowers envelopes: how a body reports success or failure.

use crate::diag::{Diagnostic, code};
use crate::ir::{Decides, ErrorClass, Verdict};
use crate::spec::context::Context;
use crate::spec::node::{Entry, Node};

/// The name of an operation's `envelope` that has none.
const NONE: &str = "none";

/// An envelope around the data of an operation.
pub(super) struct Envelope<'n> {
    pub(super) verdict: Verdict,
    /// The place of the member that decides.
    pub(super) marker: &'n Node,
}

/// Checks the declared envelopes.
pub(super) fn envelopes(cx: &mut Context<'_>, root: &Node) {
    for entry in root.entries_of("envelope") {
        if entry.key == NONE {
            let message = "`none` means that a response has no envelope";
            let help = "choose another name";
            cx.say(Diagnostic::new(&code::NAMES_COLLIDE, &entry.key_span, message).help(help));
        }
        check(cx, entry);
    }
    if let Some(name) = root.get("service").and_then(|service| service.get("envelope")) {
        declared(cx, root, name);
    }
}

/// Returns the name of the envelope around a response, if it has one: its own, or that of the service.
pub(super) fn around<'n>(root: &'n Node, shape: &'n Node) -> Option<&'n Node> {
    let named = shape.get("envelope").or_else(|| root.get("service")?.get("envelope"));
    named.filter(|named| named.as_text() != Some(NONE))
}

/// Returns the envelope with a name.
pub(super) fn named<'n>(
    cx: &mut Context<'_>,
    root: &'n Node,
    named: &Node,
) -> Option<Envelope<'n>> {
    lower(declared(cx, root, named)?)
}

/// Returns the keys of a path, and reports an empty one.
pub(super) fn path(cx: &mut Context<'_>, node: &Node) -> Option<Vec<String>> {
    let path = split(node)?;
    if path.iter().any(String::is_empty) {
        let message = "a path has an empty key";
        let help = "write keys with one dot between them, such as `photos.photo`";
        cx.say(Diagnostic::new(&code::MALFORMED, &node.span, message).help(help));
        return None;
    }
    Some(path)
}

fn split(node: &Node) -> Option<Vec<String>> {
    Some(node.as_text()?.split('.').map(str::to_owned).collect())
}

fn declared<'n>(cx: &mut Context<'_>, root: &'n Node, named: &Node) -> Option<&'n Node> {
    let name = named.as_text()?;
    let declared = root.entries_of("envelope");
    if let Some(entry) = declared.iter().find(|entry| entry.key == name) {
        cx.used.insert(name.to_owned());
        return Some(&entry.node);
    }
    if !cx.is_rejected(name) && name != NONE {
        let known: Vec<_> = declared.iter().map(|entry| entry.key.as_str()).collect();
        let message = format!("unknown envelope `{name}`");
        let diagnostic = Diagnostic::new(&code::UNKNOWN_ENVELOPE, &named.span, message);
        cx.say(diagnostic.help(format!("declare it as `[envelope.{name}]`")).suggest(name, &known));
    }
    None
}

/// Reports the mistakes in a declared envelope.
fn check(cx: &mut Context<'_>, entry: &Entry) {
    let node = &entry.node;
    let mut say = |span, message: &str, help: &str| {
        cx.say(Diagnostic::new(&code::ENVELOPE, span, message.to_owned()).help(help));
    };
    match (node.get("success"), node.get("failure")) {
        (Some(success), Some(_)) => say(
            &success.span,
            "an envelope has either `success` or `failure`",
            "remove one of them",
        ),
        (None, None) => say(
            &entry.key_span,
            "an envelope needs `success` or `failure`",
            "add `success = { at = \"…\", is = [\"…\"] }`, or `failure = { present = \"…\" }`",
        ),
        _ => {}
    }
    if let Some(is) = node.get("success").and_then(|success| success.get("is"))
        && is.list().is_empty()
    {
        say(&is.span, "a success marker needs a value", "add one to the list");
    }
    let error = node.get("error");
    let has = |key| error.is_some_and(|error| error.get(key).is_some());
    if let Some(error) = error
        && !has("code")
        && !has("message")
    {
        let help = "add `code`, `message` or both";
        say(&error.span, "`error` names neither a code nor a message", help);
    }
    if let Some(classes) = node.get("error-class")
        && !has("code")
        && !has("message")
    {
        let help = "add `error = { code = \"…\" }`, or `message`: where the code or the message is";
        say(&classes.span, "classes need an error code or message", help);
    }
    for key in ["code", "message"] {
        if let Some(texts) = node.get("empty").and_then(|empty| empty.get(key))
            && !has(key)
        {
            let message = format!("`empty.{key}` needs `error.{key}`");
            let help = format!("add `error = {{ {key} = \"…\" }}`: where it is");
            say(&texts.span, &message, &help);
        }
    }
    let words = ErrorClass::WORDS.map(|(word, _)| word);
    for class in node.entries_of("error-class") {
        let word = class.node.as_text().unwrap_or_default();
        if !words.contains(&word) {
            let message = match class.node.as_text() {
                Some(word) => format!("unknown error class `{word}`"),
                None => "an error class must be a string".to_owned(),
            };
            let diagnostic = Diagnostic::new(&code::UNKNOWN_CHOICE, &class.node.span, message);
            cx.say(diagnostic.suggest(word, &words));
        }
    }
    let places =
        [("success", "at"), ("failure", "present"), ("error", "code"), ("error", "message")];
    for (table, key) in places {
        if let Some(node) = node.get(table).and_then(|table| table.get(key)) {
            path(cx, node);
        }
    }
    if let Some(at) = error.and_then(|error| error.get("at"))
        && at.as_text() != Some("")
    {
        path(cx, at);
    }
}

fn lower(node: &Node) -> Option<Envelope<'_>> {
    let (marker, decides) = if let Some(success) = node.get("success") {
        let marker = success.get("at")?;
        let is = success.list_of("is").iter().filter_map(Node::as_text).map(str::to_owned);
        (marker, Decides::Success { at: split(marker)?, is: is.collect() })
    } else {
        let marker = node.get("failure")?.get("present")?;
        (marker, Decides::Failure { present: split(marker)? })
    };
    let error = node.get("error");
    let above = error.and_then(|error| error.get("at")).filter(|at| at.as_text() != Some(""));
    let above = above.and_then(split).unwrap_or_default();
    let below = |key: &str| -> Vec<String> {
        let place = error.and_then(|error| error.get(key)).and_then(split);
        place.map(|place| [above.clone(), place].concat()).unwrap_or_default()
    };
    let empty = |key: &str| -> Vec<String> {
        let list = node.get("empty").map(|empty| empty.list_of(key)).unwrap_or_default();
        list.iter().filter_map(Node::as_text).map(str::to_owned).collect()
    };
    let classes = node.entries_of("error-class").iter().filter_map(|entry| {
        let word = entry.node.as_text()?;
        let (_, class) = ErrorClass::WORDS.iter().find(|(known, _)| *known == word)?;
        Some((entry.key.clone(), *class))
    });
    let verdict = Verdict {
        decides,
        code: below("code"),
        message: below("message"),
        classes: classes.collect(),
        empty_codes: empty("code"),
        empty_messages: empty("message"),
    };
    Some(Envelope { verdict, marker })
}
