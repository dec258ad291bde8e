//! Lowers how a call is authenticated.

use crate::diag::{Diagnostic, code};
use crate::ir::{Auth, Dispatch, Doc, SECRET, Secret, SecretPlace};
use crate::spec::context::Context;
use crate::spec::node::{Entry, Node};

/// Lowers the authentication of a service.
pub(super) fn auth(cx: &mut Context<'_>, root: &Node, dispatch: &Dispatch) -> Auth {
    // Language 1 has only bearer tokens.
    let Some(entry) = root.get("auth").and_then(|auth| auth.entries().first()) else {
        return Auth::Bearer;
    };
    let given: Vec<_> = match entry.key.as_str() {
        "none" => Vec::new(),
        "secret" => vec![&entry.node],
        "secrets" => entry.node.list().iter().collect(),
        _ => {
            placeholder(cx, root, &[]);
            return Auth::Bearer;
        }
    };
    let secrets: Vec<_> = given.iter().filter_map(|node| secret(cx, node, dispatch)).collect();
    let places: Vec<_> = given.iter().map(|node| node.text("in")).collect();
    let names = given.iter().filter_map(|node| {
        let name = node.get("name")?;
        Some((name.as_text()?.to_ascii_lowercase(), name.as_text()?, &name.span))
    });
    cx.distinct(&code::SECRETS, "secret", names);
    placeholder(cx, root, &places);
    if entry.key == "none" { Auth::None } else { Auth::Secrets(secrets) }
}

fn secret(cx: &mut Context<'_>, node: &Node, dispatch: &Dispatch) -> Option<Secret> {
    let (place, name) = (node.get("in")?, node.get("name"));
    let place = match place.as_text()? {
        "query" => SecretPlace::Query,
        "form" => SecretPlace::Form,
        "header" => SecretPlace::Header,
        _ => SecretPlace::Path,
    };
    let Some(name) = name else {
        if place != SecretPlace::Path {
            let message = format!("missing key `name` of a secret in the {}", place.word());
            let help = "add `name`: the name of the parameter or header";
            cx.say(Diagnostic::new(&code::MISSING_KEY, &node.span, message).help(help));
        }
        return Some(Secret { name: "secret".to_owned(), place, doc: Doc(node.text("doc")) });
    };
    let text = name.as_text()?;
    let taken = match place {
        SecretPlace::Query | SecretPlace::Form => {
            dispatch.sends(text).then_some("every call has this parameter anyway")
        }
        SecretPlace::Header => {
            let lower = text.to_ascii_lowercase();
            HEADERS.contains(&lower.as_str()).then_some("the client sets this header itself")
        }
        SecretPlace::Path => None,
    };
    if let Some(why) = taken {
        let message = format!("the secret `{text}` is not possible: {why}");
        let help = "choose another name or place";
        cx.say(Diagnostic::new(&code::SECRETS, &name.span, message).help(help));
    }
    Some(Secret { name: text.to_owned(), place, doc: Doc(node.text("doc")) })
}

/// Checks that the path has a placeholder if, and only if, a secret is in the path.
fn placeholder(cx: &mut Context<'_>, root: &Node, places: &[String]) {
    let Some(path) = root.get("service").and_then(|service| service.get("path")) else { return };
    let found = path.as_text().unwrap_or_default().matches(SECRET).count();
    let secrets = places.iter().filter(|place| *place == "path").count();
    let (message, help) = match (found, secrets) {
        (0, 0) | (1, 1) => return,
        (0, _) => (
            "the path has no place for the secret",
            "write `{secret}` in the path, such as `/bot{secret}`",
        ),
        (_, 0) => (
            "the path has a place for a secret, but no secret is in the path",
            "remove `{secret}`, or write `secret = { in = \"path\", … }` in `[auth]`",
        ),
        _ => {
            ("the path can have only one secret", "keep one `{secret}` and one secret in the path")
        }
    };
    cx.say(Diagnostic::new(&code::SECRETS, &path.span, message).help(help));
}

/// Reports a parameter of an operation that has the name of a secret.
pub(super) fn taken(cx: &mut Context<'_>, entry: &Entry, auth: &Auth) {
    let mut secrets = auth.secrets().iter();
    let is_parameter = |place| matches!(place, SecretPlace::Query | SecretPlace::Form);
    if secrets.any(|one| is_parameter(one.place) && one.name == entry.key) {
        let message = format!("parameter `{}` has the name of a secret", entry.key);
        let help = "remove it; every call sends the secret";
        cx.say(Diagnostic::new(&code::SELECTOR_TAKEN, &entry.key_span, message).help(help));
    }
}

/// Headers that the client or its transport sets.
const HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "te",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];
