//! The state that the steps of lowering share.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::diag::{Code, Diagnostic, code};
use crate::ir::{Doc, OpenRef, RustName, Source, Type};
use crate::spec::read::{Entry, Node};

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

impl<'a> Context<'a> {
    pub(super) fn new(diagnostics: &'a mut Vec<Diagnostic>, refused: &'a [String]) -> Self {
        Self { diagnostics, types: BTreeMap::new(), used: BTreeSet::new(), refused }
    }

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
