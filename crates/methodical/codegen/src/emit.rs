//! The emitters: each turns a service into some files, independently of the others.
//!
//! An emitter is a module that is registered in `CRATES` or `DOCUMENTS`. It receives the [`Workspace`] and returns
//! whole files. Formatting, marking the first line, comparing and writing them happens elsewhere. It must be a pure
//! function of the workspace: no clock, no environment, no hash maps.

#![expect(
    clippy::ref_binding_to_reference,
    unused_qualifications,
    reason = "the macro of the templates writes them"
)]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use askama::Template;
use regex_lite::{Captures, Regex};

pub(crate) use self::model::marker;
pub(crate) use self::model::queries::chain as example_query;
use crate::config::{Config, Document, Role, Workspace};

mod cli;
mod datacontract;
mod filters;
mod model;
mod openapi;
mod python;
mod reference;
mod schema;
mod server;
mod testkit;

/// Returns all generated files of a workspace, sorted by path.
pub fn all(workspace: &Workspace) -> Vec<GeneratedFile> {
    let Config { packages, documents, .. } = &workspace.config;
    let crates = CRATES.iter().filter(|(role, _)| packages.contains_key(role));
    let crates = crates.flat_map(|(_, emit)| emit(workspace));
    let given = DOCUMENTS.iter().filter_map(|(one, emit)| Some((documents.get(one)?, emit)));
    let documents = given.flat_map(|(path, emit)| emit(workspace, path));
    let mut files: Vec<_> = crates.chain(documents).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

type Emitter = fn(&Workspace) -> Vec<GeneratedFile>;
type DocumentEmitter = fn(&Workspace, &str) -> Vec<GeneratedFile>;

/// The emitters of the crates. Each runs if the configuration has its crate.
const CRATES: &[(Role, Emitter)] = &[
    (Role::Model, model::emit),
    (Role::Testkit, testkit::emit),
    (Role::Server, server::emit),
    (Role::Cli, cli::emit),
    (Role::Python, python::emit),
];

/// The emitters of the documents. Each runs if the configuration has the path of its file or folder.
const DOCUMENTS: &[(Document, DocumentEmitter)] = &[
    (Document::Reference, reference::emit),
    (Document::OpenApi, openapi::emit),
    (Document::JsonSchema, schema::emit),
    (Document::DataContract, datacontract::emit),
    (Document::SpecSchema, schema::emit_language),
];

/// Removes duplicates and keeps the order of first occurrence.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// A generated file, not yet formatted or marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path from the workspace root, with `/`, such as `crates/gateway-model/src/generated/types.rs`.
    pub path: String,
    /// The content, without the mark. Rust code begins with a `//!` comment that states the purpose of the file, and
    /// need not be formatted. JSON contains [`MARK`] as a value near its top.
    pub text: String,
}

/// Placeholder for the mark in generated JSON, which has no comments.
pub const MARK: &str = "@generated";

impl GeneratedFile {
    /// Creates the parent module of a crate's generated modules.
    fn root(workspace: &Workspace, role: Role, modules: &str) -> Self {
        let Config { command, .. } = &workspace.config;
        let text = format!("//! Code that `{command}` generates from the spec.\n\n{modules}\n");
        Self { path: format!("{}.rs", workspace.config.modules(role)), text }
    }

    /// Creates a file from a template. Unused Rust imports are removed, so templates need not know which a spec needs.
    fn new(path: impl Into<String>, template: &impl Template) -> Self {
        // Only a filter could fail, and ours do not. If one did, rustfmt would reject this text.
        let text = template.render().unwrap_or_else(|error| format!("cannot render: {error}"));
        let (path, text) = (path.into(), text + "\n");
        let is_rust = Path::new(&path).extension().is_some_and(|extension| extension == "rs");
        Self { text: if is_rust { with_used_imports(&text) } else { text }, path }
    }

    /// Creates a JSON file from text in which objects and lists may have trailing commas.
    fn json(path: impl Into<String>, text: &str) -> Self {
        Self { path: path.into(), text: laid_out(text) + "\n" }
    }
}

/// Writes each member and list item of JSON on a separate line and removes trailing commas.
fn laid_out(json: &str) -> String {
    // A string, another value, or a punctuation mark.
    let token = Regex::new(r#""(?:[^"\\]|\\.)*"|[^\s":,{}\[\]]+|\S"#);
    let tokens = token.iter().flat_map(|token| token.find_iter(json)).map(|found| found.as_str());
    let mut out = String::new();
    let (mut depth, mut last) = (0, "");
    for token in tokens {
        let is_end = matches!(token, "}" | "]");
        if token == ":" {
            out.push_str(": ");
        } else if token != "," {
            depth -= usize::from(is_end && depth > 0);
            if last == "," && !is_end {
                out.push(',');
            }
            let is_first = matches!(last, "{" | "[");
            if (is_first || is_end || last == ",") && !(is_first && is_end) {
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
            }
            out.push_str(&without_surrogates(token));
            depth += usize::from(matches!(token, "{" | "["));
        }
        last = token;
    }
    out
}

/// Replaces each pair of escaped surrogates in a JSON string with its character and keeps all other escapes. Many tools
/// read OpenAPI as YAML, which does not allow such pairs.
fn without_surrogates(string: &str) -> Cow<'_, str> {
    // Escaped backslashes are matched as well, because they do not begin the escape that follows.
    let escape = || Regex::new(r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..");
    let Some(Ok(escape)) = string.contains("\\u").then(escape) else { return string.into() };
    let replaced = |found: &Captures<'_>| {
        let pair = found[0].to_owned();
        let character = serde_json::from_str(&format!("\"{pair}\"")).ok();
        character.filter(|_| pair.len() > 2).unwrap_or(pair)
    };
    escape.replace_all(string, replaced)
}

/// Removes unused names from the imports of a file. Each import is on one line.
fn with_used_imports(text: &str) -> String {
    // A name is used unless it is in a string or comment, or after `.`, `::` or `fn`. Lowercase names may be variables.
    let token =
        Regex::new(r##"r#".*?"#|"(?:[^"\\]|\\.)*"|//.*|(?:\.|fn )\w+|(\w+)(::[\w:]*|\(|!)?"##);
    let Ok(token) = token else { return text.to_owned() };
    let code = text.lines().filter(|line| !line.starts_with("use "));
    let names = code.flat_map(|line| token.captures_iter(line)).filter_map(|found| {
        let name = found.get(1)?.as_str();
        let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
        (is_type || found.get(2).is_some()).then_some(name)
    });
    let used: BTreeSet<_> = names.collect();
    let lines = text.lines().filter_map(|line| match line.strip_prefix("use ") {
        Some(import) => used_import(import.trim_end_matches(';'), &used),
        None => Some(line.to_owned()),
    });
    lines.map(|line| line + "\n").collect()
}

/// Returns an import reduced to the names that are used, such as `a::{B, c}`; `None` if all are unused. rustfmt removes
/// the braces around a single name.
fn used_import(import: &str, used: &BTreeSet<&str>) -> Option<String> {
    let (path, names) = import.split_once("::{").or_else(|| import.rsplit_once("::"))?;
    let last = path.rsplit("::").next().unwrap_or(path);
    let is_used =
        |name: &&str| *name == "*" || used.contains(if *name == "self" { last } else { name });
    let names = names.trim_end_matches('}').split(',').map(str::trim);
    let names: Vec<_> = names.filter(is_used).collect();
    (!names.is_empty()).then(|| format!("use {path}::{{{}}};", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{laid_out, with_used_imports};

    #[test]
    fn json_is_laid_out() {
        let text = r#"{"a":[1,{"b\\":"\",}",},[],{ },],}"#;
        let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\\\\\": \"\\\",}\"\n    },\n    [],\n    {}\n  ]\n}";
        assert_eq!(laid_out(text), expected);
        let text = r#"["\ud83d\ude00 \u0041 \\ud83d\\ude00 \n\"","\ud83d \uD83D\uDE00 é","\u200d\ud83d\ude00"]"#;
        let expected = r#"["😀 \u0041 \\ud83d\\ude00 \n\"","\ud83d 😀 é","\u200d😀"]"#;
        assert_eq!(
            laid_out(text).split_whitespace().collect::<Vec<_>>(),
            laid_out(expected).split_whitespace().collect::<Vec<_>>()
        );
    }

    #[test]
    fn imports_that_are_not_used_are_left_out() {
        let text = "//! A `Text`.\nuse a::{B, C, self};\nuse a::list;\n\n/// Not [`C`].\nstruct B { list: x::C }\nfn f() { s.list().to_string() }\nconst D: &str = r#\"[\"C\"]\"#;\n";
        let expected = "//! A `Text`.\nuse a::{B};\n\n/// Not [`C`].\nstruct B { list: x::C }\nfn f() { s.list().to_string() }\nconst D: &str = r#\"[\"C\"]\"#;\n";
        assert_eq!(with_used_imports(text), expected);
        let text = "use a::{list, self};\nuse b::{C};\nfn f() -> C { a::g(list(1)) }\n";
        assert_eq!(with_used_imports(text), text);
    }
}
