//! Code of the test kit: the description for the contract checks, and typed mocks.

use std::collections::BTreeSet;

use askama::Template;

use crate::config::{Role, Workspace};
use crate::emit::cli::constant;
use crate::emit::model::queries::chain;
use crate::emit::{GeneratedFile, distinct, filters, marker};
use crate::ir::{
    Example, Field, Leniency, Meaning, Model, Operation, Param, Primitive, Service, Type,
    ValueType, Wire,
};
use crate::text::{percent_encoded, strings};

#[derive(Template)]
enum File<'a> {
    /// The contract: the operations that return records, and the models of these records and of the nested ones.
    #[template(path = "testkit/contract.rs.jinja")]
    Contract {
        service: &'a Service,
        krate: &'a str,
        marker: &'a str,
        operations: &'a [&'a Operation],
        models: &'a [&'a Model],
    },
    /// The mocks, with the examples' responses as text, because a published crate cannot include the spec's files.
    #[template(path = "testkit/mocks.rs.jinja")]
    Mocks { service: &'a Service, krate: &'a str },
}

const ROOT: &str = "\
#[cfg(feature = \"contract\")]
pub(crate) mod contract;
#[cfg(feature = \"mocks\")]
pub(crate) mod mocks;";

pub(super) fn emit(workspace: &Workspace) -> Vec<GeneratedFile> {
    let Workspace { service, config, .. } = workspace;
    let folder = config.modules(Role::Testkit);
    let file = |name: &str, file| GeneratedFile::new(format!("{folder}/{name}.rs"), &file);
    let (krate, marker) = (&config.rust_name(Role::Model), &marker(service));
    let operations = service.operations.iter().filter(|one| one.response.model().is_some());
    let operations: &Vec<_> = &operations.collect();
    let records = service.record_models().into_iter();
    let ids: BTreeSet<_> = records.flat_map(|model| service.reachable(model.id)).collect();
    let models: &Vec<_> = &ids.into_iter().map(|id| service.model(id)).collect();
    vec![
        GeneratedFile::root(workspace, Role::Testkit, ROOT),
        file("contract", File::Contract { service, krate, marker, operations, models }),
        file("mocks", File::Mocks { service, krate }),
    ]
}

/// Returns the examples for clients, each with the expression for its query.
fn examples(service: &Service) -> Vec<(&Example, String)> {
    let examples = service.client_examples();
    examples.filter_map(|(operation, one)| Some((one, chain(operation, one)?))).collect()
}

/// Returns the sections about access tokens: those of the open point `D-auth`, or else those of the service.
fn token_source(service: &Service) -> &str {
    let point = service.open_points.iter().find(|point| point.id == "D-auth");
    point.map_or(&service.about.source, |point| &point.source)
}

/// Returns the group of an operation's checks: its noun, followed by its verb unless it is the first operation with
/// that noun. A new operation therefore changes no existing name.
fn group(service: &Service, operation: &Operation) -> String {
    let command = operation.command();
    let mut operations = service.operations.iter();
    let first = operations.find(|other| other.command().noun == command.noun);
    match command.verb {
        Some(verb) if first != Some(operation) => format!("{}-{verb}", command.noun),
        _ => command.noun,
    }
}

/// Returns the name of a parameter's checks. It includes the operation, except for the first parameter with that name.
fn check(service: &Service, operation: &Operation, param: &Param) -> String {
    let short = |param: &Param| param.rust.without_last("id").words();
    let name = short(param);
    let operations = service.operations.iter();
    let mut params = operations.flat_map(|other| other.params.iter().map(move |one| (other, one)));
    if params.find(|(_, one)| short(one) == name) == Some((operation, param)) {
        return name;
    }
    format!("{}_{}", group(service, operation).replace('-', "_"), param.rust.words())
}

/// Returns a list in which the parameter identifies records, and the key of that field; `None` if no such list exists.
fn origin<'s>(service: &'s Service, param: &Param) -> Option<(&'s str, &'s str)> {
    if !is_id(param) {
        return None;
    }
    let is_whole = |one: &&Operation| one.response.is_list && one.required().is_empty();
    let mut found = service.operations.iter().filter(is_whole).filter_map(|list| {
        let identity = service.response_model(list)?.identity_field()?;
        (identity.ty.value() == Some(&param.ty)).then_some((list, identity))
    });
    let (list, field) = found.next()?;
    Some((&list.select, &field.wire))
}

/// Returns the sections of the contract that describe a field.
fn source<'s>(service: &'s Service, model: &'s Model, field: &'s Field) -> &'s str {
    let source = [&field.about.source, &model.about.source, &service.about.source];
    source.into_iter().find(|source| !source.is_empty()).map_or("", |source| source)
}

/// Returns the variant of `Kind` for a field, with the other forms that a reader accepts.
fn lenient(service: &Service, field: &Field) -> String {
    let mut code = match &field.ty {
        Type::List(of) if field.is(Leniency::OneAsList) => {
            format!("Kind::OneOrList(&{})", kind(service, of))
        }
        ty => kind(service, ty),
    };
    for (leniency, variant) in
        [(Leniency::EmptyArrayAsMap, "OrEmptyList"), (Leniency::BlankAsNone, "OrBlank")]
    {
        if field.is(leniency) {
            code = format!("Kind::{variant}(&{code})");
        }
    }
    code
}

/// Returns the variant of `Kind` for the values of a field.
fn kind(service: &Service, ty: &Type) -> String {
    let value = match ty {
        Type::Model(id) => return format!("Kind::Record(&{})", constant(service.model(*id))),
        Type::List(of) => return format!("Kind::List(&{})", kind(service, of)),
        Type::Map(of) => return format!("Kind::Map(&{})", kind(service, of)),
        Type::Value(value) => value,
    };
    if let Some(codes) = &value.codes {
        let values = strings(codes.all().map(|code| code.json().to_string()));
        return format!("Kind::Values(&[{values}])");
    }
    let check = format!("Kind::{}", value.names().check);
    if value.wire == Wire::TextOrNumber { format!("Kind::OrNumber(&{check})") } else { check }
}

/// Returns whether a body may report that a call is refused. The marker of a plain envelope belongs to its form.
fn reports_failures(operation: &Operation) -> bool {
    let is_form = operation.paging.is_none() && operation.response.envelope().is_some();
    !is_form && operation.response.verdict.is_some()
}

/// Returns the ids of the open points about a declaration and about its type, each once.
fn points(open: &[String], ty: Option<&ValueType>) -> String {
    strings(distinct(open.iter().chain(ty.into_iter().flat_map(|ty| &ty.about.open))))
}

/// Returns the name of a parameter in a query: for a list, the name of its first value.
fn query_name(param: &Param) -> String {
    let name = param.list.map_or_else(|| param.wire.clone(), |style| style.name(&param.wire, 0));
    percent_encoded(&name)
}

/// Returns the variant of `Values` for a parameter.
fn values(param: &Param) -> &'static str {
    let ty = &param.ty;
    match ty.in_query {
        _ if param.list.is_some() => "Other",
        Primitive::Signed | Primitive::Unsigned if is_id(param) => "NumericId",
        Primitive::Signed | Primitive::Unsigned if ty.meaning.is_none() => "Integer",
        Primitive::Text if ty.names().check == "Digits" => "NumericId",
        Primitive::Text if is_id(param) => "TextId",
        Primitive::Text if ty.names().check == "Text" => "Text",
        _ => "Other",
    }
}

fn is_id(param: &Param) -> bool {
    param.ty.meaning == Some(Meaning::Id)
}

/// Returns a value that the service accepts but that no record has, if the type has such values.
fn unknown(param: &Param) -> Option<String> {
    let text = match values(param) {
        "NumericId" => u64::MAX.to_string(),
        "Integer" => i64::MAX.to_string(),
        "Text" | "TextId" => {
            let most = param.max_chars.map_or(usize::MAX, |most| most as usize);
            "no record has this value".chars().take(most).collect()
        }
        _ => return None,
    };
    Some(text)
}
