//! How a command asks: each in a function of its own, so that no function grows with the spec.

use crate::emit::cli::value_type;
use crate::ir::{Field, Model, Operation, Param, Response, Service, Type};
use crate::text::{Rust, string};

/// Writes `run` of a command, with the arms of its `match`.
pub(super) fn by_command(file: &mut Rust, command: &str, arms: impl FnOnce(&mut Rust)) {
    file.blank();
    file.open(format_args!("impl {command} {{"));
    begin(file, "pub(crate)");
    file.open("match self {");
    arms(file);
    file.close("}");
    file.close("}");
    file.close("}");
}

/// Writes the arm of an operation: its flags ask, or, if it has none, the arm itself.
pub(super) fn arm(file: &mut Rust, service: &Service, operation: &Operation, variant: &str) {
    if operation.params.is_empty() {
        let call = call(service, operation, "vec![]");
        file.line(format_args!("Self::{variant} => {call},"));
    } else {
        file.line(format_args!("Self::{variant}(flags) => flags.run(session),"));
    }
}

/// Writes `run` of the flags of an operation.
pub(super) fn by_flags(file: &mut Rust, service: &Service, operation: &Operation) {
    file.blank();
    file.open(format_args!("impl {}Flags {{", operation.rust.pascal()));
    begin(file, "");
    let given: Vec<_> = operation.params.iter().map(given).collect();
    file.line(format_args!("let given = vec![{}];", given.join(", ")));
    file.line(call(service, operation, "given"));
    file.close("}");
    file.close("}");
}

/// Writes the fields of every record that an operation answers with.
pub(super) fn fields(file: &mut Rust, service: &Service) {
    let answers = |model: &Model| {
        let mut models = service.operations.iter().filter_map(|one| service.response_model(one));
        models.any(|one| one.rust == model.rust)
    };
    for model in service.models.iter().filter(|model| answers(model)) {
        let (name, constant) = (model.rust.pascal(), model.rust.shouting());
        file.blank();
        file.doc_markdown(format_args!(
            "The columns in which a [`{name}`](model::{name}) is shown."
        ));
        list(file, &format!("{constant}_COLUMNS"), &shown(service, model));
        file.blank();
        file.doc_markdown(format_args!(
            "The fields of a [`{name}`](model::{name}) by their paths."
        ));
        list(file, &format!("{constant}_FIELDS"), &paths(service, model));
    }
}

fn begin(file: &mut Rust, visibility: &str) {
    file.doc("Asks the service, and prints what it answers.");
    let head = format!("{visibility} fn run(self, session: &Session) -> Result<(), Failure> {{");
    file.open(head.trim_start());
}

/// The call of the session that asks an operation.
fn call(service: &Service, operation: &Operation, given: &str) -> String {
    let call = match operation.response {
        Response::Object { .. } => "object",
        Response::Envelope { .. } | Response::Array { .. } => "list",
    };
    let name = operation.rust.pascal();
    match service.response_model(operation).map(|model| model.rust.shouting()) {
        Some(model) => {
            format!("session.{call}::<model::{name}>({given}, {model}_COLUMNS, {model}_FIELDS)")
        }
        None => format!("session.{call}::<model::{name}>({given}, &[], &[])"),
    }
}

/// A parameter by its name on the wire, and its value if it was given.
fn given(param: &Param) -> String {
    let (wire, name) = (string(&param.wire), param.rust.snake());
    match (param.required, value_type(param)) {
        (true, "String") => format!("({wire}, Some(self.{name}))"),
        (true, _) => format!("({wire}, Some(self.{name}.to_string()))"),
        (false, "String") => format!("({wire}, self.{name})"),
        (false, _) => format!("({wire}, self.{name}.map(|value| value.to_string()))"),
    }
}

fn list(file: &mut Rust, name: &str, paths: &[String]) {
    let paths: Vec<_> = paths.iter().map(|path| string(path)).collect();
    file.line(format_args!("const {name}: Fields<'_> = &[{}];", paths.join(", ")));
}

/// The columns of a table: every member, and of a nested model what is not its identity.
fn shown(service: &Service, model: &Model) -> Vec<String> {
    let mut columns = Vec::new();
    for field in &model.fields {
        match nested(service, field) {
            None => columns.push(field.wire.clone()),
            Some(inner) => {
                let identity = inner.identity_field().map(|field| &field.wire);
                let alone = inner.fields.len() == 1;
                columns.extend(
                    inner
                        .fields
                        .iter()
                        .filter(|one| nested(service, one).is_none())
                        .filter(|one| alone || Some(&one.wire) != identity)
                        .map(|one| format!("{}.{}", field.wire, one.wire)),
                );
            }
        }
    }
    columns
}

/// Every path that can be named: the members, and those of nested models.
fn paths(service: &Service, model: &Model) -> Vec<String> {
    let mut fields = Vec::new();
    for field in &model.fields {
        fields.push(field.wire.clone());
        if let Some(inner) = nested(service, field) {
            fields.extend(inner.fields.iter().map(|one| format!("{}.{}", field.wire, one.wire)));
        }
    }
    fields
}

fn nested<'a>(service: &'a Service, field: &Field) -> Option<&'a Model> {
    match field.ty {
        Type::Model(index) => service.models.get(index),
        _ => None,
    }
}
