//! Names of operations and parameters on the command line: `photos/list` and `photos.list` are `photos list`.

use crate::ir::{Operation, Param, RustName};

/// The command of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The top-level command: the part of the selector before its first `/`, or before its last `.` if it has no `/`.
    pub noun: String,
    /// The name of that command in Rust.
    pub rust: RustName,
    /// The subcommand; `None` if the selector has neither.
    pub verb: Option<String>,
}

impl Operation {
    /// Returns the command of the operation.
    pub fn command(&self) -> Command {
        let parts = self.select.split_once('/').or_else(|| self.select.rsplit_once('.'));
        let (noun, verb) = match parts {
            Some((noun, verb)) if !noun.is_empty() && !verb.is_empty() => {
                (noun, Some(verb.replace('/', "-")))
            }
            _ => (self.select.as_str(), None),
        };
        let reserved = RESERVED_COMMANDS.contains(&noun);
        let noun = if reserved { format!("service-{noun}") } else { noun.to_owned() };
        // A command may begin with a digit, a Rust name may not.
        let rust = RustName::new(&noun).or_else(|| RustName::new(&format!("service-{noun}")));
        Command { rust: rust.unwrap_or_else(|| self.rust.clone()), noun, verb }
    }
}

impl Param {
    /// Returns the flag of the parameter, with a prefix if the program already has such a flag.
    pub fn flag(&self) -> String {
        let is_bracketed = self.wire.contains('[');
        let name = if is_bracketed { self.rust.kebab() } else { self.wire.replace('_', "-") };
        if RESERVED_FLAGS.contains(&name.as_str()) { format!("param-{name}") } else { name }
    }
}

/// Commands that are written by hand.
const RESERVED_COMMANDS: &[&str] = &[
    "api",
    "auth",
    "cache",
    "check",
    "completions",
    "config",
    "help",
    "man",
    "profile",
    "version",
];

/// Flags that every command has.
const RESERVED_FLAGS: &[&str] = &[
    "allow-insecure-http",
    "any-field",
    "base-url",
    "beside",
    "cache",
    "color",
    "columns",
    "count-by",
    "csv-raw",
    "demo",
    "dry-run",
    "excel",
    "fields",
    "filter",
    "help",
    "jq",
    "limit",
    "no-compression",
    "no-pager",
    "one-page",
    "output",
    "output-file",
    "profile",
    "quiet",
    "record-limit",
    "separator",
    "since",
    "sort",
    "timeout",
    "token",
    "token-file",
    "token-stdin",
    "verbose",
    "version",
    "wide",
];

#[cfg(test)]
mod tests {
    use crate::ir::{Doc, ModelId, Operation, Response, RustName, Source};

    #[track_caller]
    fn check(select: &str, noun: &str, rust: &str, verb: Option<&str>) {
        let operation = Operation {
            rust: RustName::new("name").expect("a name"),
            select: select.to_owned(),
            params: Vec::new(),
            post: None,
            response: Response::Object { of: ModelId::new(0) },
            paging: None,
            gauge: None,
            doc: Doc::default(),
            source: Source::default(),
            open: Vec::new(),
            deprecated: None,
        };
        let command = operation.command();
        assert_eq!(
            (command.noun.as_str(), command.rust.variant().as_str(), command.verb.as_deref()),
            (noun, rust, verb)
        );
    }

    #[test]
    fn a_selector_becomes_a_command() {
        check("photos/list", "photos", "Photos", Some("list"));
        check("a.b/c/d", "a.b", "AB", Some("c-d"));
        check("photos.search", "photos", "Photos", Some("search"));
        check("crm.lead.list", "crm.lead", "CrmLead", Some("list"));
        check("esearch.", "esearch.", "Esearch", None);
        check("match", "match", "Match", None);
        check("self/get", "self", "Self_", Some("get"));
        check("2fa/get", "2fa", "Service2fa", Some("get"));
        check("config/get", "service-config", "ServiceConfig", Some("get"));
        check("~/get", "~", "Service", Some("get"));
    }
}
