//! Lowers the codes of booleans.

use crate::diag::{Diagnostic, code};
use crate::ir::{Code, Codes, Wire};
use crate::spec::context::Context;
use crate::spec::node::{Node, Value};

/// Lowers the JSON values of a boolean; `None` if the scalar has another wire, or a list is missing.
pub(super) fn lower(cx: &mut Context<'_>, node: &Node, wire: Wire, example: &str) -> Option<Codes> {
    let lists = ["true", "false"].map(|key| (key, node.get(key)));
    if wire != Wire::Codes {
        for (key, list) in lists {
            let Some(list) = list else { continue };
            let message = format!("only a scalar with `wire = \"codes\"` has `{key}`");
            let help = format!("write `wire = \"codes\"`, or remove `{key}`");
            cx.say(Diagnostic::new(&code::UNFIT_TYPE, &list.span, message).help(help));
        }
        return None;
    }
    let [yes, no] = lists.map(|(key, list)| codes(cx, node, key, list));
    let codes = Codes { yes: yes?, no: no? };
    let both = codes.yes.iter().find(|one| codes.no.iter().any(|no| no.text() == one.text()));
    if let (Some(both), Some(list)) = (both, node.get("false")) {
        let message = format!("`{}` cannot be both true and false", both.text());
        let help = "remove it from one of the lists";
        cx.say(Diagnostic::new(&code::DUPLICATE_WIRE, &list.span, message).help(help));
    }
    if let Some(given) = node.get("example").filter(|_| codes.value(example).is_none()) {
        let texts: Vec<_> = codes.all().map(|code| format!("`{}`", code.text())).collect();
        let message = format!("the example must be {}", texts.join(" or "));
        cx.say(Diagnostic::new(&code::EXAMPLE_VALUE, &given.span, message));
    }
    Some(codes)
}

fn codes(cx: &mut Context<'_>, node: &Node, key: &str, list: Option<&Node>) -> Option<Vec<Code>> {
    let Some(list) = list else {
        let span = node.get("wire").map_or(0..0, |wire| wire.span.clone());
        let message = format!("missing key `{key}` in a scalar with `wire = \"codes\"`");
        let help = format!("add the JSON values: `{key} = [{}]`", u8::from(key == "true"));
        cx.say(Diagnostic::new(&code::MISSING_KEY, &span, message).help(help));
        return None;
    };
    let codes: Vec<_> = list.list().iter().filter_map(|one| code(&one.value)).collect();
    if codes.is_empty() {
        let message = format!("`{key}` has no values");
        let diagnostic = Diagnostic::new(&code::EMPTY, &list.span, message);
        cx.say(diagnostic.help("list at least one JSON value"));
        return None;
    }
    Some(codes)
}

fn code(value: &Value) -> Option<Code> {
    Some(match value {
        Value::Text(text) => Code::Text(text.clone()),
        Value::Integer(number) => Code::Integer(*number),
        Value::Boolean(flag) => Code::Boolean(*flag),
        Value::Float(_) | Value::List(_) | Value::Table(_) => return None,
    })
}
