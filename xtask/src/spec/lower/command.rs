//! Checks that every operation has a command of its own, and every parameter a flag.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::diag::code::COMMANDS_COLLIDE;
use crate::ir::{Operation, Param};
use crate::spec::context::Context;
use crate::spec::read::Entry;

/// Reports operations that are the same command, or one the command above another.
pub(super) fn operations(cx: &mut Context<'_>, operations: &[(&Entry, Operation)]) {
    // The same selector twice is a mistake of its own.
    let mut selectors = BTreeSet::new();
    let mut nouns = BTreeSet::new();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (entry, operation) in operations {
        let Some(span) = entry.node.get("select").map(|node| &node.span) else { continue };
        if !selectors.insert(&operation.select) {
            continue;
        }
        let (command, select) = (operation.command(), operation.select.as_str());
        // Verbs share their noun; what has no verb has its noun for itself.
        let alone = command.verb.is_none();
        if nouns.insert(command.noun.clone()) || alone {
            above.push((command.rust.words(), select, span));
        }
        below.extend(command.verb.map(|verb| (format!("{} {verb}", command.noun), select, span)));
    }
    cx.distinct(&COMMANDS_COLLIDE, "the selector", above.into_iter());
    cx.distinct(&COMMANDS_COLLIDE, "the selector", below.into_iter());
}

/// Reports parameters of an operation that are the same flag.
pub(super) fn flags(cx: &mut Context<'_>, given: &[Entry], params: &[Param]) {
    // Two that are one name in Rust were reported.
    let mut names = BTreeSet::new();
    let flags: Vec<(String, &str, &Range<usize>)> = given
        .iter()
        .zip(params)
        .filter(|(_, param)| names.insert(param.rust.snake()))
        .map(|(entry, param)| (param.flag(), entry.key.as_str(), &entry.key_span))
        .collect();
    cx.distinct(&COMMANDS_COLLIDE, "the parameter", flags.into_iter());
}
