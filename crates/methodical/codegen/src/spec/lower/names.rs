//! Checks that no two types, commands or flags have the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::diag::Diagnostic;
use crate::ir::{Param, RustName};
use crate::spec::context::{COMMANDS, Context, RUST_NAME};
use crate::spec::language::Document;
use crate::spec::lower::operation::Lowered;
use crate::spec::read::At;

/// Reports types with the same name, and files with the same name.
pub(super) fn distinct(cx: &mut Context<'_>, document: &Document) {
    let Document { scalars, enums, models, operations, service, .. } = document;
    let operations =
        || operations.iter().filter_map(|(name, one)| Some((&**name, one, RustName::new(name)?)));
    // Each recovered attribute has a constant that is named after the operation and the parameter.
    let constants = operations().flat_map(|(_, operation, rust)| {
        let params = operation.params.iter().filter(|(_, param)| param.recovers.is_some());
        params.filter_map(move |(key, param)| {
            let name = RustName::new(param.rust_name.as_ref().map_or(key, |name| name))?;
            Some((rust.followed_by(&name.words()).words(), key.as_str(), &key.span))
        })
    });
    cx.distinct("parameter", RUST_NAME, constants);
    // The OpenAPI document of an operation must not have the name of that of the whole service.
    let of_service = RustName::new(&service.name);
    if let Some((name, ..)) = operations().find(|(.., rust)| of_service.as_ref() == Some(rust)) {
        let message = format!("operation `{name}` and the service have the same name");
        let diagnostic = Diagnostic::new(&name.span, message)
            .help("rename one of them: each has an OpenAPI document with its name")
            .related(&service.name.span, "the service");
        cx.push(diagnostic);
    }

    // The section, the name, and what precedes or follows the name in that of a second type.
    let mut types: Vec<_> = scalars.names().map(|name| ("scalar", name, "")).collect();
    types.extend(enums.names().map(|name| ("enum", name, "unknown values")));
    types.extend(models.names().map(|name| ("model", name, "borrowed form")));
    // The second of two declarations is reported, and declarations need not be sorted by section.
    types.sort_by_key(|(_, name, _)| name.span.start);
    // The names with their declarations, and whether they are declared in the module of the queries. The mocks are not.
    let mut names = Vec::new();
    for (section, name, second) in types {
        let Some(rust) = RustName::new(name) else { continue };
        let further = match section {
            "enum" => Some(rust.preceded_by("unknown")),
            "model" => Some(rust.followed_by("ref")),
            _ => None,
        };
        names.push((rust, format!("{section} `{name}`"), &name.span, true));
        let what = format!("the {second} of {section} `{name}`");
        names.extend(further.map(|rust| (rust, what, &name.span, true)));
    }
    let mocks = operations().map(|(name, _, rust)| {
        (rust.preceded_by("mock"), format!("the mock of operation `{name}`"), &name.span, false)
    });
    names.extend(mocks);
    names.extend(
        operations().map(|(name, _, rust)| (rust, format!("operation `{name}`"), &name.span, true)),
    );

    // By the name in lowercase, because `FooBar` and `Foobar` are two types, but one file on a case-insensitive file system.
    let mut taken: BTreeMap<String, (String, String, &Range<usize>)> = BTreeMap::new();
    let mut reported = BTreeSet::new();
    for (rust, what, span, is_taken) in names {
        let name = rust.pascal();
        let Some((first, owner, first_span)) = taken.get(&name.to_lowercase()) else {
            if is_taken {
                taken.insert(name.to_lowercase(), (name, what, span));
            }
            continue;
        };
        if reported.insert((first_span.start, span.start)) {
            let message = if *first == name {
                format!("{what} and {owner} have the same name in Rust, `{name}`")
            } else {
                format!(
                    "the names of {what} and {owner} differ only in case: `{name}` and `{first}`"
                )
            };
            let diagnostic = Diagnostic::new(span, message).help("rename one of them");
            cx.push(diagnostic.related(first_span, owner.clone()));
        }
    }
}

/// Reports operations with the same command, or with a command that is the first word of another.
pub(super) fn commands(cx: &mut Context<'_>, operations: &[Lowered<'_>]) {
    // A duplicate selector is reported elsewhere.
    let mut selectors = BTreeSet::new();
    let mut nouns = BTreeSet::new();
    let mut types: BTreeMap<String, (String, &Range<usize>)> = BTreeMap::new();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for Lowered { given, operation, .. } in operations {
        let (span, select) = (&given.select.span, operation.select.as_str());
        if !selectors.insert(select) {
            continue;
        }
        let command = operation.command();
        // Commands with a verb share their noun; a command without a verb does not.
        let first = nouns.insert(command.noun.clone());
        if first || command.verb.is_none() {
            above.push((command.noun.clone(), select, span));
        }
        if first {
            let name = command.rust.variant();
            if let Some((noun, related)) = types.get(&name) {
                let message = format!(
                    "commands `{}` and `{noun}` have the same name in Rust, `{name}`",
                    command.noun
                );
                let diagnostic = Diagnostic::new(span, message).help(COMMANDS);
                cx.push(diagnostic.related(related, "the other one"));
            } else {
                types.insert(name, (command.noun.clone(), span));
            }
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
    cx.distinct("parameter", COMMANDS, flags.into_iter());
}
