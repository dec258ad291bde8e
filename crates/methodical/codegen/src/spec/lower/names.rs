//! Checks that no two types, commands or flags have the same name.

use std::collections::BTreeSet;

use crate::ir::{Param, RustName};
use crate::spec::context::{COMMANDS, Context, FLAGS, RENAME};
use crate::spec::language::Document;
use crate::spec::lower::operation::Lowered;
use crate::spec::read::At;

/// Reports types and operations with the same name in Rust, also in another case, because `FooBar` and `Foobar` are two types,
/// but one file on a case-insensitive file system.
pub(super) fn distinct(cx: &mut Context<'_>, document: &Document) {
    let Document { scalars, enums, models, operations, .. } = document;
    let types = scalars.names().chain(enums.names()).chain(models.names());
    let names = types.chain(operations.names()).filter_map(|name| {
        let rust = RustName::new(name)?.pascal().to_lowercase();
        Some((rust, name.as_str(), &name.span))
    });
    let mut names: Vec<_> = names.collect();
    // The second of two declarations is reported, and declarations need not be sorted by section.
    names.sort_by_key(|(.., span)| span.start);
    cx.distinct("name", RENAME, names.into_iter());
}

/// Reports operations with the same command, or with a command that is the first word of another.
pub(super) fn commands(cx: &mut Context<'_>, operations: &[Lowered<'_>]) {
    // A duplicate selector is reported elsewhere.
    let mut selectors = BTreeSet::new();
    let mut nouns = BTreeSet::new();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for Lowered { given, operation } in operations {
        let (span, select) = (&given.select.span, operation.select.as_str());
        if !selectors.insert(select) {
            continue;
        }
        let command = operation.command();
        // Commands with a verb share their noun; a command without a verb does not.
        if nouns.insert(command.noun.clone()) || command.verb.is_none() {
            above.push((command.noun.clone(), select, span));
        }
        below.extend(command.verb.map(|verb| (format!("{} {verb}", command.noun), select, span)));
    }
    cx.distinct("selector", COMMANDS, above.into_iter());
    cx.distinct("selector", COMMANDS, below.into_iter());
}

/// Reports parameters of an operation with the same flag.
pub(super) fn flags(cx: &mut Context<'_>, keys: &[&At<String>], params: &[Param]) {
    // Parameters with the same Rust name are reported elsewhere.
    let mut names = BTreeSet::new();
    let flags: Vec<_> = keys
        .iter()
        .zip(params)
        .filter(|(_, param)| names.insert(param.rust.snake()))
        .map(|(key, param)| (param.flag(), key.as_str(), &key.span))
        .collect();
    cx.distinct("parameter", FLAGS, flags.into_iter());
}
