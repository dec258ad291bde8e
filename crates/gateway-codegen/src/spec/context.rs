//! The state that all steps of lowering share.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::diag::{Code, Diagnostic, Level, code};
use crate::ir::{
    BUILT_IN, BuiltIn, Doc, OpenRef, RustName, Source, Type, ValueType, built_in, built_in_list,
};
use crate::spec::foreign;
use crate::spec::grammar::{Language, list_of, map_of};
use crate::spec::node::{Entry, Node};
use crate::spec::read::ANY;

/// Diagnostics and declared names.
pub(super) struct Context<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The declared types by name, with the position of the declaration.
    pub(super) types: BTreeMap<String, (Type, Range<usize>)>,
    /// The names of types and open points to which something refers.
    pub(super) used: BTreeSet<String>,
    /// Names whose declaration was rejected, in lowercase. References to them are not reported as well.
    rejected: BTreeSet<String>,
    /// The version of the language in which the spec is written.
    pub(super) language: Language,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        diagnostics: &'a mut Vec<Diagnostic>,
        rejected: &[String],
        language: Language,
    ) -> Self {
        let rejected = rejected.iter().map(|name| name.to_ascii_lowercase()).collect();
        Self { diagnostics, types: BTreeMap::new(), used: BTreeSet::new(), rejected, language }
    }

    pub(super) fn say(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Returns whether no error was found so far. Checks that an earlier error could mislead run only
    /// then.
    pub(super) fn is_clean(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.code.level == Level::Warning)
    }

    /// Returns whether a declaration of this name was rejected.
    pub(super) fn is_rejected(&self, name: &str) -> bool {
        self.rejected.contains(&name.to_ascii_lowercase()) || self.rejected.contains(ANY)
    }

    /// Returns a list of the built-in types, with a word or a comma before the last.
    pub(super) fn built_in_list(&self, before_last: &str) -> String {
        built_in_list(built_in(self.language.number()), BuiltIn::code, before_last)
    }

    /// Declares a type. The first declaration of a name wins; another one was reported.
    pub(super) fn declare(&mut self, entry: &Entry, ty: Type) {
        self.types.entry(entry.key.clone()).or_insert_with(|| (ty, entry.key_span.clone()));
    }

    /// Resolves a type: built-in, declared, or a list or a map of one.
    pub(super) fn resolve(&mut self, name: &str, span: &Range<usize>) -> Option<Type> {
        if let Some(of) = list_of(name) {
            return self.resolve(of, span).map(|of| Type::List(Box::new(of)));
        }
        if let Some(of) = map_of(name) {
            return self.resolve(of, span).map(|of| Type::Map(Box::new(of)));
        }
        let language = self.language.number();
        if let Some(built_in) = built_in(language).find(|built_in| built_in.word == name) {
            return Some(Type::Value(ValueType::BuiltIn(built_in)));
        }
        if let Some((ty, _)) = self.types.get(name) {
            self.used.insert(name.to_owned());
            return Some(ty.clone());
        }
        if self.is_rejected(name) {
            return None;
        }
        let is_later = BUILT_IN.iter().any(|built_in| built_in.word == name);
        let diagnostic = if is_later {
            let message = format!("the type `{name}` needs `spec-language = 2`");
            Diagnostic::new(&code::OTHER_LANGUAGE, span, message)
        } else {
            Diagnostic::new(&code::UNKNOWN_TYPE, span, format!("unknown type `{name}`"))
        };
        let built_in = built_in(language).map(|built_in| built_in.word);
        let names: Vec<_> = self.types.keys().map(String::as_str).chain(built_in).collect();
        // A declared type of almost the same name precedes a type of another language.
        let diagnostic = match foreign::hint(name, self.language) {
            Some(hint) if !names.iter().any(|one| one.eq_ignore_ascii_case(name)) => {
                diagnostic.help(hint)
            }
            _ => diagnostic.suggest(name, &names),
        };
        self.say(diagnostic);
        None
    }

    /// Returns the Rust name of a field or parameter; reports an error if it has none.
    pub(super) fn rust_name(&mut self, entry: &Entry) -> Option<RustName> {
        let (text, span) = rust_text(entry);
        let name = RustName::new(text);
        if name.is_none() {
            let message = format!("`{text}` cannot be turned into a Rust name");
            let help = "choose a name with `rust-name = \"…\"`";
            self.say(Diagnostic::new(&code::NO_RUST_NAME, span, message).help(help));
        }
        name
    }

    /// Reports fields or parameters that have the same Rust name.
    pub(super) fn distinct_rust_names(&mut self, what: &str, given: &[Entry]) {
        let names = given.iter().filter_map(|entry| {
            let (text, span) = rust_text(entry);
            Some((RustName::new(text)?.snake(), entry.key.as_str(), span))
        });
        self.distinct(&code::NAMES_COLLIDE, what, names);
    }

    /// Reports declarations that have the same text under a key.
    pub(super) fn distinct_texts(
        &mut self,
        code: &'static Code,
        what: &str,
        key: &str,
        given: &[&Node],
    ) {
        let texts = given.iter().filter_map(|node| {
            let node = node.get(key)?;
            Some((node.as_text()?.to_owned(), node.as_text()?, &node.span))
        });
        self.distinct(code, what, texts);
    }

    /// Reports names that occur twice. Each is given in the form that must be unique, as written, and
    /// with its position.
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
                    format!("duplicate {what} `{written}`")
                } else if *code == code::COMMANDS_COLLIDE {
                    format!("{what} `{written}` conflicts with `{first}` on the command line")
                } else {
                    format!("{what} `{written}` conflicts with `{first}` in generated code")
                };
                let help = if *code == code::COMMANDS_COLLIDE {
                    "remove one of the two; `explain GW036` shows the rules"
                } else if matches!(what, "field" | "parameter") {
                    "give one of them another `rust-name`"
                } else if *code == code::DUPLICATE_WIRE {
                    "remove or correct one of them"
                } else {
                    "rename one of them"
                };
                let diagnostic = Diagnostic::new(code, span, message).help(help);
                self.say(diagnostic.related(first_span, "first used here"));
            } else {
                seen.insert(name, (written, span));
            }
        }
    }
}

/// The text of which the Rust name is made, with its position: `rust-name` if given, else the key.
fn rust_text(entry: &Entry) -> (&str, &Range<usize>) {
    match entry.node.get("rust-name") {
        Some(node) => (node.as_text().unwrap_or_default(), &node.span),
        None => (entry.key.as_str(), &entry.key_span),
    }
}

/// The keys that almost every declaration has.
pub(super) struct About {
    pub(super) doc: Doc,
    pub(super) source: Source,
    pub(super) open: Vec<OpenRef>,
    pub(super) deprecated: Option<String>,
}

impl About {
    pub(super) fn of(cx: &mut Context<'_>, node: &Node) -> Self {
        let open = node.list_of("open").iter();
        let open: Vec<_> = open.filter_map(Node::as_text).map(str::to_owned).collect();
        cx.used.extend(open.iter().cloned());
        Self {
            doc: Doc(node.text("doc")),
            source: Source(node.text("source")),
            open: open.into_iter().map(OpenRef).collect(),
            deprecated: node.get("deprecated").and_then(Node::as_text).map(str::to_owned),
        }
    }
}
