//! Code of the server: the operations, their parameters, the trait of their storage, and the records it writes.

use askama::Template;

use crate::config::Role;
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Model, Operation, Param, Response, Service};
use crate::project::Project;

mod parameters;
mod record;

#[derive(Template)]
#[template(path = "server/root.rs.jinja")]
struct Root {
    purpose: String,
    has_attributes: bool,
}

#[derive(Template)]
#[template(path = "server/operation.rs.jinja")]
struct Operations<'a> {
    service: &'a Service,
}

/// The calls, and the trait of their storage. Adding an operation to the spec adds a method to the trait, so the server
/// does not compile until its storage is written.
#[derive(Template)]
#[template(path = "server/call.rs.jinja")]
struct Calls<'a> {
    service: &'a Service,
}

/// The attributes that filters recover. No record contains them, so the server imports them on their own.
#[derive(Template)]
#[template(path = "server/recovered.rs.jinja")]
struct Attributes<'a> {
    attributes: Vec<Attribute<'a>>,
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
    let params =
        service.operations.iter().flat_map(|one| one.params.iter().map(move |param| (one, param)));
    let attributes: Vec<_> =
        params.filter_map(|(one, param)| attribute(service, one, param)).collect();
    let root = Root { purpose: project.purpose(), has_attributes: !attributes.is_empty() };
    let mut files = vec![
        GeneratedFile::rust(format!("{folder}.rs"), &root),
        GeneratedFile::rust(file("call"), &Calls { service }),
        GeneratedFile::rust(file("operation"), &Operations { service }),
        GeneratedFile::rust(file("parameters"), &parameters::template(service)),
        GeneratedFile::rust(file("record"), &record::template(service)),
    ];
    if root.has_attributes {
        files.push(GeneratedFile::rust(file("recovered"), &Attributes { attributes }));
    }
    files
}

impl Calls<'_> {
    fn has_no_params(&self) -> bool {
        self.service.operations.iter().all(|one| one.params.is_empty())
    }
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
