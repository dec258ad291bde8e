//! Checks that commands of operations and flags of parameters do not conflict.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::diag::Diagnostic;
use crate::diag::code::COMMANDS_COLLIDE;
use crate::ir::{Operation, Param};
use crate::spec::context::Context;
use crate::spec::node::Entry;

/// Reports operations with the same command, or with a command that is the first word of another.
pub(super) fn operations(cx: &mut Context<'_>, operations: &[(&Entry, Operation)]) {
    // A duplicate selector is reported elsewhere.
    let mut selectors = BTreeSet::new();
    let mut nouns = BTreeSet::new();
    let mut types: BTreeMap<String, (String, &Range<usize>)> = BTreeMap::new();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (entry, operation) in operations {
        let Some(span) = entry.node.get("select").map(|node| &node.span) else { continue };
        if !selectors.insert(&operation.select) {
            continue;
        }
        let (command, select) = (operation.command(), operation.select.as_str());
        // Commands with a verb share their noun; a command without a verb does not.
        let alone = command.verb.is_none();
        let first = nouns.insert(command.noun.clone());
        if first || alone {
            above.push((command.noun.clone(), select, span));
        }
        if first {
            let name = command.rust.variant();
            if let Some((noun, related)) = types.get(&name) {
                let message = format!(
                    "commands `{}` and `{noun}` have the same name in Rust, `{name}`",
                    command.noun
                );
                let diagnostic = Diagnostic::new(&COMMANDS_COLLIDE, span, message)
                    .help("remove one of the two; `explain GW036` shows the rules")
                    .related(related, "the other one");
                cx.say(diagnostic);
            } else {
                types.insert(name, (command.noun.clone(), span));
            }
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
