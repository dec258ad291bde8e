//! Lowers the shape of a response, with its envelope.

use crate::diag::{Diagnostic, code};
use crate::ir::{ModelId, Response, Type};
use crate::spec::context::Context;
use crate::spec::node::Node;

/// The name of an operation's `envelope` that has none.
const NONE: &str = "none";

/// Checks the declared envelopes.
pub(super) fn envelopes(cx: &mut Context<'_>, root: &Node) {
    for entry in root.entries_of("envelope") {
        if entry.key == NONE {
            let message = "`none` means that a response has no envelope";
            let help = "choose another name";
            cx.say(Diagnostic::new(&code::NAMES_COLLIDE, &entry.key_span, message).help(help));
        }
    }
    if let Some(named) = root.get("service").and_then(|service| service.get("envelope")) {
        envelope(cx, root, named);
    }
}

/// Lowers the response of an operation.
pub(super) fn response(cx: &mut Context<'_>, root: &Node, node: &Node) -> Option<Response> {
    let entry = node.entries().first()?;
    let shape = &entry.node;
    let of = model(cx, shape)?;
    Some(match entry.key.as_str() {
        "envelope" => {
            distinct(cx, shape.get("marker"), shape.get("items"));
            Response::Envelope {
                marker: shape.text("marker"),
                success: shape.text("success"),
                items: shape.text("items"),
                of,
            }
        }
        "array" => Response::Array { of },
        "list" => match (around(root, shape), shape.get("at")) {
            (None, None) => Response::Array { of },
            (Some(named), Some(items)) => {
                let success = envelope(cx, root, named)?.get("success")?;
                distinct(cx, success.get("at"), Some(items));
                let [value] = success.list_of("is") else {
                    let span = success.get("is").map_or(&success.span, |is| &is.span);
                    let message = "a marker with several values is not supported yet";
                    cx.say(Diagnostic::new(&code::UNSUPPORTED, span, message));
                    return None;
                };
                Response::Envelope {
                    marker: success.text("at"),
                    success: value.as_text()?.to_owned(),
                    items: items.as_text()?.to_owned(),
                    of,
                }
            }
            (Some(_), None) | (None, Some(_)) => {
                let message = "a list has both an envelope and `at`, or neither";
                let help = "add the other one: a list in an object without a success marker is not supported yet";
                cx.say(Diagnostic::new(&code::UNSUPPORTED, &shape.span, message).help(help));
                return None;
            }
        },
        _ => {
            if around(root, shape).is_some() {
                let message = "an object in an envelope is not supported yet";
                let help = "write `envelope = \"none\"`, and declare the whole body as the model";
                cx.say(Diagnostic::new(&code::UNSUPPORTED, &shape.span, message).help(help));
                return None;
            }
            Response::Object { of }
        }
    })
}

fn model(cx: &mut Context<'_>, shape: &Node) -> Option<ModelId> {
    let named = shape.get("of")?;
    if let Type::Model(of) = cx.resolve(named.as_text()?, &named.span)? {
        return Some(of);
    }
    let message = format!("a response must be a model, and `{}` is not one", named.as_text()?);
    let help = "use a type that is declared as `[model.…]`";
    cx.say(Diagnostic::new(&code::UNFIT_TYPE, &named.span, message).help(help));
    None
}

/// Returns the name of the envelope around a response, if it has one: its own, or that of the service.
fn around<'n>(root: &'n Node, shape: &'n Node) -> Option<&'n Node> {
    let named = shape.get("envelope").or_else(|| root.get("service")?.get("envelope"));
    named.filter(|named| named.as_text() != Some(NONE))
}

/// Returns the envelope with a name.
fn envelope<'n>(cx: &mut Context<'_>, root: &'n Node, named: &Node) -> Option<&'n Node> {
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

fn distinct(cx: &mut Context<'_>, marker: Option<&Node>, items: Option<&Node>) {
    if let (Some(marker), Some(items)) = (marker, items)
        && marker.as_text() == items.as_text()
    {
        let message = "the marker and the list have the same key";
        cx.say(
            Diagnostic::new(&code::DUPLICATE_WIRE, &items.span, message)
                .help("correct one of them")
                .related(&marker.span, "the marker"),
        );
    }
}
