//! The state that all steps of reading a file share: its mistakes, and the declared names.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::ops::Range;
use std::sync::Arc;

use crate::diag::{Diagnostic, say, say_if};
use crate::ir::{About, BuiltIn, RustName, Type, ValueType};
use crate::spec::form::{Id, Line, Prose};
use crate::spec::lower::response::Envelope;
use crate::spec::read::{At, Placed, Text};
use crate::text::is_hidden;

/// The diagnostics about a file, and the names that it declares.
#[derive(Debug, Default)]
pub(crate) struct Context<'a> {
    /// The text of the file.
    pub(crate) text: &'a str,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The declared types. The first declaration of a name wins; any other is reported.
    pub(super) types: BTreeMap<String, Type>,
    /// The declared envelopes; `None` for an envelope without a marker.
    pub(super) envelopes: BTreeMap<String, Option<Envelope>>,
    /// The name of the envelope for all operations that do not name another.
    pub(super) envelope: Option<At<String>>,
    /// The declared open points.
    pub(super) points: Vec<String>,
}

impl Context<'_> {
    /// Reports a mistake with its fix, which may be empty. Called by the macro `say!`.
    pub(crate) fn say(&mut self, at: &impl Placed, text: Arguments<'_>, help: Arguments<'_>) {
        if let Some(span) = at.place() {
            self.diagnostics.push(Diagnostic::new(span, text).help(help.to_string()));
        }
    }

    /// Reports an invisible character in a value.
    pub(super) fn visible(&mut self, key: &str, text: &str, at: &impl Placed) {
        if let Some(c) = text.chars().find(|&c| is_hidden(c)).map(u32::from) {
            say!(self, *at, "`{key}` contains the invisible character U+{c:04X}" => "remove the character");
        }
    }

    /// Reports an unknown name. The fix is a [`suggestion`](crate::diag::suggestion) or, without one, `help`.
    pub(crate) fn unknown<'n>(
        &mut self,
        at: &At<String>,
        what: Arguments<'_>,
        known: impl IntoIterator<Item = &'n (impl AsRef<str> + ?Sized + 'n)>,
        help: &str,
    ) {
        let known: Vec<_> = known.into_iter().map(AsRef::as_ref).collect();
        self.diagnostics.push(Diagnostic::new(&at.span, what).help(help).suggest(at, &known));
    }

    /// Resolves the name of a built-in or declared type, or of a list or map of such a type.
    pub(super) fn resolve(&mut self, name: &str, span: &Range<usize>) -> Option<Type> {
        let inner = |outer: &str| name.strip_prefix(outer)?.strip_suffix('>');
        if let Some(of) = inner("list<") {
            return self.resolve(of, span).map(|of| Type::List(Box::new(of)));
        }
        if let Some(of) = inner("map<") {
            return self.resolve(of, span).map(|of| Type::Map(Box::new(of)));
        }
        if let Some(built_in) = BuiltIn::of(name) {
            return Some(Type::Value(Arc::new(ValueType::built_in(built_in))));
        }
        if let Some(ty) = self.types.get(name) {
            return Some(ty.clone());
        }
        let built_in = BuiltIn::ALL.iter().map(|one| one.word());
        let known: Vec<_> = self.types.keys().map(String::as_str).chain(built_in).collect();
        let help = "declare it as `[scalar.…]`, `[enum.…]` or `[model.…]`, or use a built-in type";
        let diagnostic = Diagnostic::new(span, format_args!("unknown type `{name}`")).help(help);
        self.diagnostics.push(diagnostic.suggest(name, &known));
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
        say_if!(self, name.is_none(), text.span, "cannot make a Rust name from `{text}`"
            => "choose a name with `rust-name = \"…\"`");
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
            Some((RustName::new(name)?.snake(), At { value: key.value.clone(), ..name.clone() }))
        });
        self.distinct(what, RUST_NAME, names);
    }

    /// Reports duplicate names, with `help` as the fix. Each is given in the form that must be unique, and as written.
    pub(super) fn distinct<N: Borrow<At<String>>>(
        &mut self,
        what: &str,
        help: &str,
        names: impl Iterator<Item = (String, N)>,
    ) {
        let is_typed = [COMMANDS, FLAGS].contains(&help);
        let place = if is_typed { "on the command line" } else { "in generated code" };
        let mut seen: BTreeMap<String, N> = BTreeMap::new();
        for (name, second) in names {
            let Some(first) = seen.get(&name) else {
                seen.insert(name, second);
                continue;
            };
            let (first, second) = (first.borrow(), second.borrow());
            let message = if first.value == second.value {
                format!("duplicate {what} `{second}`")
            } else {
                format!("{what} `{second}` conflicts with `{first}` {place}")
            };
            let diagnostic = Diagnostic::new(&second.span, message).help(help);
            self.diagnostics.push(diagnostic.related(&first.span, "first used here"));
        }
    }

    /// Returns the description of a declaration. Reports unknown open points.
    pub(super) fn about(
        &mut self,
        doc: &Text<Prose>,
        source: Option<&Text<Line>>,
        open: &[Text<Id>],
    ) -> About {
        let known = self.points.clone();
        for id in open.iter().filter(|id| !known.contains(&id.value)) {
            let help = format!("declare it as `[open-point.{id}]`");
            self.unknown(id, format_args!("unknown open point `{id}`"), &known, &help);
        }
        let open = open.iter().map(|id| id.value.clone()).collect();
        About { doc: doc.value.clone(), source: owned(source).unwrap_or_default(), open }
    }
}

/// Returns text for [`Context::distinct`], which compares it exactly as written.
pub(super) fn exact(text: &At<String>) -> (String, &At<String>) {
    (text.value.clone(), text)
}

/// Returns a name for [`Context::distinct`], which compares it ignoring case.
pub(super) fn folded(name: &At<String>) -> (String, &At<String>) {
    (name.to_lowercase(), name)
}

/// The fixes for two things with the same name or text.
pub(super) const RENAME: &str = "rename one of them";
pub(super) const CORRECT: &str = "remove or correct one of them";
pub(super) const RUST_NAME: &str = "give one of them another `rust-name`";

/// The hints for two commands, and for two flags, with the same name.
pub(super) const COMMANDS: &str = "remove one of the two; each selector becomes a command: `albums/list` becomes `albums list`, \
    `a/b/c` becomes `a b-c`, and a gauge adds `check` and `forecast`";
pub(super) const FLAGS: &str =
    "remove one of the two; each parameter becomes a flag: `page_size` becomes `--page-size`";

/// Returns text without its position.
pub(super) fn owned<F>(text: Option<&Text<F>>) -> Option<String> {
    text.map(|text| text.value.clone())
}
