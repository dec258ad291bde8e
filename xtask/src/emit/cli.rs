//! The program's commands: one for each operation, its parameters as flags.

use std::fmt::Write as _;

use super::GeneratedFile;
use crate::ir::{Operation, Param, Service, Type, Wire};
use crate::text::{Rust, string};

mod ask;

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let mut file = Rust::new("The commands of the operations.");
    file.line("use clap::{Args, Subcommand};");
    file.line("use gateway_client::model;");
    file.blank();
    if service.operations.iter().flat_map(|one| &one.params).any(|one| value_type(one) == "u64") {
        file.line("use crate::args::whole_number;");
    }
    file.line("use crate::failure::Failure;");
    file.line("use crate::output::select::Fields;");
    file.line("use crate::session::Session;");
    file.blank();
    let groups = groups(service);
    commands(&mut file, service, &groups);
    for group in &groups {
        if let Group::Noun { noun, operations } = group {
            verbs(&mut file, service, noun, operations);
        }
    }
    for operation in &service.operations {
        if !operation.params.is_empty() {
            flags(&mut file, operation);
            ask::by_flags(&mut file, service, operation);
        }
    }
    cheapest(&mut file, service);
    ask::fields(&mut file, service);
    vec![GeneratedFile {
        path: "crates/gateway-cli/src/generated/commands.rs".to_owned(),
        text: file.finish(),
    }]
}

/// What a token is tried with: an object if possible, because a list may be long.
fn cheapest(file: &mut Rust, service: &Service) {
    let askable = |one: &&Operation| one.params.iter().all(|param| !param.required);
    let mut operations: Vec<_> = service.operations.iter().filter(askable).collect();
    operations.sort_by_key(|one| (one.response.is_list(), one.params.len()));
    let Some(operation) = operations.first() else { return };
    file.blank();
    file.doc("The question that costs the service the least, to see whether it takes a token.");
    file.line(format_args!(
        "pub(crate) type CheapestQuestion = model::{};",
        operation.rust.pascal()
    ));
}

/// A command at the top: `candidates` with its verbs, or an operation whose selector has no `/`.
enum Group<'a> {
    Noun { noun: String, operations: Vec<&'a Operation> },
    Alone(&'a Operation),
}

fn groups(service: &Service) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for operation in &service.operations {
        let Some((name, _)) = operation.select.split_once('/') else {
            groups.push(Group::Alone(operation));
            continue;
        };
        let same = groups.iter_mut().find_map(|group| match group {
            Group::Noun { noun, operations } if noun == name => Some(operations),
            _ => None,
        });
        match same {
            Some(operations) => operations.push(operation),
            None => groups.push(Group::Noun { noun: name.to_owned(), operations: vec![operation] }),
        }
    }
    groups
}

fn commands(file: &mut Rust, service: &Service, groups: &[Group<'_>]) {
    file.doc("What is asked of the service.");
    file.line("#[derive(Debug, Subcommand)]");
    file.open("pub(crate) enum OperationCommand {");
    for group in groups {
        match group {
            Group::Noun { noun, operations } => {
                file.doc(&about(noun, operations));
                file.line(format_args!(
                    "#[command(subcommand, name = {})]",
                    string(&command(noun))
                ));
                file.line(format_args!("{0}({0}Command),", pascal(noun)));
            }
            Group::Alone(operation) => variant(file, operation, &command(&operation.select)),
        }
    }
    file.close("}");
    ask::by_command(file, "OperationCommand", |file| {
        for group in groups {
            match group {
                Group::Noun { noun, .. } => file
                    .line(format_args!("Self::{}(command) => command.run(session),", pascal(noun))),
                Group::Alone(operation) => ask::arm(file, service, operation),
            }
        }
    });
}

/// What a noun can do: what its one verb does, or the verbs that there are.
fn about(noun: &str, operations: &[&Operation]) -> String {
    if let [operation] = operations {
        return imperative(&operation.doc.0);
    }
    let verbs: Vec<_> = operations.iter().map(|one| verb(one)).collect();
    format!("Ask about {noun}: {}.", verbs.join(", "))
}

fn verbs(file: &mut Rust, service: &Service, noun: &str, operations: &[&Operation]) {
    let name = format!("{}Command", pascal(noun));
    file.blank();
    file.doc(&format!("What can be asked about {noun}."));
    file.line("#[derive(Debug, Subcommand)]");
    file.open(format_args!("pub(crate) enum {name} {{"));
    for operation in operations {
        variant(file, operation, &verb(operation));
    }
    file.close("}");
    ask::by_command(file, &name, |file| {
        for operation in operations {
            ask::arm(file, service, operation);
        }
    });
}

fn variant(file: &mut Rust, operation: &Operation, name: &str) {
    file.doc(&imperative(&operation.doc.0));
    file.line(format_args!("#[command(name = {})]", string(name)));
    let variant = operation.rust.pascal();
    if operation.params.is_empty() {
        file.line(format_args!("{variant},"));
    } else {
        file.line(format_args!("{variant}({variant}Flags),"));
    }
}

/// Says what a command does as the help of commands says it: "List", where the spec says what an operation does, "Lists".
fn imperative(doc: &str) -> String {
    // Only of verbs that are known: a description may as well begin with a noun.
    let (first, rest) = doc.split_once(' ').unwrap_or((doc, ""));
    match first.strip_suffix('s').filter(|verb| VERBS.contains(verb)) {
        Some(verb) => format!("{verb} {rest}"),
        None => doc.to_owned(),
    }
}

fn flags(file: &mut Rust, operation: &Operation) {
    file.blank();
    file.doc(&format!("The parameters of `{}`.", operation.select));
    file.line("#[derive(Debug, Args)]");
    file.open(format_args!("pub(crate) struct {}Flags {{", operation.rust.pascal()));
    for param in &operation.params {
        file.doc(&help(operation, param));
        // The identifiers of the program's own flags have no colon.
        let mut settings = format!("id = {}, long = {}", string(&id(param)), string(&flag(param)));
        if let Some(name) = value_name(param) {
            _ = write!(settings, ", value_name = {}", string(name));
        }
        for needed in operation.needed_by(param) {
            _ = write!(settings, ", requires = {}", string(&id(needed)));
        }
        if param.query_wire == Wire::String && param.ty != Type::Boolean {
            settings.push_str(", value_parser = clap::builder::NonEmptyStringValueParser::new()");
        }
        if value_type(param) == "i64" {
            settings.push_str(", allow_negative_numbers = true");
        }
        if value_type(param) == "u64" {
            settings.push_str(", value_parser = whole_number");
        }
        file.line(format_args!("#[arg({settings})]"));
        let ty = value_type(param);
        let name = param.rust.snake();
        if param.required {
            file.line(format_args!("{name}: {ty},"));
        } else {
            file.line(format_args!("{name}: Option<{ty}>,"));
        }
    }
    file.close("}");
}

fn help(operation: &Operation, param: &Param) -> String {
    let needed: Vec<_> =
        operation.needed_by(param).map(|needed| format!("`--{}`", flag(needed))).collect();
    if needed.is_empty() {
        param.doc.0.clone()
    } else {
        format!("{} Needs {}.", param.doc.0, needed.join(" and "))
    }
}

fn id(param: &Param) -> String {
    format!("param:{}", param.wire)
}

/// The flag of a parameter; one that the program has for itself gets a prefix.
fn flag(param: &Param) -> String {
    let name = param.wire.replace('_', "-");
    if RESERVED_FLAGS.contains(&name.as_str()) { format!("param-{name}") } else { name }
}

fn value_name(param: &Param) -> Option<&'static str> {
    match (param.ty, param.query_wire) {
        (Type::Boolean, _) => None,
        (_, Wire::Integer) => Some("N"),
        (Type::Enum(_), Wire::String) => Some("NAME"),
        (_, Wire::String) => Some("TEXT"),
    }
}

fn value_type(param: &Param) -> &'static str {
    match (param.ty, param.query_wire) {
        (Type::Boolean, _) => "bool",
        (Type::Integer, _) => "i64",
        (_, Wire::Integer) => "u64",
        (_, Wire::String) => "String",
    }
}

/// The command below its noun: what stands behind the first `/` of the selector.
fn verb(operation: &Operation) -> String {
    let (_, verb) = operation.select.split_once('/').unwrap_or(("", &operation.select));
    verb.replace('/', "-")
}

fn pascal(noun: &str) -> String {
    noun.split(|letter: char| !letter.is_ascii_alphanumeric())
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| {
                format!("{}{}", first.to_ascii_uppercase(), letters.as_str())
            })
        })
        .collect()
}

/// The name of a command at the top; one that the program has for itself gets a prefix.
fn command(noun: &str) -> String {
    if RESERVED_COMMANDS.contains(&noun) { format!("service-{noun}") } else { noun.to_owned() }
}

/// The verbs that descriptions of operations begin with, followed by an `s`.
const VERBS: &[&str] = &[
    "Ask", "Check", "Count", "Find", "Get", "List", "Read", "Report", "Return", "Search", "Show",
    "Sum", "Tell",
];

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
    use super::imperative;

    #[test]
    fn a_command_is_told_what_to_do() {
        assert_eq!(imperative("Lists all vacancies: titles."), "List all vacancies: titles.");
        assert_eq!(imperative("Readers of the account."), "Readers of the account.");
        assert_eq!(imperative("Candidates."), "Candidates.");
        assert_eq!(imperative(""), "");
    }
}
