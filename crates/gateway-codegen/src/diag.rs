//! Diagnostics about a spec: their position, their text, and how they are printed.

use std::fmt::Write as _;
use std::ops::Range;

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

    /// Returns the line and column of a byte. Both start at 1, and columns count characters.
    pub fn position(&self, byte: usize) -> (usize, usize) {
        let byte = self.boundary(byte);
        let line = self.lines.partition_point(|&start| start <= byte);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
        (line, self.text.get(start..byte).unwrap_or_default().chars().count() + 1)
    }

    /// Returns the printed form of a diagnostic, with the line of the spec and carets.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let (line, column) = self.position(diagnostic.span.start);
        let Code { id, level, .. } = diagnostic.code;
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let other = diagnostic.elsewhere.as_ref().map(|place| {
            let slash = if folder.is_empty() { "" } else { "/" };
            (place, format!("{folder}{slash}{}", place.path))
        });
        let other =
            other.as_ref().map(|(place, path)| (*place, SourceText::new(path, &place.text)));
        let lines = other.as_ref().map(|(place, text)| text.position(place.span.start).0);
        let gutter = " ".repeat(self.gutter(diagnostic).max(lines.unwrap_or(1).to_string().len()));
        let mut out =
            format!("{}:{line}:{column}: {level}[{id}]: {}\n", self.path, diagnostic.message);
        self.snippet(&mut out, &gutter, &diagnostic.span, "");
        if let Some((span, what)) = &diagnostic.related {
            self.related(&mut out, &gutter, span, what);
        }
        if let Some((Elsewhere { span, note, .. }, text)) = &other {
            text.related(&mut out, &gutter, span, note);
        }
        for help in diagnostic.help.iter().flat_map(|help| help.lines()) {
            _ = writeln!(out, "{gutter} = help: {help}");
        }
        out
    }

    fn related(&self, out: &mut String, gutter: &str, span: &Range<usize>, what: &str) {
        let (line, column) = self.position(span.start);
        _ = writeln!(out, "{gutter} ::: {}:{line}:{column}", self.path);
        self.snippet(out, gutter, span, what);
    }

    fn gutter(&self, diagnostic: &Diagnostic) -> usize {
        let spans = [Some(&diagnostic.span), diagnostic.related.as_ref().map(|(span, _)| span)];
        let lines = spans.into_iter().flatten().map(|span| self.position(span.start).0);
        lines.max().unwrap_or(1).to_string().len()
    }

    fn snippet(&self, out: &mut String, gutter: &str, span: &Range<usize>, what: &str) {
        let (number, column) = self.position(span.start);
        let start = self.lines.get(number - 1).copied().unwrap_or_default();
        let line = self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let covered = self.boundary(span.end).saturating_sub(self.boundary(span.start));
        let rest: String = line.chars().skip(column - 1).collect();
        let length = rest.char_indices().take_while(|&(at, _)| at < covered).count().max(1);

        // Of a very long line, only the part around the place is shown.
        let from = if line.chars().count() > WIDTH { column.saturating_sub(WIDTH / 3) } else { 0 };
        let (from, before) = if from == 0 { (0, "") } else { (from, "…") };
        let shown: String = line.chars().skip(from).take(WIDTH).map(visible).collect();
        let after = if line.chars().count() > from + WIDTH { "…" } else { "" };
        let pad = " ".repeat(column - 1 - from + before.chars().count());
        let carets = "^".repeat(length.min(WIDTH.saturating_sub(pad.len()).max(1)));
        let space = if what.is_empty() { "" } else { " " };
        _ = writeln!(out, "{gutter} |");
        _ = writeln!(out, "{number:>width$} | {before}{shown}{after}", width = gutter.len());
        _ = writeln!(out, "{gutter} | {pad}{carets}{space}{what}");
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

/// Maximum length of a printed line of the spec, in characters.
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
            "s.toml:2:6: error[GW003]: no\n  |\n2 | bé = \"x\"\n  |      ^^^\n  ::: s.toml:1:1\n  |\n1 | a = 1\n  | ^ first here\n"
        );
    }
}
