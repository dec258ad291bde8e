//! Diagnostics about a spec: their positions and texts, and how they are printed.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::ir::is_in;
use crate::text::{is_hidden, list};

/// A mistake in a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// The bytes of the spec to which it applies.
    pub(crate) span: Range<usize>,
    /// The mistake, as a lowercase fragment without a full stop.
    pub(crate) message: String,
    /// The fix, as a lowercase fragment without a full stop. Each line is printed as a separate fix.
    pub(crate) help: String,
    /// A related place in the spec, with a note.
    related: Option<(Range<usize>, String)>,
}

impl Diagnostic {
    /// Creates a diagnostic without a related place. The fix may be empty.
    pub(crate) fn new(span: &Range<usize>, message: impl fmt::Display) -> Self {
        let (span, message) = (span.clone(), message.to_string());
        Self { span, message, help: String::new(), related: None }
    }

    /// Sets the fix.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// Sets a [`suggestion`] as the fix, if any.
    pub(crate) fn suggest(self, written: &str, names: &[&str]) -> Self {
        Self { help: suggestion(written, names).unwrap_or(self.help), ..self }
    }

    /// Sets the related place in the spec.
    pub(crate) fn related(self, span: &Range<usize>, what: impl Into<String>) -> Self {
        Self { related: Some((span.clone(), what.into())), ..self }
    }
}

/// Reports a mistake: its position, text and, after `=>`, fix. The last two are format strings. Ignores absent keys.
macro_rules! say {
    ($cx:expr, $at:expr, $message:literal $(, $arg:expr)* => $help:literal $(, $more:expr)*) => {
        $cx.say(&$at, format_args!($message $(, $arg)*), format_args!($help $(, $more)*))
    };
    ($cx:expr, $at:expr, $message:literal $(, $arg:expr)*) => {
        $cx.say(&$at, format_args!($message $(, $arg)*), format_args!(""))
    };
}

/// Reports a mistake as `say!` does, if a condition holds.
macro_rules! say_if {
    ($cx:expr, $is_wrong:expr, $($mistake:tt)+) => {
        if $is_wrong {
            $crate::diag::say!($cx, $($mistake)+);
        }
    };
}

pub(crate) use say;
pub(crate) use say_if;

/// The printed mistakes for which a file is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The errors, in the order of the file.
    pub text: String,
}

impl Report {
    /// Creates a report with one error about a whole file.
    pub(crate) fn of_file(path: &str, why: impl fmt::Display) -> Self {
        Self { text: format!("error: {why}\n --> {path}\n") }
    }

    /// Creates a report with the diagnostics about a file, in the order of their positions.
    pub(crate) fn new(mut diagnostics: Vec<Diagnostic>, path: &str, text: &str) -> Self {
        diagnostics.sort_by_key(|one| one.span.start);
        diagnostics.dedup();
        let printed: Vec<_> = diagnostics.iter().map(|one| render(one, path, text)).collect();
        Self { text: printed.join("\n") }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

impl std::error::Error for Report {}

/// Returns the printed form of a diagnostic, which shows lines of the spec with carets below them.
fn render(diagnostic: &Diagnostic, path: &str, text: &str) -> String {
    let Diagnostic { span, message, help, related } = diagnostic;
    let snippet = |kind: AnnotationKind, span: &Range<usize>, what| {
        let start = boundary(text, span.start);
        let line =
            text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| start + at);
        let end = boundary(text, span.end).clamp(start, line);
        Snippet::source(text).path(path).annotation(kind.span(start..end).label(what))
    };
    let title = Level::ERROR.primary_title(message.as_str());
    let mut group = title.element(snippet(AnnotationKind::Primary, span, None));
    if let Some((span, what)) = related {
        group = group.element(snippet(AnnotationKind::Context, span, Some(what.as_str())));
    }
    let helps = help.lines().map(|help| Level::HELP.message(help));
    let group: Group<'_> = group.elements(helps);
    Renderer::plain().term_width(WIDTH).render(&[group]) + "\n"
}

/// Returns the start of the character to which a byte belongs.
fn boundary(text: &str, byte: usize) -> usize {
    let end = byte.min(text.len());
    (0..=end).rev().find(|&start| text.is_char_boundary(start)).unwrap_or_default()
}

/// Maximum length of a printed line, in characters.
const WIDTH: usize = 150;

/// Prepares text for a message: shortens it, and removes invisible characters.
pub(crate) fn shown(text: &str) -> String {
    let visible = |c| match c {
        '\t' => ' ',
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    };
    let shown: String = text.chars().take(40).map(visible).collect();
    if text.chars().nth(40).is_some() { shown + "…" } else { shown }
}

/// Returns the names as part of a sentence, such as `` `a`, `b` or `c` ``.
pub(crate) fn listed(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "no keys".to_owned() } else { list(&names, " or ") }
}

/// Returns a hint for an unknown name: the name that was probably meant, the fix for a word from another language, or
/// all names if there are few.
pub(crate) fn suggestion(written: &str, names: &[&str]) -> Option<String> {
    let meant = ELSEWHERE.iter().find(|(all, key, _)| is_in(all, written) && names.contains(key));
    match (closest(written, names), meant) {
        (Some(name), _) => Some(format!("did you mean `{name}`?")),
        (None, Some((.., help))) => Some((*help).to_owned()),
        (None, None) if names.is_empty() || names.len() > 12 => None,
        (None, None) => Some(format!("expected {}", listed(names))),
    }
}

/// Words from other languages, and misplaced keys. An entry has words, a name that must be valid there, and the fix.
const ELSEWHERE: [(&str, &str, &str); 9] = [
    ("name title version path accept", "service", "write `[service]` above it"),
    ("description summary comment", "doc", "use `doc`: the description, in sentences"),
    ("optional nullable", "presence", "use `presence`, which is `required` or `optional`"),
    ("method http", "verb", "write `verb = \"get\"` or `verb = \"post\"`"),
    ("beside beside-at", "metadata", "use `metadata` and `metadata-at`"),
    ("string str url uuid", "text", "use `text`, or declare a scalar"),
    ("i32 i64 u32 u64 uint", "text", "use `integer`"),
    ("float double number date datetime timestamp", "text", "declare a scalar with a `meaning`"),
    ("object any json dict", "text", "declare a model, or use `map<…>`"),
];

/// Returns the name that was probably meant, if one is close enough.
pub(crate) fn closest<'a>(written: &str, names: &[&'a str]) -> Option<&'a str> {
    let folded = |text: &str| -> String {
        let short: String = text.chars().take(LONGEST).collect();
        short.to_lowercase().replace(['-', '_', ' '], "")
    };
    let most = (written.chars().count() / 3).max(1);
    let meant = folded(written);
    // A name that was shortened, such as `bool`.
    let begun = names.iter().find(|name| meant.len() >= 3 && folded(name).starts_with(&meant));
    let distances = names.iter().map(|name| (strsim::osa_distance(&meant, &folded(name)), name));
    let near = || distances.filter(|&(far, _)| far <= most).min_by_key(|&(far, _)| far);
    begun.or_else(|| near().map(|(_, name)| name)).copied()
}

/// Maximum number of characters of a name that are compared.
const LONGEST: usize = 100;

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Report, closest};

    #[test]
    fn the_closest_name_is_suggested() {
        assert_eq!(closest("albumid", &["status", "album_id"]), Some("album_id"));
        assert_eq!(closest("Phoot", &["Photo", "Total"]), Some("Photo"));
        assert_eq!(closest("zebra", &["status", "album_id"]), None);
    }

    #[test]
    fn carets_mark_the_place() {
        let diagnostic = Diagnostic::new(&(12..15), "no").related(&(0..1), "first here");
        assert_eq!(
            Report::new(vec![diagnostic], "s.toml", "a = 1\nbé = \"x\"\n").text,
            "error: no\n --> s.toml:2:6\n  |\n2 | bé = \"x\"\n  |      ^^^\n  |\n ::: s.toml:1:1\n  |\n1 | a = 1\n  | - first here\n"
        );
    }
}
