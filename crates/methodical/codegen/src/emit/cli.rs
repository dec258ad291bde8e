//! Code of the program: one command for each operation, with its parameters as flags.

use askama::Template;

use crate::config::{Role, Workspace};
use crate::emit::model::examples::smallest_query;
use crate::emit::model::marker;
use crate::emit::model::tables::gauge;
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Command, Gauge, Model, Operation, Param, Primitive, Service};
use crate::text::strings;

mod help;

#[derive(Template)]
#[template(path = "cli.rs.jinja")]
struct Commands<'a> {
    service: &'a Service,
    client: String,
    marker: String,
    groups: Vec<Group<'a>>,
    /// The call that checks whether the service accepts a token: its operation, and an expression for its query.
    probe: Option<(&'a Operation, String)>,
}

/// A top-level command: `photos` with its subcommands, or an operation whose selector has no `/`.
struct Group<'a> {
    command: Command,
    /// The subcommands, each with its operation.
    verbs: Vec<(String, &'a Operation)>,
    /// The operation of a command without subcommands.
    alone: Option<&'a Operation>,
}

pub(super) fn emit(workspace: &Workspace) -> Vec<GeneratedFile> {
    let Workspace { service, config, .. } = workspace;
    let cheapest = cheapest(service);
    let probe = cheapest.and_then(|one| Some((one, smallest_query(service, one)?)));
    let (client, marker) = (config.rust_name(Role::Client), marker(service));
    let template = Commands { service, client, marker, groups: groups(service), probe };
    let path = format!("{}/commands.rs", config.modules(Role::Cli));
    let root = GeneratedFile::root(workspace, Role::Cli, "pub(crate) mod commands;");
    vec![root, GeneratedFile::new(path, &template)]
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

/// Returns the operation with the fewest required parameters, preferring one that returns an object, because a list may
/// be long.
fn cheapest(service: &Service) -> Option<&Operation> {
    service.operations.iter().min_by_key(|one| {
        let required = one.required().len();
        (one.response.of.is_none(), required, one.response.is_list, one.params.len())
    })
}

impl Group<'_> {
    /// Returns the help text: that of the only subcommand, or the list of subcommands.
    fn about(&self) -> String {
        if let [(_, operation)] = self.verbs.as_slice() {
            return help::imperative(operation);
        }
        let verbs: Vec<_> = self.verbs.iter().map(|(verb, _)| verb.as_str()).collect();
        format!("Call an operation of {}: {}.", self.command.noun, verbs.join(", "))
    }

    /// Returns the type of the subcommands.
    fn subcommands(&self) -> String {
        let name = self.command.rust.followed_by("command").pascal();
        if name == "OperationCommand" { name + "_" } else { name }
    }

    /// Returns the operation of the group that has a gauge.
    fn gauge(&self) -> Option<(&Operation, &Gauge)> {
        self.verbs.iter().find_map(|(_, one)| Some((*one, one.gauge.as_ref()?)))
    }

    /// Returns the name of the variant with the commands of a gauge, which no operation has.
    fn gauge_variant(&self) -> &'static str {
        let is_taken = self.verbs.iter().any(|(_, one)| one.rust.variant() == "Gauge");
        if is_taken { "Gauge_" } else { "Gauge" }
    }
}

impl Commands<'_> {
    /// Returns the arguments of the examples in the program's help: a command, a selector and columns. Examples should
    /// work unchanged, so they use an operation without required parameters, if one exists.
    fn example(&self) -> Option<String> {
        let operations = || self.service.operations.iter();
        let listed =
            operations().find(|one| one.required().is_empty()).or_else(|| operations().next())?;
        let plain =
            operations().find(|one| one.params.is_empty()).or_else(|| operations().next())?;
        let model = self.service.response_model(listed);
        // A value has one column.
        let columns =
            model.map_or_else(|| vec!["value".to_owned()], |model| self.service.columns(model));
        // The first two, and one from a nested object if possible.
        let third = columns.iter().skip(2).find(|one| one.contains('.')).or_else(|| columns.get(2));
        let columns: Vec<_> = columns.iter().take(2).chain(third).map(String::as_str).collect();
        Some(strings([&help::command(listed), &plain.select, &columns.join(",")]))
    }

    /// Returns the models of the records in responses.
    fn records(&self) -> Vec<&Model> {
        let responses = || self.service.operations.iter().map(|one| &one.response);
        let is_used = |model: &&Model| responses().any(|one| one.model() == Some(model.id));
        self.service.models.iter().filter(is_used).collect()
    }
}

/// Returns the name of the constant with the type of a record.
fn constant(model: &Model) -> String {
    format!("{}_RECORD", model.rust.screaming_snake())
}

/// Returns the identifier of a parameter's flag. The colon distinguishes it from those of hand-written flags.
fn id(param: &Param) -> String {
    format!("param:{}", param.wire)
}

/// Returns whether other parameters need a parameter.
fn is_needed(operation: &Operation, param: &Param) -> bool {
    operation.params.iter().any(|other| operation.needed_by(other).any(|needed| needed == param))
}
