//! Checks that no two types, commands or flags have the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::diag::Diagnostic;
use crate::ir::{Param, RustName};
use crate::spec::context::{COMMANDS, Context, RUST_NAME};
use crate::spec::language::{self, Document};
use crate::spec::lower::operation::Lowered;
use crate::spec::read::At;

/// Reports types with the same name, and files with the same name.
pub(super) fn distinct(cx: &mut Context<'_>, document: &Document) {
    let rust = |name: &At<String>| RustName::new(name);
    // The section, the name, and another name with its description.
    let mut types: Vec<_> = document.scalars.names().map(|name| ("scalar", name, None)).collect();
    let unknown = |name| rust(name).map(|rust| (rust.preceded_by("unknown"), "unknown values"));
    types.extend(document.enums.names().map(|name| ("enum", name, unknown(name))));
    let borrowed = |name| rust(name).map(|rust| (rust.followed_by("ref"), "borrowed form"));
    types.extend(document.models.names().map(|name| ("model", name, borrowed(name))));
    // The second of two declarations is reported, and declarations need not be sorted by section.
    types.sort_by_key(|(_, name, _)| name.span.start);

    let mut names = Names { cx, taken: BTreeMap::new(), reported: BTreeSet::new() };
    for (section, name, second) in types {
        let Some(rust) = rust(name) else { continue };
        names.claim(&rust, format!("{section} `{name}`"), &name.span);
        if let Some((rust, what)) = second {
            names.claim(&rust, format!("the {what} of {section} `{name}`"), &name.span);
        }
    }
    // These are declared where the types are imported, but not in the same module as the queries.
    for name in document.operations.names() {
        let Some(rust) = rust(name) else { continue };
        let mock = format!("the mock of operation `{name}`");
        names.check(&rust.preceded_by("mock"), &mock, &name.span);
    }
    // Each recovered attribute has a constant that is named after the operation and the parameter.
    let constants = document.operations.iter().flat_map(|(name, operation)| {
        let params = operation.params.iter().filter(|(_, param)| param.recovers.is_some());
        params.filter_map(move |(key, param)| {
            let name = RustName::new(name)?.followed_by(&param_name(key, param)?.words());
            Some((name.words(), key.as_str(), &key.span))
        })
    });
    names.cx.distinct("parameter", RUST_NAME, constants);
    for name in document.operations.names() {
        let Some(rust) = rust(name) else { continue };
        names.claim(&rust, format!("operation `{name}`"), &name.span);
    }
    // The OpenAPI document of an operation must not have the name of that of the whole service.
    let service = &document.service.name;
    if let Some(name) = document.operations.names().find(|name| rust(name) == rust(service)) {
        let message = format!("operation `{name}` and the service have the same name");
        let diagnostic = Diagnostic::new(&name.span, message)
            .help("rename one of them: each has an OpenAPI document with its name")
            .related(&service.span, "the service");
        cx.push(diagnostic);
    }
}

fn param_name(key: &At<String>, param: &language::Parameter) -> Option<RustName> {
    RustName::new(param.rust_name.as_ref().map_or(key, |name| name))
}

/// The names of types so far.
struct Names<'a, 'c, 'n> {
    cx: &'a mut Context<'c>,
    /// By the name in lowercase: the name, its declaration, and its position. `FooBar` and `Foobar`
    /// are two types, but one file on a case-insensitive file system.
    taken: BTreeMap<String, (String, String, &'n Range<usize>)>,
    /// The pairs of declarations that were reported.
    reported: BTreeSet<(usize, usize)>,
}

impl<'n> Names<'_, '_, 'n> {
    /// Takes a name; reports an error if it is taken.
    fn claim(&mut self, rust: &RustName, what: String, span: &'n Range<usize>) {
        if self.check(rust, &what, span) {
            let name = rust.pascal();
            self.taken.insert(name.to_lowercase(), (name, what, span));
        }
    }

    /// Reports an error if a name is taken. Returns whether it is free.
    fn check(&mut self, rust: &RustName, what: &str, span: &Range<usize>) -> bool {
        let name = rust.pascal();
        let Some((first, owner, first_span)) = self.taken.get(&name.to_lowercase()) else {
            return true;
        };
        if self.reported.insert((first_span.start, span.start)) {
            let message = if *first == name {
                format!("{what} and {owner} have the same name in Rust, `{name}`")
            } else {
                format!(
                    "the names of {what} and {owner} differ only in case: `{name}` and `{first}`"
                )
            };
            let diagnostic = Diagnostic::new(span, message).help("rename one of them");
            self.cx.push(diagnostic.related(first_span, owner.clone()));
        }
        false
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
