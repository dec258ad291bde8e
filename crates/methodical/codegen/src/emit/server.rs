//! Code of the server: the operations, their parameters, the trait of their storage, and the records it writes.

#![expect(unused_qualifications, reason = "the macro of the templates writes them")]

use askama::Template;

use crate::config::{Project, Role};
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Code, Model, Operation, Otherwise, Param, Primitive, Response, Service};
use crate::text::{string, strings};

mod record;

/// The files. Adding an operation to the spec adds a method to the trait of its storage, so the server does not compile until
/// its storage is written.
#[derive(Template)]
enum File<'a> {
    #[template(path = "server/root.rs.jinja")]
    Root { purpose: String },
    #[template(path = "server/call.rs.jinja")]
    Calls { service: &'a Service },
    #[template(path = "server/operation.rs.jinja")]
    Operations { service: &'a Service },
    #[template(path = "server/parameters.rs.jinja")]
    Parameters { service: &'a Service },
}

/// An attribute, which a parameter of a list recovers.
struct Attribute<'a> {
    operation: &'a Operation,
    param: &'a Param,
    name: &'a str,
    model: &'a Model,
    /// The parameters that select its records, the identity of a record, and the value, each with its kind.
    fields: Vec<(String, String)>,
}

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = project.config.modules(Role::Server);
    let file = |name: &str| format!("{folder}/{name}.rs");
    vec![
        GeneratedFile::rust(format!("{folder}.rs"), &File::Root { purpose: project.purpose() }),
        GeneratedFile::rust(file("call"), &File::Calls { service }),
        GeneratedFile::rust(file("operation"), &File::Operations { service }),
        GeneratedFile::rust(file("parameters"), &File::Parameters { service }),
        GeneratedFile::rust(file("record"), &record::template(service)),
    ]
}

fn has_no_params(service: &Service) -> bool {
    service.operations.iter().all(|one| one.params.is_empty())
}

/// Returns the attributes that filters recover. No record contains them, so the server imports them on their own.
fn attributes(service: &Service) -> Vec<Attribute<'_>> {
    let operations = service.operations.iter();
    let params = operations.flat_map(|one| one.params.iter().map(move |param| (one, param)));
    params.filter_map(|(one, param)| attribute(service, one, param)).collect()
}

/// Returns the attribute that a parameter recovers, unless it is a part of another one. A photo has a rating in an
/// album: this names the album too.
fn attribute<'a>(
    service: &'a Service,
    operation: &'a Operation,
    param: &'a Param,
) -> Option<Attribute<'a>> {
    let name = param.recovers.as_deref()?;
    let is_part = |other: &Param| {
        other.recovers.is_some() && operation.needed_by(other).any(|needed| needed == param)
    };
    let model = service.response_model(operation)?;
    let identity = model.identity_field()?;
    let name_of_identity = format!("{}_{}", model.rust.snake(), identity.wire);
    let identity = (name_of_identity, record::value_kind(identity.ty.value()?));
    let of = |param: &Param| (param.wire.clone(), record::value_kind(&param.ty));
    let fields = operation.needed_by(param).map(of).chain([identity, of(param)]).collect();
    let is_whole = !operation.params.iter().any(is_part);
    is_whole.then_some(Attribute { operation, param, name, model, fields })
}

fn ty(param: &Param) -> String {
    let ty = match param.ty.in_query() {
        Primitive::Text | Primitive::Boolean | Primitive::Coded => "String",
        Primitive::Signed if param.ty.as_closed_enum().is_some() => "String",
        Primitive::Signed => "i64",
        Primitive::Unsigned => "u64",
        Primitive::Float => "parameter::Float",
    };
    if param.required { ty.to_owned() } else { format!("Option<{ty}>") }
}

/// Returns the call that reads a parameter within the limits of the spec.
fn reader(param: &Param) -> String {
    let wire = string(&param.wire);
    if let Some(texts) = listed(param) {
        return format!("parameter::listed(pairs, {wire}, &[{texts}])");
    }
    match param.ty.in_query() {
        Primitive::Signed => {
            let end = |limit: Option<i64>, end: &str| {
                limit.map_or_else(|| format!("i64::{end}"), |limit| limit.to_string())
            };
            let (min, max) = (end(param.min, "MIN"), end(param.max, "MAX"));
            format!("parameter::between(pairs, {wire}, {min}..={max})")
        }
        Primitive::Unsigned => format!("parameter::integer(pairs, {wire})"),
        Primitive::Float => format!("parameter::float(pairs, {wire})"),
        Primitive::Text | Primitive::Boolean | Primitive::Coded => {
            let most = param.max_chars.map(|_| format!("Some(Self::{})", max_chars(param)));
            let most = most.unwrap_or_else(|| "None".to_owned());
            format!("parameter::text(pairs, {wire}, {most})")
        }
    }
}

/// Returns the name of the constant with the maximum length of a parameter.
fn max_chars(param: &Param) -> String {
    param.rust.followed_by("max_chars").screaming_snake()
}

/// Returns the only texts that the parameter may have, as literals, if the spec lists them.
fn listed(param: &Param) -> Option<String> {
    if param.ty.in_query() == Primitive::Boolean {
        return Some(strings(["true", "false"]));
    }
    if let Some(codes) = param.ty.codes() {
        return Some(strings(codes.all().map(Code::text)));
    }
    let closed = param.ty.as_closed_enum()?;
    Some(strings(closed.values.iter().map(|value| &value.wire)))
}

/// Returns the parameters that have this effect without an optional one that they need, each with
/// the one it needs.
fn dependent(operation: &Operation, otherwise: Otherwise) -> Vec<(&Param, &Param)> {
    let params = operation.params.iter().filter(|param| param.otherwise == otherwise);
    let pairs =
        params.flat_map(|param| operation.needed_by(param).map(move |needed| (param, needed)));
    pairs.filter(|(_, needed)| !needed.required).collect()
}
