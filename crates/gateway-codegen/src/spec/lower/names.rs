//! Checks that no two types in generated code have the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::diag::{Diagnostic, code};
use crate::ir::RustName;
use crate::spec::context::Context;
use crate::spec::node::{Entry, Node};

/// Reports types with the same name, and files with the same name.
pub(super) fn distinct(cx: &mut Context<'_>, root: &Node) {
    let operations = root.entries_of("operation");
    let mut types: Vec<_> = ["scalar", "enum", "model"]
        .into_iter()
        .flat_map(|section| root.entries_of(section).iter().map(move |entry| (section, entry)))
        .collect();
    // The second of two declarations is reported, and declarations need not be sorted by section.
    types.sort_by_key(|(_, entry)| entry.key_span.start);

    let mut names = Names { cx, taken: BTreeMap::new(), reported: BTreeSet::new() };
    for (section, entry) in types {
        let Some(rust) = RustName::new(&entry.key) else { continue };
        names.claim(&rust, format!("{section} `{}`", entry.key), &entry.key_span, RENAME);
        let second = match section {
            "model" => Some((rust.followed_by("ref"), "borrowed form")),
            "enum" if entry.node.flag("open-ended") => {
                Some((rust.preceded_by("unknown"), "unknown values"))
            }
            _ => None,
        };
        if let Some((rust, what)) = second {
            let what = format!("the {what} of {section} `{}`", entry.key);
            names.claim(&rust, what, &entry.key_span, RENAME);
        }
    }
    // These are declared where the types are imported, but not in the same module as the queries.
    for entry in operations {
        let Some(rust) = RustName::new(&entry.key) else { continue };
        let mock = format!("the mock of operation `{}`", entry.key);
        names.check(&rust.preceded_by("mock"), &mock, &entry.key_span, RENAME);
        // Several states are a tuple without names.
        let mut states = needed(entry);
        if let (Some(param), None) = (states.next(), states.next())
            && let Some(rust) = rust_name(param)
        {
            let what = format!("the state of parameter `{}`", param.key);
            names.check(&rust.preceded_by("has"), &what, &param.key_span, RENAME);
        }
    }
    // Each recovered attribute has a constant that is named after the operation and the parameter.
    let constants = operations.iter().flat_map(|operation| {
        let params = operation.node.entries_of("param").iter();
        let recovering = params.filter(|param| param.node.get("recovers").is_some());
        recovering.filter_map(|param| {
            let name = RustName::new(&operation.key)?.followed_by(&rust_name(param)?.words());
            Some((name.words(), param.key.as_str(), &param.key_span))
        })
    });
    names.cx.distinct(&code::NAMES_COLLIDE, "parameter", constants);
    for entry in operations {
        let Some(rust) = RustName::new(&entry.key) else { continue };
        let help = names.another(&rust, entry, operations).unwrap_or_else(|| RENAME.to_owned());
        names.claim(&rust, format!("operation `{}`", entry.key), &entry.key_span, &help);
        let mut params = entry.node.entries_of("param").iter();
        if params.any(|param| !param.node.flag("required")) {
            let what = format!("the parameters of operation `{}`", entry.key);
            names.claim(&rust.followed_by("params"), what, &entry.key_span, RENAME);
        }
    }
    files(cx, root, operations);
}

fn rust_name(param: &Entry) -> Option<RustName> {
    RustName::new(param.node.get("rust-name").and_then(Node::as_text).unwrap_or(&param.key))
}

/// Returns the optional parameters that others need.
fn needed(operation: &Entry) -> impl Iterator<Item = &Entry> {
    let params = operation.node.entries_of("param");
    let needed: BTreeSet<_> = params
        .iter()
        .flat_map(|param| param.node.list_of("needs"))
        .filter_map(Node::as_text)
        .collect();
    let is_needed = move |param: &&Entry| needed.contains(param.key.as_str());
    params.iter().filter(is_needed).filter(|param| !param.node.flag("required"))
}

/// The hint of a collision.
const RENAME: &str = "rename one of them";

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
    /// Returns a hint with a verb for the name of an operation; `None` if that name is taken, or begins with the verb.
    fn another(&self, rust: &RustName, operation: &Entry, all: &[Entry]) -> Option<String> {
        let response = operation.node.get("response")?;
        let is_object = response.get("object").is_some();
        let verb = if is_object { "get" } else { "list" };
        let name = rust.preceded_by(verb);
        let is_free = !self.taken.contains_key(&name.pascal().to_lowercase())
            && all.iter().all(|one| RustName::new(&one.key).as_ref() != Some(&name));
        let has_verb = rust.words().starts_with(&format!("{verb}_"));
        (is_free && !has_verb)
            .then(|| format!("rename one of them: the operation could be `{}`", name.words()))
    }

    /// Takes a name; reports an error if it is taken.
    fn claim(&mut self, rust: &RustName, what: String, span: &'n Range<usize>, help: &str) {
        if self.check(rust, &what, span, help) {
            let name = rust.pascal();
            self.taken.insert(name.to_lowercase(), (name, what, span));
        }
    }

    /// Reports an error if a name is taken. Returns whether it is free.
    fn check(&mut self, rust: &RustName, what: &str, span: &Range<usize>, help: &str) -> bool {
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
            let diagnostic = Diagnostic::new(&code::NAMES_COLLIDE, span, message)
                .help(help)
                .related(first_span, owner.clone());
            self.cx.say(diagnostic);
        }
        false
    }
}

/// Reports an operation whose OpenAPI document has the name of the document of the whole service.
fn files(cx: &mut Context<'_>, root: &Node, operations: &[Entry]) {
    let Some(service) = root.get("service").and_then(|service| service.get("name")) else { return };
    let name = service.as_text().and_then(RustName::new);
    let Some(entry) = operations.iter().find(|entry| RustName::new(&entry.key) == name) else {
        return;
    };
    let message = format!("operation `{}` and the service have the same name", entry.key);
    let diagnostic = Diagnostic::new(&code::NAMES_COLLIDE, &entry.key_span, message)
        .help("rename one of them: each has an OpenAPI document with its name")
        .related(&service.span, "the service");
    cx.say(diagnostic);
}
