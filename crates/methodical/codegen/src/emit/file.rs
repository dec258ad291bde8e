//! A generated file, as an emitter returns it.

use askama::Template;

use crate::config::{Config, Project, Role};

/// A generated file, not yet formatted or marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path from the workspace root, with `/`: `crates/gateway-model/src/generated/types.rs`.
    pub path: String,
    /// The content, without the mark. Rust code begins with a `//!` comment that states the purpose of the file, and
    /// need not be formatted. JSON contains [`MARK`] as a value near its top.
    pub text: String,
}

/// The lints that generated modules need not obey: a template imports all names that a service may need.
const ALLOWED: &str = "#![allow(unused_imports, clippy::wildcard_imports, reason = \"no service needs all imports\")]";

/// Placeholder for the mark in generated JSON, which has no comments.
pub const MARK: &str = "@generated";

impl GeneratedFile {
    /// Creates the root of the generated modules of a crate.
    pub(in crate::emit) fn root(project: &Project<'_>, role: Role, modules: &str) -> Self {
        let Config { command, .. } = project.config;
        let text = format!(
            "//! Code that `{command}` generates from the spec.\n\n{ALLOWED}\n\n{modules}\n"
        );
        Self { path: format!("{}.rs", project.config.modules(role)), text }
    }

    /// Creates a file from its template.
    pub(in crate::emit) fn new(path: impl Into<String>, template: &impl Template) -> Self {
        // Only a filter could fail, and ours do not. If one did, rustfmt would reject this text.
        let text = template.render().unwrap_or_else(|error| format!("cannot render: {error}"));
        Self { path: path.into(), text: text + "\n" }
    }

    /// Creates a JSON file from text in which objects and lists may have trailing commas.
    pub(in crate::emit) fn json(path: impl Into<String>, text: &str) -> Self {
        Self { path: path.into(), text: laid_out(text) + "\n" }
    }
}

/// Writes each member and list item of JSON on a separate line, and removes trailing commas.
fn laid_out(json: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut last) = (0, ' ');
    let mut rest = json.chars();
    while let Some(c) = rest.next() {
        let is_end = matches!(c, '}' | ']');
        if c == ':' {
            out.push_str(": ");
        } else if !c.is_whitespace() && c != ',' {
            depth -= usize::from(is_end && depth > 0);
            if last == ',' && !is_end {
                out.push(',');
            }
            if matches!(last, ',' | '{' | '[') && !(is_end && last != ',')
                || is_end && !matches!(last, '{' | '[')
            {
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
            }
            out.push(c);
            depth += usize::from(matches!(c, '{' | '['));
        }
        if c == '"' {
            let mut is_escaped = false;
            for c in rest.by_ref() {
                out.push(c);
                if c == '"' && !is_escaped {
                    break;
                }
                is_escaped = c == '\\' && !is_escaped;
            }
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::laid_out;

    #[test]
    fn json_is_laid_out() {
        let text = r#"{"a":[1,{"b\\":"\",}",},[],{ },],}"#;
        let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\\\\\": \"\\\",}\"\n    },\n    [],\n    {}\n  ]\n}";
        assert_eq!(laid_out(text), expected);
    }
}
