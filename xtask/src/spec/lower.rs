//! From the tree to the service: names are resolved, and what a grammar cannot say is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use crate::diag::{Code, Diagnostic, code};
use crate::ir::{Doc, OpenPoint, OpenRef, RustName, Service, Source, Type};
use crate::spec::read::{Entry, Node};
use crate::spec::{example, types};

mod command;
mod operation;

/// Lowers a document. `None` if so much is missing that there is no service at all; otherwise a
/// service that may be used only if no error was reported.
pub(super) fn service(
    root: &Node,
    folder: Option<&Path>,
    refused: &[String],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Service> {
    let mut cx = Context { diagnostics, types: BTreeMap::new(), used: BTreeSet::new(), refused };
    let head = root.get("service")?;
    let selector = head.text("selector");

    types::declare(&mut cx, root);
    let scalars = types::scalars(&mut cx, root);
    let enums = types::enums(&mut cx, root);
    let models = types::models(&mut cx, root);
    let open_points = open_points(&mut cx, root);
    let about = About::of(&mut cx, head);
    let mut service = Service {
        name: head.text("name"),
        title: head.text("title"),
        version: head.text("version"),
        api_version: head.text("api-version"),
        path: head.text("path"),
        selector,
        accept: head.text("accept"),
        doc: about.doc,
        source: about.source,
        open: about.open,
        scalars,
        enums,
        models,
        operations: Vec::new(),
        examples: Vec::new(),
        open_points,
        spec_hash: String::new(),
    };
    service.operations = operation::operations(&mut cx, root, &service);
    open_references(&mut cx, root);
    service.examples = example::examples(&mut cx, root, &service, folder);
    // What is left over after a mistake says nothing.
    if cx.is_clean() {
        unused(&mut cx, root);
    }
    Some(service)
}

/// What every step of lowering shares.
pub(super) struct Context<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Declared types by name, with the place of the declaration.
    pub(super) types: BTreeMap<String, (Type, Range<usize>)>,
    /// Names of types and open points that something refers to.
    pub(super) used: BTreeSet<String>,
    /// Names that were refused where they are declared: what refers to them is no second mistake.
    refused: &'a [String],
}

impl Context<'_> {
    pub(super) fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether no mistake was found so far. What only follows from a mistake is not reported.
    pub(super) fn is_clean(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.code.warning)
    }

    /// Whether a declaration of this name was refused.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        self.refused.iter().any(|refused| refused.eq_ignore_ascii_case(name))
    }

    /// Resolves the name of a type, built in or declared.
    pub(super) fn resolve(&mut self, name: &str, span: &Range<usize>) -> Option<Type> {
        if let Some((_, ty)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return Some(*ty);
        }
        if let Some((ty, _)) = self.types.get(name) {
            self.used.insert(name.to_owned());
            return Some(*ty);
        }
        if self.is_refused(name) {
            return None;
        }
        let diagnostic =
            Diagnostic::new(&code::UNKNOWN_TYPE, span, format!("unknown type `{name}`"));
        let built_in = BUILT_IN.iter().map(|(name, _)| *name);
        let names: Vec<_> = self.types.keys().map(String::as_str).chain(built_in).collect();
        let diagnostic = diagnostic.suggest(name, &names);
        self.say(diagnostic);
        None
    }

    /// The Rust name of a declaration: `rust-name` if given, else made of the wire name.
    pub(super) fn rust_name(&mut self, entry: &Entry) -> Option<RustName> {
        let given = entry.node.get("rust-name");
        let (text, span) = match given {
            Some(node) => (node.as_text().unwrap_or_default(), &node.span),
            None => (entry.key.as_str(), &entry.key_span),
        };
        let name = RustName::new(text);
        if name.is_none() {
            let message = format!("no Rust name can be made of `{text}`");
            let help = "give it one with `rust-name = \"…\"`";
            self.say(Diagnostic::new(&code::NO_RUST_NAME, span, message).help(help));
        }
        name
    }

    /// Reports names that are one in generated code.
    pub(super) fn distinct<'n>(
        &mut self,
        code: &'static Code,
        what: &str,
        names: impl Iterator<Item = (String, &'n str, &'n Range<usize>)>,
    ) {
        let mut seen: BTreeMap<String, (&str, &Range<usize>)> = BTreeMap::new();
        for (name, written, span) in names {
            if let Some((first, first_span)) = seen.get(&name) {
                let message = if *first == written {
                    format!("{what} `{written}` stands here a second time")
                } else {
                    let place = if *code == code::COMMANDS_COLLIDE {
                        "one on the command line"
                    } else {
                        "one name in generated code"
                    };
                    format!("{what} `{written}` and `{first}` are {place}")
                };
                self.say(Diagnostic::new(code, span, message).related(first_span, "first here"));
            } else {
                seen.insert(name, (written, span));
            }
        }
    }
}

const BUILT_IN: [(&str, Type); 3] =
    [("text", Type::Text), ("integer", Type::Integer), ("boolean", Type::Boolean)];

/// What almost every declaration has.
pub(super) struct About {
    pub(super) doc: Doc,
    pub(super) source: Source,
    pub(super) open: Vec<OpenRef>,
    pub(super) deprecated: Option<String>,
}

impl About {
    pub(super) fn of(cx: &mut Context<'_>, node: &Node) -> Self {
        let open = node.get("open").map(Node::list).unwrap_or_default();
        let open: Vec<_> = open.iter().filter_map(Node::as_text).map(str::to_owned).collect();
        cx.used.extend(open.iter().cloned());
        Self {
            doc: Doc(node.text("doc")),
            source: Source(node.text("source")),
            open: open.into_iter().map(OpenRef).collect(),
            deprecated: node.get("deprecated").and_then(Node::as_text).map(str::to_owned),
        }
    }
}

fn open_points(cx: &mut Context<'_>, root: &Node) -> Vec<OpenPoint> {
    let entries = root.get("open-point").map(Node::entries).unwrap_or_default();
    let names =
        entries.iter().map(|entry| (entry.key.to_lowercase(), entry.key.as_str(), &entry.key_span));
    cx.distinct(&code::NAMES_COLLIDE, "the open point", names);
    let mut points: Vec<(u32, &Entry)> = Vec::new();
    for entry in entries {
        let Some(number) = entry.node.integer("number") else { continue };
        let span = entry.node.get("number").map_or(&entry.key_span, |node| &node.span);
        let number = u32::try_from(number).unwrap_or_default();
        if let Some((_, first)) = points.iter().find(|(other, _)| *other == number) {
            let message = format!("the number {number} is taken by `{}`", first.key);
            let next = entries.len();
            let taken: Vec<_> =
                entries.iter().filter_map(|entry| entry.node.integer("number")).collect();
            let free = (1..10_000).find(|free| !taken.contains(free)).unwrap_or_default();
            let help = format!("{free} is free (there are {next} open points)");
            cx.say(Diagnostic::new(&code::NUMBERING, span, message).help(help));
        } else if usize::try_from(number).unwrap_or(usize::MAX) > entries.len() {
            let message =
                format!("the number {number} is above the count of open points, {}", entries.len());
            cx.say(
                Diagnostic::new(&code::NUMBERING, span, message)
                    .help("number them 1, 2, 3, … without a gap"),
            );
        }
        points.push((number, entry));
    }
    points.sort_by_key(|(number, _)| *number);
    points
        .into_iter()
        .map(|(number, entry)| OpenPoint {
            number,
            id: entry.key.clone(),
            question: Doc(entry.node.text("question")),
            client: Doc(entry.node.text("client")),
            server: Doc(entry.node.text("server")),
            source: Source(entry.node.text("source")),
        })
        .collect()
}

/// Checks that every `open` list, at any depth, names declared open points.
fn open_references(cx: &mut Context<'_>, root: &Node) {
    let declared = root.get("open-point").map(Node::entries).unwrap_or_default();
    let ids: Vec<_> = declared.iter().map(|entry| entry.key.as_str()).collect();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        for entry in node.entries() {
            pending.push(&entry.node);
            if entry.key != "open" {
                continue;
            }
            for reference in entry.node.list() {
                let id = reference.as_text().unwrap_or_default();
                if !ids.contains(&id) && !cx.is_refused(id) {
                    let message = format!("unknown open point `{id}`");
                    cx.say(
                        Diagnostic::new(&code::UNKNOWN_OPEN_POINT, &reference.span, message)
                            .suggest(id, &ids),
                    );
                }
            }
        }
    }
}

fn unused(cx: &mut Context<'_>, root: &Node) {
    for section in ["scalar", "enum", "model", "open-point"] {
        for entry in root.get(section).map(Node::entries).unwrap_or_default() {
            if !cx.used.contains(&entry.key) {
                let message = format!("nothing refers to `{section}.{}`", entry.key);
                cx.say(Diagnostic::new(&code::UNUSED, &entry.key_span, message));
            }
        }
    }
}
