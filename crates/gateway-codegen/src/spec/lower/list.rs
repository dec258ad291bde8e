//! Lowers the style of a parameter whose value is a list.

use crate::diag::{Diagnostic, code};
use crate::ir::{ListStyle, Param};
use crate::spec::context::Context;
use crate::spec::node::Entry;

/// Lowers the style of a parameter; `None` if its value is not a list.
pub(super) fn style(
    cx: &mut Context<'_>,
    entry: &Entry,
    is_list: bool,
    is_json: bool,
) -> Option<ListStyle> {
    let given = entry.node.get("style");
    // An unknown style was reported.
    let is_absent = given.is_none() && cx.is_clean();
    let mut say = |span, message: &str, help: &str| {
        cx.say(Diagnostic::new(&code::STYLE, span, message).help(help));
    };
    match given {
        Some(style) if !is_list => {
            say(&style.span, "`style` applies only to lists", "remove `style`, or write `list<…>`");
        }
        Some(style) if is_json => {
            say(&style.span, "a list in a JSON body is an array", "remove `style`");
        }
        None if is_list && !is_json && is_absent => {
            let help = "add `style`: `comma`, `pipe`, `repeat`, `bracket` or `index`";
            say(&entry.key_span, "a list in a query or a form needs a `style`", help);
        }
        _ => {}
    }
    if let Some(recovers) = entry.node.get("recovers").filter(|_| is_list) {
        let message = "a list recovers no attribute: records have different values of it";
        cx.say(Diagnostic::new(&code::RECOVERS, &recovers.span, message).help("remove `recovers`"));
    }
    if is_json {
        return is_list.then_some(ListStyle::Array);
    }
    let word = given.and_then(|style| style.as_text()).unwrap_or("repeat");
    let style = ListStyle::ALL.into_iter().find(|style| style.word() == word);
    is_list.then_some(style.unwrap_or(ListStyle::Repeat))
}

/// Reports parameters with the name of a value of a list.
pub(super) fn distinct(cx: &mut Context<'_>, given: &[Entry], params: &[Param]) {
    for (entry, param) in given.iter().zip(params) {
        let Some((outer, key)) =
            param.wire.strip_suffix(']').and_then(|name| name.rsplit_once('['))
        else {
            continue;
        };
        let is_index = key.bytes().all(|byte| byte.is_ascii_digit());
        let mut lists = params.iter().filter(|list| list.list == Some(ListStyle::Index));
        if is_index && lists.any(|list| list.wire == outer) {
            let message = format!("the list `{outer}` has values with the name `{}`", param.wire);
            let diagnostic = Diagnostic::new(&code::DUPLICATE_WIRE, &entry.key_span, message);
            cx.say(diagnostic.help("remove or rename one of them"));
        }
    }
}
