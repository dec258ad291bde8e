//! Turns the tree into a service: resolves names, and checks the rules that the grammar cannot express.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::diag::{Diagnostic, code};
use crate::ir::{Doc, OpenPoint, Service, Source};
use crate::spec::context::{About, Context};
use crate::spec::grammar::Language;
use crate::spec::node::{Entry, Node};
use crate::spec::{example, types};

mod auth;
mod command;
mod dispatch;
mod envelope;
mod gauge;
mod list;
mod names;
mod operation;
mod paging;
mod post;
mod response;

/// Lowers a document. `None` if the table `service` is missing. The service may be used only if no
/// error was reported.
pub(super) fn service(
    root: &Node,
    folder: Option<&Path>,
    rejected: &[String],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Service> {
    let is_newer = root.integer("spec-language") == Some(2) || root.get("dispatch").is_some();
    let language = if is_newer { Language::Two } else { Language::One };
    let mut cx = Context::new(diagnostics, rejected, language);
    let head = root.get("service")?;
    let dispatch = dispatch::dispatch(&mut cx, root);
    let auth = auth::auth(&mut cx, root, &dispatch);

    names::distinct(&mut cx, root);
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
        dispatch,
        auth,
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
    envelope::envelopes(&mut cx, root);
    types::columns(&mut cx, root, &mut service);
    service.operations = operation::operations(&mut cx, root, &service);
    open_references(&mut cx, root);
    service.examples = example::examples(&mut cx, root, &service, folder);
    // After an error, a declaration may look unused only because of it.
    if cx.is_clean() {
        unused(&mut cx, root);
    }
    Some(service)
}

fn open_points(cx: &mut Context<'_>, root: &Node) -> Vec<OpenPoint> {
    let entries = root.entries_of("open-point");
    let names =
        entries.iter().map(|entry| (entry.key.to_lowercase(), entry.key.as_str(), &entry.key_span));
    cx.distinct(&code::NAMES_COLLIDE, "open point", names);
    let taken: BTreeSet<_> =
        entries.iter().filter_map(|entry| entry.node.integer("number")).collect();
    let mut numbered: BTreeMap<u32, &Entry> = BTreeMap::new();
    for entry in entries {
        let Some(number) = entry.node.integer("number") else { continue };
        let span = entry.node.get("number").map_or(&entry.key_span, |node| &node.span);
        let number = u32::try_from(number).unwrap_or_default();
        if let Some(first) = numbered.get(&number) {
            let message = format!("open point `{}` already has the number {number}", first.key);
            let free = (1..10_000).find(|free| !taken.contains(free)).unwrap_or_default();
            let help = format!("use {free}, the first free number");
            cx.say(Diagnostic::new(&code::NUMBERING, span, message).help(help));
        } else if usize::try_from(number).unwrap_or(usize::MAX) > entries.len() {
            let message =
                format!("number {number} leaves a gap; the highest allowed is {}", entries.len());
            cx.say(
                Diagnostic::new(&code::NUMBERING, span, message)
                    .help("number open points 1, 2, 3, … without gaps"),
            );
        }
        numbered.entry(number).or_insert(entry);
    }
    numbered
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

/// Checks that every `open` list, at any depth, refers to declared open points.
fn open_references(cx: &mut Context<'_>, root: &Node) {
    let ids: BTreeSet<_> =
        root.entries_of("open-point").iter().map(|entry| entry.key.as_str()).collect();
    let listed: Vec<_> = ids.iter().copied().collect();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        for entry in node.entries() {
            pending.push(&entry.node);
            if entry.key != "open" {
                continue;
            }
            for reference in entry.node.list() {
                let id = reference.as_text().unwrap_or_default();
                if !ids.contains(id) && !cx.is_rejected(id) {
                    let message = format!("unknown open point `{id}`");
                    cx.say(
                        Diagnostic::new(&code::UNKNOWN_OPEN_POINT, &reference.span, message)
                            .help(format!("declare it as `[open-point.{id}]`"))
                            .suggest(id, &listed),
                    );
                }
            }
        }
    }
}

fn unused(cx: &mut Context<'_>, root: &Node) {
    for section in ["scalar", "enum", "model", "envelope", "open-point"] {
        for entry in root.entries_of(section) {
            if !cx.used.contains(&entry.key) {
                let message = format!("`{section}.{}` is never used", entry.key);
                let help = "remove it, or refer to it";
                cx.say(Diagnostic::new(&code::UNUSED, &entry.key_span, message).help(help));
            }
        }
    }
}
