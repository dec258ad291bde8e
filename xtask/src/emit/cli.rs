//! The program's commands: one for each operation, its parameters as flags.

use std::fmt::Write as _;

use crate::emit::GeneratedFile;
use crate::ir::{Command, Operation, Param, Service, Type, Wire};
use crate::text::{Rust, string};

mod ask;

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let mut file = Rust::new("The commands of the operations.");
    file.line("use clap::{Args, Subcommand};");
    file.line("use gateway_client::model;");
    file.blank();
    file.line("use crate::failure::Failure;");
    if service.operations.iter().flat_map(|one| &one.params).any(|one| value_type(one) == "u64") {
        file.line("use crate::number::whole_number;");
    }
    file.line("use crate::output::select::Fields;");
    file.line("use crate::session::Session;");
    file.blank();
    let groups = groups(service);
    commands(&mut file, service, &groups);
    for group in groups.iter().filter(|group| group.alone.is_none()) {
        verbs(&mut file, service, group);
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
    file.doc("The cheapest operation, which checks whether the service accepts a token.");
    file.line(format_args!("pub(crate) type Probe = model::{};", operation.rust.pascal()));
}

/// A command at the top: `candidates` with its verbs, or an operation whose selector has no `/`.
struct Group<'a> {
    command: Command,
    /// The verbs, each with its operation.
    verbs: Vec<(String, &'a Operation)>,
    alone: Option<&'a Operation>,
}

impl Group<'_> {
    fn variant(&self) -> String {
        self.command.rust.variant()
    }

    /// What it can do: what its one verb does, or the verbs that there are.
    fn about(&self) -> String {
        if let [(_, operation)] = self.verbs.as_slice() {
            return imperative(&operation.doc.0);
        }
        let verbs: Vec<_> = self.verbs.iter().map(|(verb, _)| verb.as_str()).collect();
        format!("Ask about {}: {}.", self.command.noun, verbs.join(", "))
    }

    /// The type of its verbs.
    fn verbs(&self) -> String {
        let name = self.command.rust.followed_by("command").pascal();
        if name == ALL { name + "_" } else { name }
    }
}

fn groups(service: &Service) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for operation in &service.operations {
        let mut command = operation.command();
        let verb = command.verb.take().map(|verb| (verb, operation));
        let alone = verb.is_none().then_some(operation);
        match groups.iter_mut().find(|group| group.command == command) {
            Some(group) => group.verbs.extend(verb),
            None => groups.push(Group { command, verbs: verb.into_iter().collect(), alone }),
        }
    }
    groups
}

fn commands(file: &mut Rust, service: &Service, groups: &[Group<'_>]) {
    file.doc("What is asked of the service.");
    file.line("#[derive(Debug, Subcommand)]");
    file.open(format_args!("pub(crate) enum {ALL} {{"));
    for group in groups {
        let noun = &group.command.noun;
        if let Some(operation) = group.alone {
            variant(file, operation, noun, &group.variant());
        } else {
            file.doc(&group.about());
            file.line(format_args!("#[command(subcommand, name = {})]", string(noun)));
            file.line(format_args!("{}({}),", group.variant(), group.verbs()));
        }
    }
    file.close("}");
    ask::by_command(file, ALL, |file| {
        for group in groups {
            let variant = group.variant();
            match group.alone {
                Some(operation) => ask::arm(file, service, operation, &variant),
                None => {
                    file.line(format_args!("Self::{variant}(command) => command.run(session),"));
                }
            }
        }
    });
}

fn verbs(file: &mut Rust, service: &Service, group: &Group<'_>) {
    let name = group.verbs();
    file.blank();
    file.doc(&format!("What can be asked about {}.", group.command.noun));
    file.line("#[derive(Debug, Subcommand)]");
    file.open(format_args!("pub(crate) enum {name} {{"));
    for (verb, operation) in &group.verbs {
        variant(file, operation, verb, &operation.rust.variant());
    }
    file.close("}");
    ask::by_command(file, &name, |file| {
        for (_, operation) in &group.verbs {
            ask::arm(file, service, operation, &operation.rust.variant());
        }
    });
}

fn variant(file: &mut Rust, operation: &Operation, name: &str, variant: &str) {
    file.doc(&imperative(&operation.doc.0));
    file.line(format_args!("#[command(name = {})]", string(name)));
    if operation.params.is_empty() {
        file.line(format_args!("{variant},"));
    } else {
        file.line(format_args!("{variant}({}Flags),", operation.rust.pascal()));
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
        let mut settings = format!("id = {}, long = {}", string(&id(param)), string(&param.flag()));
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
        operation.needed_by(param).map(|needed| format!("`--{}`", needed.flag())).collect();
    if needed.is_empty() {
        param.doc.0.clone()
    } else {
        format!("{} Needs {}.", param.doc.0, needed.join(" and "))
    }
}

fn id(param: &Param) -> String {
    format!("param:{}", param.wire)
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

/// The enum of all commands at the top.
const ALL: &str = "OperationCommand";

/// The verbs that descriptions of operations begin with, followed by an `s`.
const VERBS: &[&str] = &[
    "Ask", "Check", "Count", "Find", "Get", "List", "Read", "Report", "Return", "Search", "Show",
    "Sum", "Tell",
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
