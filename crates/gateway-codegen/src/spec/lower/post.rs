//! Lowers how an operation is called by POST.

use crate::diag::{Diagnostic, code};
use crate::ir::{BodyFormat, Place, Post, SecretPlace, Service};
use crate::spec::context::Context;
use crate::spec::node::Entry;

/// Lowers the keys of an operation about its POST; `None` if it is called by GET.
pub(super) fn post(cx: &mut Context<'_>, entry: &Entry, service: &Service) -> Option<Post> {
    let node = &entry.node;
    let is_form = service.dispatch.place == Place::Form;
    let verb = node.text("verb");
    let is_post = verb == "post" || is_form;
    let is_json = node.text("body") == "json";
    if is_form && let Some(given) = node.get("verb").filter(|_| verb == "get") {
        let message = "a GET has no form, and the selector is in the form";
        let help = "remove `verb`, or `in = \"form\"` in `[dispatch]`";
        cx.say(Diagnostic::new(&code::BODY, &given.span, message).help(help));
    }
    if is_form
        && is_json
        && let Some(given) = node.get("body")
    {
        let message = "the body must be a form, which has the selector";
        let help = "remove `body`, or `in = \"form\"` in `[dispatch]`";
        cx.say(Diagnostic::new(&code::BODY, &given.span, message).help(help));
    }
    for key in ["body", "idempotent"] {
        if let Some(given) = node.get(key).filter(|_| !is_post) {
            let message = format!("`{key}` applies only to a POST");
            let help = format!("add `verb = \"post\"`, or remove `{key}`");
            cx.say(Diagnostic::new(&code::BODY, &given.span, message).help(help));
        }
    }
    let hidden = service.auth.secrets().iter().find(|one| one.place == SecretPlace::Form);
    if let Some(secret) = hidden.filter(|_| !is_post || is_json) {
        let message =
            format!("the secret `{}` is in the form, but this call has no form", secret.name);
        let help =
            "write `verb = \"post\"` and `body = \"form\"`, or choose another place of the secret";
        cx.say(Diagnostic::new(&code::SECRETS, &entry.key_span, message).help(help));
    }
    let format = if is_json { BodyFormat::Json } else { BodyFormat::Form };
    is_post.then(|| Post { format, is_idempotent: node.flag("idempotent") })
}
