//! The state that all steps of reading a file share: its mistakes, and the declared names.

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::ops::Range;
use std::sync::Arc;

use crate::diag::{Diagnostic, say};
use crate::ir::{About, BuiltIn, RustName, Source, Type, ValueType};
use crate::spec::form::{Id, Line, Prose};
use crate::spec::read::{At, Text};
use crate::text::{is_hidden, list};

/// Diagnostics and declared names.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    /// The text of the file.
    pub(crate) text: &'a str,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The declared types.
    pub(super) types: BTreeMap<String, Type>,
    /// The declared open points.
    pub(super) points: Vec<String>,
}

impl<'a> Context<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let (diagnostics, types, points) = Default::default();
        Self { text, diagnostics, types, points }
    }
}

impl Context<'_> {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports a mistake with its fix, which may be empty. The macro `say!` calls it.
    pub(crate) fn say(&mut self, at: &Range<usize>, text: Arguments<'_>, help: Arguments<'_>) {
        self.push(Diagnostic::new(at, text).help(help.to_string()));
    }

    /// Reports an invisible character in a value.
    pub(super) fn visible(&mut self, key: &str, text: &str, at: &Range<usize>) {
        if let Some(c) = text.chars().find(|&c| is_hidden(c)).map(u32::from) {
            say!(self, *at, "`{key}` contains the invisible character U+{c:04X}"
                => "remove the character");
        }
    }

    /// Reports an unknown name. The fix is the name that was probably meant, or else the given one.
    pub(crate) fn unknown(
        &mut self,
        at: &At<String>,
        what: Arguments<'_>,
        known: &[&str],
        help: &str,
    ) {
        self.push(Diagnostic::new(&at.span, what).help(help).suggest(at, known));
    }

    /// Returns whether no error was found so far. Checks that an earlier error could mislead run only then.
    pub(super) fn is_clean(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Returns a list of the built-in types, with a word or a comma before the last.
    pub(super) fn built_in_list(before_last: &str) -> String {
        let words: Vec<_> = BuiltIn::ALL.iter().map(|one| format!("`{}`", one.word())).collect();
        list(&words, before_last)
    }

    /// Declares a type. The first declaration of a name wins; any other is reported.
    pub(super) fn declare(&mut self, name: &str, ty: Type) {
        self.types.entry(name.to_owned()).or_insert(ty);
    }

    /// Declares a type of single values.
    pub(super) fn declare_value(&mut self, name: &str, ty: ValueType) -> Arc<ValueType> {
        let ty = Arc::new(ty);
        self.declare(name, Type::Value(Arc::clone(&ty)));
        ty
    }

    /// Resolves a type: built-in, declared, or a list or a map of one.
    pub(super) fn resolve(&mut self, name: &At<String>) -> Option<Type> {
        self.resolve_at(name, &name.span)
    }

    fn resolve_at(&mut self, name: &str, span: &Range<usize>) -> Option<Type> {
        let inner = |outer: &str| name.strip_prefix(outer)?.strip_suffix('>');
        if let Some(of) = inner("list<") {
            return self.resolve_at(of, span).map(|of| Type::List(Box::new(of)));
        }
        if let Some(of) = inner("map<") {
            return self.resolve_at(of, span).map(|of| Type::Map(Box::new(of)));
        }
        if let Some(built_in) = BuiltIn::of(name) {
            return Some(Type::Value(Arc::new(ValueType::built_in(built_in))));
        }
        if let Some(ty) = self.types.get(name) {
            return Some(ty.clone());
        }
        let known = self.types.keys().map(String::as_str);
        let known: Vec<_> =
            known.chain(BuiltIn::ALL.iter().map(|built_in| built_in.word())).collect();
        let help = "declare it as `[scalar.…]`, `[enum.…]` or `[model.…]`, or use a built-in type";
        let diagnostic = Diagnostic::new(span, format_args!("unknown type `{name}`"));
        let diagnostic = diagnostic.help(help).suggest(name, &known);
        self.push(diagnostic);
        None
    }

    /// Returns the Rust name of a field or parameter: `rust-name` if given, otherwise derived from the key. Reports an
    /// error if that is impossible.
    pub(super) fn rust_name<F>(
        &mut self,
        key: &At<String>,
        given: Option<&Text<F>>,
    ) -> Option<RustName> {
        let text = given.map_or(key, |given| given);
        let name = RustName::new(text);
        if name.is_none() {
            say!(self, text.span, "cannot make a Rust name from `{text}`"
                => "choose a name with `rust-name = \"…\"`");
        }
        name
    }

    /// Reports fields or parameters that have the same Rust name.
    pub(super) fn distinct_rust_names<'n, F: 'n>(
        &mut self,
        what: &str,
        names: impl Iterator<Item = (&'n At<String>, Option<&'n Text<F>>)>,
    ) {
        let names = names.filter_map(|(key, given)| {
            let name: &At<String> = given.map_or(key, |given| given);
            Some((RustName::new(name)?.snake(), key.as_str(), &name.span))
        });
        self.distinct(what, RUST_NAME, names);
    }

    /// Reports duplicate texts.
    pub(super) fn distinct_texts<'n, I: Iterator<Item = &'n At<String>>>(
        &mut self,
        what: &str,
        help: &str,
        texts: I,
    ) {
        let texts = texts.map(|text| (text.value.clone(), text.as_str(), &text.span));
        self.distinct(what, help, texts);
    }

    /// Reports duplicate names, with this fix. Each name is given in the form that must be unique, as written, and with
    /// its position.
    pub(super) fn distinct<'n>(
        &mut self,
        what: &str,
        help: &str,
        names: impl Iterator<Item = (String, &'n str, &'n Range<usize>)>,
    ) {
        let place = if [COMMANDS, FLAGS].contains(&help) {
            "on the command line"
        } else {
            "in generated code"
        };
        let mut seen: BTreeMap<String, (&str, &Range<usize>)> = BTreeMap::new();
        for (name, written, span) in names {
            let Some((first, first_span)) = seen.get(&name) else {
                seen.insert(name, (written, span));
                continue;
            };
            let message = if *first == written {
                format!("duplicate {what} `{written}`")
            } else {
                format!("{what} `{written}` conflicts with `{first}` {place}")
            };
            let diagnostic = Diagnostic::new(span, message).help(help);
            self.push(diagnostic.related(first_span, "first used here"));
        }
    }

    /// Returns a description. Reports unknown open points.
    pub(super) fn about(
        &mut self,
        doc: &Text<Prose>,
        source: Option<&Text<Line>>,
        open: &[Text<Id>],
    ) -> About {
        let known = self.points.clone();
        let known: Vec<_> = known.iter().map(String::as_str).collect();
        for id in open {
            if !known.contains(&id.as_str()) {
                let help = format!("declare it as `[open-point.{id}]`");
                self.unknown(id, format_args!("unknown open point `{id}`"), &known, &help);
            }
        }
        let open = open.iter().map(|id| id.value.clone()).collect();
        About { doc: doc.value.clone(), source: self::source(source), open }
    }
}

/// The fixes for two things with the same name or text.
pub(super) const RENAME: &str = "rename one of them";
pub(super) const CORRECT: &str = "remove or correct one of them";
pub(super) const RUST_NAME: &str = "give one of them another `rust-name`";

/// The hints for two commands, and for two flags, with the same name.
pub(super) const COMMANDS: &str = "remove one of the two; each selector becomes a command: `albums/list` becomes `albums list`, \
    `a/b/c` becomes `a b-c`";
pub(super) const FLAGS: &str =
    "remove one of the two; each parameter becomes a flag: `page_size` becomes `--page-size`";

/// Returns the sections of the contract.
pub(super) fn source<F>(text: Option<&Text<F>>) -> Source {
    Source(owned(text).unwrap_or_default())
}

/// Returns text without its position.
pub(super) fn owned<F>(text: Option<&Text<F>>) -> Option<String> {
    text.map(|text| text.value.clone())
}
