//! What is wrong with a spec: where, what, and what to do about it.

use std::fmt::Write as _;
use std::ops::Range;

pub use self::code::{CODES, Code};

pub mod code;

/// One thing to say about a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of mistake it is.
    pub code: &'static Code,
    /// The bytes of the spec that it is about.
    pub span: Range<usize>,
    /// What is wrong: a lowercase fragment without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Another place that has to do with it, and what is there.
    pub related: Option<(Range<usize>, String)>,
}

impl Diagnostic {
    /// Begins a diagnostic.
    pub fn new(code: &'static Code, span: &Range<usize>, message: impl Into<String>) -> Self {
        Self { code, span: span.clone(), message: message.into(), help: None, related: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a "did you mean", if one of the names is close to the one that was written.
    #[must_use]
    pub fn suggest(self, written: &str, names: &[&str]) -> Self {
        match closest(written, names) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None if names.is_empty() || names.len() > 12 => self,
            None => self.help(format!("there is {}", listed(names))),
        }
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: &Range<usize>, what: impl Into<String>) -> Self {
        self.related = Some((span.clone(), what.into()));
        self
    }
}

/// The text of a spec with its name, for showing places in it.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    /// The path, as the user should see it.
    pub path: &'a str,
    /// The content.
    pub text: &'a str,
}

impl SourceText<'_> {
    /// The line and column of a byte, both from 1; columns count characters.
    pub fn position(&self, byte: usize) -> (usize, usize) {
        let before = self.before(byte);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before.get(line_start..).unwrap_or_default().chars().count() + 1)
    }

    /// A diagnostic as it is printed, with the line of the spec and a caret.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let (line, column) = self.position(diagnostic.span.start);
        let Code { id, warning, .. } = diagnostic.code;
        let level = if *warning { "warning" } else { "error" };
        let gutter = " ".repeat(self.gutter(diagnostic));
        let mut out =
            format!("{}:{line}:{column}: {level}[{id}]: {}\n", self.path, diagnostic.message);
        self.snippet(&mut out, &gutter, &diagnostic.span, None);
        if let Some((span, what)) = &diagnostic.related {
            let (line, column) = self.position(span.start);
            _ = writeln!(out, "{gutter} ::: {}:{line}:{column}", self.path);
            self.snippet(&mut out, &gutter, span, Some(what));
        }
        if let Some(help) = &diagnostic.help {
            _ = writeln!(out, "{gutter} = help: {help}");
        }
        out
    }

    fn gutter(&self, diagnostic: &Diagnostic) -> usize {
        let spans = [Some(&diagnostic.span), diagnostic.related.as_ref().map(|(span, _)| span)];
        let lines = spans.into_iter().flatten().map(|span| self.position(span.start).0);
        lines.max().unwrap_or(1).to_string().len()
    }

    fn snippet(&self, out: &mut String, gutter: &str, span: &Range<usize>, what: Option<&str>) {
        let (number, column) = self.position(span.start);
        let line = self.text.lines().nth(number - 1).unwrap_or_default();
        let covered = self.before(span.end).len().saturating_sub(self.before(span.start).len());
        let rest: String = line.chars().skip(column - 1).collect();
        let length = rest.char_indices().take_while(|&(at, _)| at < covered).count().max(1);

        // A very long line is shown around the place only.
        let from = if line.chars().count() > WIDTH { column.saturating_sub(WIDTH / 3) } else { 0 };
        let (from, before) = if from == 0 { (0, "") } else { (from, "…") };
        let shown: String = line.chars().skip(from).take(WIDTH).map(visible).collect();
        let after = if line.chars().count() > from + WIDTH { "…" } else { "" };
        let pad = " ".repeat(column - 1 - from + before.chars().count());
        let carets = "^".repeat(length.min(WIDTH.saturating_sub(pad.len()).max(1)));
        let what = what.map_or_else(String::new, |what| format!(" {what}"));
        _ = writeln!(out, "{gutter} |");
        _ = writeln!(out, "{number:>width$} | {before}{shown}{after}", width = gutter.len());
        _ = writeln!(out, "{gutter} | {pad}{carets}{what}");
    }

    fn before(&self, byte: usize) -> &str {
        let mut end = byte.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.get(..end).unwrap_or_default()
    }
}

/// How much of a line is shown.
const WIDTH: usize = 150;

fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if crate::text::is_hidden(c) => '\u{fffd}',
        c => c,
    }
}

/// Names for a sentence: `` `a`, `b` or `c` ``.
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

/// The name that was probably meant, if one is close enough.
pub fn closest<'a>(written: &str, names: &[&'a str]) -> Option<&'a str> {
    let folded = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let most = (written.chars().count() / 3).max(1);
    names
        .iter()
        .map(|name| (distance(&folded(written), &folded(name)), *name))
        .filter(|&(far, _)| far <= most)
        .min_by_key(|&(far, _)| far)
        .map(|(_, name)| name)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two texts.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    let mut two_ago: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut last_char = None;
    for (i, ca) in a.chars().take(LONGEST).enumerate() {
        let mut row = vec![i + 1];
        for (j, &cb) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let swapped = j > 0 && last_char == Some(cb) && b.get(j - 1) == Some(&ca);
            let swap = if swapped { at(&two_ago, j - 1) + 1 } else { usize::MAX / 2 };
            let replaced = at(&last, j) + usize::from(ca != cb);
            row.push(replaced.min(at(&last, j + 1) + 1).min(at(&row, j) + 1).min(swap));
        }
        two_ago = std::mem::replace(&mut last, row);
        last_char = Some(ca);
    }
    last.last().copied().unwrap_or(0)
}

/// Longer names are compared by their beginning.
const LONGEST: usize = 100;

#[cfg(test)]
mod tests {
    use super::{Code, Diagnostic, SourceText, closest};

    #[test]
    fn a_close_name_is_meant() {
        assert_eq!(closest("vacancyid", &["status", "vacancy_id"]), Some("vacancy_id"));
        assert_eq!(closest("Candiadte", &["Candidate", "Credits"]), Some("Candidate"));
        assert_eq!(closest("zebra", &["status", "vacancy_id"]), None);
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        let text = "a = 1\nbé = \"x\"\n";
        let source = SourceText { path: "s.toml", text };
        let code: &'static Code = &super::code::UNKNOWN_KEY;
        let diagnostic = Diagnostic::new(code, &(12..15), "no").related(&(0..1), "first here");
        assert_eq!(
            source.render(&diagnostic),
            "s.toml:2:6: error[GW003]: no\n  |\n2 | bé = \"x\"\n  |      ^^^\n  ::: s.toml:1:1\n  |\n1 | a = 1\n  | ^ first here\n"
        );
    }
}
