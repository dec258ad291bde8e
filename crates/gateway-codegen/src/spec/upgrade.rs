//! Rewrites a spec of language 1 in language 2. Comments, order and layout stay as they are.

use std::fmt::Write as _;
use std::path::Path;

use crate::diag::{Diagnostic, code};
use crate::ir::{Service, other_form};
use crate::report::Report;
use crate::spec::edits::{Comments, Edits};
use crate::spec::grammar::DOCUMENT;
use crate::spec::node::{Entry, Node};
use crate::spec::{Parsed, content, parse, read};

/// Returns the text of the spec at a path in language 2, or `None` if the spec is in language 2
/// already. Messages show the path as `shown`.
///
/// The new text describes the same service: everything that is generated from it is the same.
///
/// # Errors
/// If the spec is invalid, or if language 2 cannot express it.
pub fn upgrade_file(path: &Path, shown: &str) -> Result<Option<String>, Report> {
    match content(path) {
        Ok(bytes) => upgrade(&bytes, path.parent(), shown),
        Err(why) => {
            let Parsed { report: text, errors, warnings, .. } =
                Parsed::<Service>::rejected(&DOCUMENT, shown, &why);
            Err(Report { path: shown.to_owned(), text, errors, warnings })
        }
    }
}

/// Does the same as [`upgrade_file`] with a spec in memory. Its fixtures are in the folder; without
/// one, the responses of the examples are not read.
///
/// # Errors
/// The same.
///
/// ```
/// use gateway_codegen::spec::upgrade;
///
/// let invalid = upgrade(b"spec-language = 1", None, "spec.toml").unwrap_err();
/// assert_eq!(invalid.path, "spec.toml");
/// ```
pub fn upgrade(bytes: &[u8], folder: Option<&Path>, shown: &str) -> Result<Option<String>, Report> {
    let (old, _) = read(bytes, folder, shown).accepted(shown)?;
    let Parsed { value, report, errors, warnings } =
        parse(&DOCUMENT, bytes, shown, |text, root, _, diagnostics| {
            let is_newer = root.integer("spec-language") == Some(2);
            Some((!is_newer).then(|| rewritten(text, root, diagnostics)))
        });
    let rejected = |text| Report { path: shown.to_owned(), text, errors: errors.max(1), warnings };
    let Some(new) = value else { return Err(rejected(report)) };
    let Some(new) = new else { return Ok(None) };

    let new = if bytes.contains(&b'\r') { new.replace('\n', "\r\n") } else { new };
    let mark = if bytes.starts_with(BYTE_ORDER_MARK) { "\u{feff}" } else { "" };
    let new = format!("{mark}{new}");
    let service = read(new.as_bytes(), folder, shown).service;
    let service = service.map(|service| Service { spec_hash: old.spec_hash.clone(), ..service });
    if service != Some(old) {
        return Err(rejected(format!(
            "{shown}:1:1: error[{}]: {LAYOUT}\n",
            code::OTHER_LANGUAGE.id
        )));
    }
    Ok(Some(new))
}

const LAYOUT: &str = "cannot rewrite the layout of this spec; write `selector` and `auth` as lines of `[service]`, and each response on one line";
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn rewritten(text: &str, root: &Node, diagnostics: &mut Vec<Diagnostic>) -> String {
    let mut edits = Edits::of(text);
    if let Some(language) = root.get("spec-language") {
        edits.replace(language.span.clone(), "2");
    }
    let mut tables = String::new();
    if let Some(service) = root.get("service") {
        move_out(&mut edits, service, "selector", |value, Comments { above, beside }| {
            _ = write!(tables, "\n[dispatch]\n{above}selector = {value}{beside}\n");
        });
        move_out(&mut edits, service, "auth", |_, Comments { above, beside }| {
            _ = write!(tables, "\n[auth]\n{above}bearer = {{}}{beside}\n");
        });
    }
    let mut envelopes = Envelopes::default();
    for operation in root.entries_of("operation") {
        let response = operation.node.get("response").map(Node::entries).unwrap_or_default();
        match response.first() {
            Some(shape) if shape.key == "array" => edits.replace(shape.key_span.clone(), "list"),
            Some(shape) if shape.key == "envelope" => {
                envelopes.list(&mut edits, shape, diagnostics);
            }
            _ => {}
        }
    }
    tables.push_str(&envelopes.tables);
    let at = end_of_service(&edits, text, root);
    let gap = if text.get(..at).is_some_and(|before| !before.ends_with('\n')) { "\n" } else { "" };
    edits.replace(at..at, format!("{gap}{tables}"));
    edits.applied()
}

/// Removes an entry of the service, and passes on its value and its comments.
fn move_out(
    edits: &mut Edits<'_>,
    service: &Node,
    key: &str,
    mut insert: impl FnMut(&str, Comments),
) {
    if let Some(entry) = service.entries().iter().find(|entry| entry.key == key) {
        let value = edits.part(entry.node.span.clone());
        let comments = edits.remove(entry);
        insert(value, comments);
    }
}

/// Returns the position after the table `[service]`, or the end of the text if the service is
/// written in another form.
fn end_of_service(edits: &Edits<'_>, text: &str, root: &Node) -> usize {
    let service = root.entries().iter().find(|entry| entry.key == "service");
    let Some(Entry { key_span, node, .. }) = service else { return text.len() };
    if !edits.part(0..key_span.start).trim_end().ends_with('[') {
        return text.len();
    }
    let last = node.entries().iter().map(|entry| entry.node.span.end).max();
    let mut end = edits.line_end(last.unwrap_or(node.span.end));
    // Comments directly below belong to the table.
    while edits.part(end..edits.line_end(end)).trim_start().starts_with('#') {
        end = edits.line_end(end);
    }
    end
}

/// The envelopes that the responses of language 1 contain.
#[derive(Default)]
struct Envelopes {
    /// The marker, the value of a successful response, and the name.
    known: Vec<(String, String, String)>,
    /// Their tables in language 2.
    tables: String,
}

impl Envelopes {
    /// Rewrites a list in an envelope.
    fn list(&mut self, edits: &mut Edits<'_>, shape: &Entry, diagnostics: &mut Vec<Diagnostic>) {
        edits.replace(shape.key_span.clone(), "list");
        let name = self.name(edits, &shape.node);
        for entry in shape.node.entries() {
            // In `response.envelope.of = …`, each key has its own `envelope`.
            let before = edits.part(0..entry.key_span.start).trim_end();
            if let Some(before) = before.strip_suffix('.').map(str::trim_end)
                && let Some(start) = before.strip_suffix("envelope").map(str::len)
                && start != shape.key_span.start
            {
                edits.replace(start..before.len(), "list");
            }
            if ["marker", "items"].contains(&entry.key.as_str())
                && entry.node.as_text().is_some_and(|key| key.contains('.'))
            {
                let message = "language 2 cannot express a key with a dot, which separates keys";
                let diagnostic =
                    Diagnostic::new(&code::OTHER_LANGUAGE, &entry.node.span, message.to_owned());
                diagnostics.push(diagnostic.help("keep this spec in language 1"));
            }
            if let Some(text) = entry.node.as_text().filter(|_| entry.key == "success")
                && other_form(text).is_some()
            {
                let message =
                    format!("language 2 cannot express a marker that must be the string `{text}`");
                let diagnostic = Diagnostic::new(&code::OTHER_LANGUAGE, &entry.node.span, message);
                diagnostics.push(diagnostic.help("keep this spec in language 1"));
            }
            let (key, value) = (entry.key_span.clone(), entry.node.span.clone());
            match entry.key.as_str() {
                "marker" => edits.replace(key.start..value.end, format!("envelope = \"{name}\"")),
                "items" => edits.replace(key, "at"),
                "success" => drop(edits.remove(entry)),
                _ => {}
            }
        }
    }

    /// Returns the name of the envelope of a list, and declares it.
    fn name(&mut self, edits: &Edits<'_>, list: &Node) -> String {
        let (marker, success) = (list.text("marker"), list.text("success"));
        let is_known =
            |(known, value, _): &&(String, String, String)| *known == marker && *value == success;
        if let Some((_, _, name)) = self.known.iter().find(is_known) {
            return name.clone();
        }
        let name = self.free_name(&marker);
        let raw = |key| list.get(key).map_or("", |node| edits.part(node.span.clone()));
        let (at, is) = (raw("marker"), raw("success"));
        _ = write!(self.tables, "\n[envelope.{name}]\nsuccess = {{ at = {at}, is = [{is}] }}\n");
        self.known.push((marker, success, name.clone()));
        name
    }

    /// Returns a free name that resembles the marker.
    fn free_name(&self, marker: &str) -> String {
        let lower = marker.to_ascii_lowercase();
        let words =
            lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let name: String = words.collect::<Vec<_>>().join("-").chars().take(30).collect();
        let name = name.trim_matches('-');
        let is_usable = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name != "none";
        let first = if is_usable { name } else { "envelope" };
        let is_free = |name: &String| self.known.iter().all(|(_, _, known)| known != name);
        let numbered = (2_u32..).map(|number| format!("{first}-{number}"));
        std::iter::once(first.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }
}
