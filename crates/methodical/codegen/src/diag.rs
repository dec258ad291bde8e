//! Diagnostics about a spec: their position, their text, and how they are printed.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Renderer, Snippet};

pub use self::code::{CODES, Code, Level};

pub mod code;

/// An error or a warning about a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of mistake.
    pub code: &'static Code,
    /// The bytes of the spec to which it applies.
    pub span: Range<usize>,
    /// The mistake, as a lowercase fragment without a full stop.
    pub message: String,
    /// The fix, as a lowercase fragment without a full stop. Each line is printed as a fix of its own.
    pub help: Option<String>,
    /// A related place in the spec, with a note.
    pub related: Option<(Range<usize>, String)>,
    /// A related place in another file.
    pub elsewhere: Option<Elsewhere>,
}

/// A place in a file next to the spec, such as the response of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The path of the file, relative to the folder of the spec.
    pub path: String,
    /// The content of the file.
    pub text: String,
    /// The bytes of the file to which the diagnostic applies.
    pub span: Range<usize>,
    /// A note; may be empty.
    pub note: String,
}

impl Elsewhere {
    /// Creates a place in a file with this content.
    pub fn new(path: &str, text: String, span: &Range<usize>, note: &str) -> Self {
        Self { path: path.to_owned(), text, span: span.clone(), note: note.to_owned() }
    }
}

impl Diagnostic {
    /// Creates a diagnostic without help or a related place.
    pub fn new(code: &'static Code, span: &Range<usize>, message: impl Into<String>) -> Self {
        let (help, related, elsewhere) = (None, None, None);
        Self { code, span: span.clone(), message: message.into(), help, related, elsewhere }
    }

    /// Adds the fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a [`suggestion`] as the fix, if any.
    #[must_use]
    pub fn suggest(self, written: &str, names: &[&str]) -> Self {
        Self { help: suggestion(written, names).or(self.help), ..self }
    }

    /// Adds a related place in the spec.
    #[must_use]
    pub fn related(mut self, span: &Range<usize>, what: impl Into<String>) -> Self {
        self.related = Some((span.clone(), what.into()));
        self
    }

    /// Adds a related place in another file.
    #[must_use]
    pub fn elsewhere(self, place: Elsewhere) -> Self {
        Self { elsewhere: Some(place), ..self }
    }
}

/// The printed diagnostics about a file: why it is rejected, or the warnings about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The path of the file, as messages show it.
    pub path: String,
    /// The errors and warnings, in the order of the file; empty if there are none.
    pub text: String,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
}

impl Report {
    /// Creates the report of one error about a whole file.
    pub(crate) fn of_file(path: &str, why: &str) -> Self {
        let text = format!("{path}: error: {why}\n");
        Self { path: path.to_owned(), text, errors: 1, warnings: 0 }
    }

    /// Returns the path with the number of errors and warnings; `None` if there are none.
    ///
    /// ```
    /// let report = methodical_codegen::Config::parse(b"").expect_err("it is empty");
    /// assert_eq!(report.summary().as_deref(), Some("spec/codegen.toml: 1 error"));
    /// ```
    pub fn summary(&self) -> Option<String> {
        let count = |number: usize, what: &str| match number {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{number} {what}s")),
        };
        let counts = [count(self.errors, "error"), count(self.warnings, "warning")];
        let counts: Vec<_> = counts.into_iter().flatten().collect();
        (!counts.is_empty()).then(|| format!("{}: {}", self.path, counts.join(" and ")))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

impl std::error::Error for Report {}

/// A text with its name, for printing diagnostics.
#[derive(Clone, Debug)]
pub struct SourceText<'a> {
    path: &'a str,
    text: &'a str,
    /// The first byte of each line, so that the cost of a position does not grow with the text.
    lines: Vec<usize>,
}

impl<'a> SourceText<'a> {
    /// Creates a text. Messages show the path.
    pub fn new(path: &'a str, text: &'a str) -> Self {
        let newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        Self { path, text, lines: [0].into_iter().chain(newlines).collect() }
    }

    /// Returns the printed form of a diagnostic, with the lines of the spec and carets.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let Code { id, level, .. } = *diagnostic.code;
        let level = if level == Level::Error {
            annotate_snippets::Level::ERROR
        } else {
            annotate_snippets::Level::WARNING
        };
        let mut group = level
            .primary_title(diagnostic.message.as_str())
            .id(id)
            .element(self.snippet(AnnotationKind::Primary, &diagnostic.span, ""));
        if let Some((span, what)) = &diagnostic.related {
            group = group.element(self.snippet(AnnotationKind::Context, span, what));
        }
        let folder =
            self.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        if let Some(Elsewhere { path, text, span, note }) = &diagnostic.elsewhere {
            let path = folder + path;
            let other = SourceText::new(&path, text);
            let snippet = other.snippet(AnnotationKind::Context, span, note).path(path.clone());
            group = group.element(snippet);
            return Self::printed(group, diagnostic);
        }
        Self::printed(group, diagnostic)
    }

    fn printed(group: Group<'_>, diagnostic: &Diagnostic) -> String {
        let help = diagnostic.help.iter().flat_map(|help| help.lines());
        let group = group.elements(help.map(|help| annotate_snippets::Level::HELP.message(help)));
        Renderer::plain().term_width(WIDTH).render(&[group]) + "\n"
    }

    /// Returns the line of a place. The library would search all lines for it.
    fn snippet<'s>(
        &'s self,
        kind: AnnotationKind,
        span: &Range<usize>,
        what: &'s str,
    ) -> Snippet<'s, Annotation<'s>> {
        let start = self.boundary(span.start);
        let line = self.lines.partition_point(|&line| line <= start);
        let first = self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let text =
            self.text.get(first..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
        let end = self.boundary(span.end).clamp(start, first + text.len().max(start - first));
        let label = Some(what).filter(|what| !what.is_empty());
        // An invisible character is shown, in as many bytes.
        let text: String = text
            .chars()
            .map(|c| match (crate::text::is_hidden(c), c.len_utf8()) {
                (true, 3) => "\u{fffd}".to_owned(),
                (true, 4) => "\u{fffd} ".to_owned(),
                _ => c.to_string(),
            })
            .collect();
        Snippet::source(text)
            .line_start(line)
            .path(self.path)
            .annotation(kind.span(start - first..end - first).label(label))
    }

    /// Returns the start of the character to which a byte belongs.
    fn boundary(&self, byte: usize) -> usize {
        let mut start = byte.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        start
    }
}

/// Maximum length of a printed line, in characters.
const WIDTH: usize = 150;

/// Replaces characters that are invisible or would break the output.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if crate::text::is_hidden(c) => '\u{fffd}',
        c => c,
    }
}

/// Returns a piece of a text for a message: shortened, and without invisible characters.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(40).map(visible).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}

/// Returns the names as part of a sentence: `` `a`, `b` or `c` ``.
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => format!("`{one}`"),
        [rest @ .., last] => {
            let rest: Vec<_> = rest.iter().map(|name| format!("`{name}`")).collect();
            format!("{} or `{last}`", rest.join(", "))
        }
    }
}

/// Returns a hint for an unknown name: the name that was probably meant, or all names if they are
/// few.
pub fn suggestion(written: &str, names: &[&str]) -> Option<String> {
    match closest(written, names) {
        Some(name) => Some(format!("did you mean `{name}`?")),
        None if names.is_empty() || names.len() > 12 => None,
        None => Some(format!("expected {}", listed(names))),
    }
}

/// Returns the name that was probably meant, if one is close enough.
pub(crate) fn closest<'a>(written: &str, names: &[&'a str]) -> Option<&'a str> {
    let folded = |text: &str| -> String {
        let short: String = text.chars().take(LONGEST).collect();
        short.to_lowercase().replace(['-', '_', ' '], "")
    };
    let most = (written.chars().count() / 3).max(1);
    let meant = folded(written);
    // A name that was shortened, such as `bool`.
    if let (3.., Some(name)) =
        (meant.len(), names.iter().find(|name| folded(name).starts_with(&meant)))
    {
        return Some(name);
    }
    names
        .iter()
        .map(|name| (strsim::osa_distance(&meant, &folded(name)), *name))
        .filter(|&(far, _)| far <= most)
        .min_by_key(|&(far, _)| far)
        .map(|(_, name)| name)
}

/// Number of characters by which names are compared.
const LONGEST: usize = 100;

#[cfg(test)]
mod tests {
    use super::{Code, Diagnostic, SourceText, closest};

    #[test]
    fn the_closest_name_is_suggested() {
        assert_eq!(closest("albumid", &["status", "album_id"]), Some("album_id"));
        assert_eq!(closest("Phoot", &["Photo", "Total"]), Some("Photo"));
        assert_eq!(closest("zebra", &["status", "album_id"]), None);
    }

    #[test]
    fn carets_mark_the_place() {
        let text = "a = 1\nbé = \"x\"\n";
        let source = SourceText::new("s.toml", text);
        let code: &'static Code = &super::code::UNKNOWN_KEY;
        let diagnostic = Diagnostic::new(code, &(12..15), "no").related(&(0..1), "first here");
        assert_eq!(
            source.render(&diagnostic),
            "error[GW003]: no\n --> s.toml:2:6\n  |\n2 | bé = \"x\"\n  |      ^^^\n  |\n ::: s.toml:1:1\n  |\n1 | a = 1\n  | - first here\n"
        );
    }
}
