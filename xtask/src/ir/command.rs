//! How operations and parameters are called on the command line: `candidates/list` is `candidates list`.

use crate::ir::{Operation, Param, RustName};

/// Where an operation stands on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The command at the top, made of what stands before the first `/` of the selector.
    pub noun: String,
    /// The name of that command in Rust.
    pub rust: RustName,
    /// The command below it; none if the selector has no `/`.
    pub verb: Option<String>,
}

impl Operation {
    /// Where the operation stands on the command line.
    pub fn command(&self) -> Command {
        let (noun, verb) = match self.select.split_once('/') {
            Some((noun, verb)) => (noun, Some(verb.replace('/', "-"))),
            None => (self.select.as_str(), None),
        };
        let reserved = RESERVED_COMMANDS.contains(&noun);
        let noun = if reserved { format!("service-{noun}") } else { noun.to_owned() };
        // What begins with a digit is a good command, but no name in Rust.
        let rust = RustName::new(&noun).or_else(|| RustName::new(&format!("service-{noun}")));
        Command { rust: rust.unwrap_or_else(|| self.rust.clone()), noun, verb }
    }
}

impl Param {
    /// The flag of the parameter; one that the program has for itself gets a prefix.
    pub fn flag(&self) -> String {
        let name = self.wire.replace('_', "-");
        if RESERVED_FLAGS.contains(&name.as_str()) { format!("param-{name}") } else { name }
    }
}

/// The commands that are written by hand.
const RESERVED_COMMANDS: &[&str] =
    &["api", "auth", "check", "completions", "config", "help", "man", "version"];

/// The flags of every command.
const RESERVED_FLAGS: &[&str] = &[
    "allow-insecure-http",
    "base-url",
    "color",
    "csv-raw",
    "demo",
    "dry-run",
    "excel",
    "fields",
    "filter",
    "help",
    "output",
    "output-file",
    "profile",
    "quiet",
    "separator",
    "sort",
    "timeout",
    "token",
    "token-file",
    "token-stdin",
    "verbose",
    "version",
];

#[cfg(test)]
mod tests {
    use crate::ir::{Doc, Operation, Response, RustName, Source};

    #[track_caller]
    fn check(select: &str, noun: &str, rust: &str, verb: Option<&str>) {
        let operation = Operation {
            rust: RustName::new("name").expect("a name"),
            select: select.to_owned(),
            params: Vec::new(),
            response: Response::Object { of: 0 },
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
    fn commands() {
        check("candidates/list", "candidates", "Candidates", Some("list"));
        check("a.b/c/d", "a.b", "AB", Some("c-d"));
        check("match", "match", "Match", None);
        check("self/get", "self", "Self_", Some("get"));
        check("2fa/get", "2fa", "Service2fa", Some("get"));
        check("config/get", "service-config", "ServiceConfig", Some("get"));
        check("~/get", "~", "Service", Some("get"));
    }
}
