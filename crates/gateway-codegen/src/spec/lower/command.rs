//! Checks that commands of operations and flags of parameters do not conflict.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::diag::code::COMMANDS_COLLIDE;
use crate::ir::{Operation, Param};
use crate::spec::context::Context;
use crate::spec::node::Entry;

/// Reports operations with the same command, or with a command that is the first word of another.
pub(super) fn operations(cx: &mut Context<'_>, operations: &[(&Entry, Operation)]) {
    // A duplicate selector is reported elsewhere.
    let mut selectors = BTreeSet::new();
    let mut nouns = BTreeSet::new();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (entry, operation) in operations {
        let Some(span) = entry.node.get("select").map(|node| &node.span) else { continue };
        if !selectors.insert(&operation.select) {
            continue;
        }
        let (command, select) = (operation.command(), operation.select.as_str());
        // Commands with a verb share their noun; a command without a verb does not.
        let alone = command.verb.is_none();
        if nouns.insert(command.noun.clone()) || alone {
            above.push((command.rust.words(), select, span));
        }
        below.extend(command.verb.map(|verb| (format!("{} {verb}", command.noun), select, span)));
    }
    cx.distinct(&COMMANDS_COLLIDE, "selector", above.into_iter());
    cx.distinct(&COMMANDS_COLLIDE, "selector", below.into_iter());
}

/// Reports parameters of an operation with the same flag.
pub(super) fn flags(cx: &mut Context<'_>, given: &[Entry], params: &[Param]) {
    // Parameters with the same Rust name are reported elsewhere.
    let mut names = BTreeSet::new();
    let flags: Vec<(String, &str, &Range<usize>)> = given
        .iter()
        .zip(params)
        .filter(|(_, param)| names.insert(param.rust.snake()))
        .map(|(entry, param)| (param.flag(), entry.key.as_str(), &entry.key_span))
        .collect();
    cx.distinct(&COMMANDS_COLLIDE, "parameter", flags.into_iter());
}
