//! Code of the program: one command for each operation, with its parameters as flags.

use crate::config::Role;
use crate::emit::cli::imperative::imperative;
use crate::emit::file::GeneratedFile;
use crate::emit::model::service::marker;
use crate::ir::{Command, Operation, Service};
use crate::project::Project;
use crate::text::{RustFile, string};

mod columns;
mod command_examples;
mod dates;
mod envelopes;
mod example;
mod flags;
mod gauge;
mod imperative;
mod plural;
mod posts;
mod probe;
mod run;

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let Project { service, config } = project;
    let mut file = RustFile::new("The commands that call the operations.");
    // Only a service with some very long command lines has one, so `expect` is not possible.
    let reason = "a program parses one command line";
    file.line(format_args!("#![allow(clippy::large_enum_variant, reason = {})]", string(reason)));
    file.blank();
    let mut params = service.operations.iter().flat_map(|one| &one.params);
    let has_flags = service.operations.iter().any(flags::has_any);
    let clap = if has_flags { "{self, Args, Subcommand}" } else { "{self, Subcommand}" };
    file.line(format_args!("use {RUNTIME}::codegen::clap::{clap};"));
    if params.clone().any(|param| param.ty.as_closed_enum().is_some()) {
        file.line(format_args!("use {RUNTIME}::codegen::clap::builder::TypedValueParser as _;"));
    }
    if params.any(flags::is_whole_number) {
        file.line(format_args!("use {RUNTIME}::codegen::whole_number;"));
    }
    let has_records = service
        .operations
        .iter()
        .any(|one| one.response.of().is_some() || one.response.beside().is_some());
    let types = if has_records { "FieldType, " } else { "" };
    file.line(format_args!(
        "use {RUNTIME}::{{Envelope, Example, Failure, {types}OperationCommands, RecordType}};"
    ));
    file.line(format_args!("use {}::{{blocking, model}};", config.rust_name(Role::Client)));
    file.blank();
    file.line(format_args!(
        "type Session = {RUNTIME}::Session<model::service::{}>;",
        marker(service)
    ));
    file.blank();
    let groups = groups(service);
    commands(&mut file, service, &groups);
    for group in groups.iter().filter(|group| group.alone.is_none()) {
        verbs(&mut file, service, group);
    }
    for operation in &service.operations {
        if flags::has_any(operation) {
            flags::declare(&mut file, operation);
            run::by_flags(&mut file, service, operation);
        }
    }
    columns::declare(&mut file, service);
    vec![GeneratedFile::old(format!("{}/commands.rs", config.modules(Role::Cli)), file)]
}

/// A top-level command: `photos` with its subcommands, or an operation whose selector has no `/`.
struct Group<'a> {
    command: Command,
    /// The subcommands, each with its operation.
    verbs: Vec<(String, &'a Operation)>,
    /// The operation of a command without subcommands.
    alone: Option<&'a Operation>,
}

impl Group<'_> {
    fn variant(&self) -> String {
        self.command.rust.variant()
    }

    /// Returns the help text: that of the only subcommand, or the list of subcommands.
    fn about(&self) -> String {
        if let [(_, operation)] = self.verbs.as_slice() {
            return imperative(operation);
        }
        let verbs: Vec<_> = self.verbs.iter().map(|(verb, _)| verb.as_str()).collect();
        format!("Call an operation of {}: {}.", self.command.noun, verbs.join(", "))
    }

    /// Returns the operations of the subcommands.
    fn operations(&self) -> Vec<&Operation> {
        self.verbs.iter().map(|(_, operation)| *operation).collect()
    }

    /// Returns the type of the subcommands.
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

fn commands(file: &mut RustFile, service: &Service, groups: &[Group<'_>]) {
    file.doc("The commands that call an operation.");
    file.line("#[derive(Debug, Subcommand)]");
    file.open(format_args!("pub(crate) enum {ALL} {{"));
    for group in groups {
        let noun = &group.command.noun;
        if let Some(operation) = group.alone {
            variant(file, service, operation, (noun, &group.variant()));
        } else {
            file.doc(&group.about());
            file.line(format_args!("#[command(subcommand, name = {})]", string(noun)));
            file.line(format_args!("{}({}),", group.variant(), group.verbs()));
        }
    }
    file.close("}");
    file.blank();
    file.open(format_args!("impl OperationCommands for {ALL} {{"));
    file.line(format_args!("type Service = model::service::{};", marker(service)));
    file.line("type Client = blocking::Client;");
    probe::declare_type(file, service);
    example::declare(file, service);
    dates::declare(file, service);
    envelopes::declare(file, service);
    posts::declare(file, service, RUNTIME);
    columns::declare_commands(file, service);
    probe::declare_query(file, service);
    run::function(file, "", |file| {
        for group in groups {
            let variant = group.variant();
            match group.alone {
                Some(operation) => run::arm(file, service, operation, &variant),
                None => {
                    file.line(format_args!("Self::{variant}(command) => command.run(session),"));
                }
            }
        }
    });
    file.close("}");
}

fn verbs(file: &mut RustFile, service: &Service, group: &Group<'_>) {
    let (name, operations) = (group.verbs(), group.operations());
    file.blank();
    file.doc(&format!("The subcommands of `{}`.", group.command.noun));
    file.line("#[derive(Debug, Subcommand)]");
    file.open(format_args!("pub(crate) enum {name} {{"));
    for (verb, operation) in &group.verbs {
        variant(file, service, operation, (verb, &operation.rust.variant()));
    }
    gauge::declare(file, &operations, RUNTIME);
    file.close("}");
    run::by_command(file, &name, |file| {
        for operation in &operations {
            run::arm(file, service, operation, &operation.rust.variant());
        }
        gauge::arm(file, &operations);
    });
}

fn variant(
    file: &mut RustFile,
    service: &Service,
    operation: &Operation,
    (name, variant): (&str, &str),
) {
    file.doc(&imperative(operation));
    file.line(format_args!("#[command(name = {})]", string(name)));
    let examples = command_examples::examples(service, operation);
    if !examples.is_empty() {
        file.line(format_args!("#[command(after_help = {})]", string(&examples.join("\n"))));
    }
    if flags::has_any(operation) {
        file.line(format_args!("{variant}({}Flags),", operation.rust.pascal()));
    } else {
        file.line(format_args!("{variant},"));
    }
}

/// The crate with the frame of the program.
const RUNTIME: &str = "gateway_cli_core";

/// The enum of all top-level commands.
const ALL: &str = "OperationCommand";
