//! Records: one file for each model, with its owned and its borrowed form.

use crate::config::Role;
use crate::emit::file::GeneratedFile;
use crate::emit::model::modules::Module;
use crate::emit::model::records::field::{RecordField, fields};
use crate::ir::{Leniency, Model, Service, Type};
use crate::project::Project;
use crate::text::RustFile;

mod declare;
mod example;
mod field;
mod implement;

pub(crate) use crate::emit::model::records::example::{
    constructor as smallest_record, one as smallest_value,
};

pub(super) fn emit(project: &Project<'_>) -> Vec<GeneratedFile> {
    let service = project.service;
    let folder = format!("{}/models", project.config.modules(Role::Model));
    let models = service.models.iter().map(|model| {
        GeneratedFile::rust(format!("{folder}/{}.rs", model.rust.module()), one(project, model))
    });
    std::iter::once(GeneratedFile::rust(format!("{folder}.rs"), root(service)))
        .chain(models)
        .collect()
}

fn root(service: &Service) -> RustFile {
    let mut file = RustFile::new("The models of the service.");
    for model in sorted(service) {
        file.line(format_args!("mod {};", model.rust.module()));
    }
    file.blank();
    for model in sorted(service) {
        let names = [model.rust.pascal(), model.rust.followed_by("ref").pascal()];
        file.import(&format!("pub use self::{}", model.rust.module()), names);
    }
    file
}

fn one(project: &Project<'_>, model: &Model) -> RustFile {
    let service = project.service;
    let fields = fields(service, model);
    let purpose = format!("`{}`: its owned and its borrowed form.", model.rust.pascal());
    let mut file = RustFile::new(&purpose);
    imports(&mut file, service, model, &fields);
    declare::write(&mut file, project, model, &fields);
    implement::write(&mut file, service, model, &fields);
    file
}

fn imports(file: &mut RustFile, service: &Service, model: &Model, fields: &[RecordField<'_>]) {
    for (needed, import) in [
        (fields.iter().any(RecordField::is_text), "use alloc::borrow::Cow;"),
        (fields.iter().any(|field| field.spec.is_boxed()), "use alloc::boxed::Box;"),
        (fields.iter().any(RecordField::is_string), "use alloc::string::String;"),
        (fields.iter().any(|field| field.spec.ty.has(Type::is_list)), "use alloc::vec::Vec;"),
    ] {
        if needed {
            file.line(import);
        }
    }
    file.blank();
    let maps = fields.iter().any(|field| field.spec.ty.has(Type::is_map));
    let floats = fields.iter().any(RecordField::is_float);
    let root = [Some("Extra"), floats.then_some("Float"), maps.then_some("Map")];
    file.import("use gateway_model_core", root.into_iter().flatten());
    let readers = [Leniency::EmptyArrayAsMap, Leniency::OneAsList];
    let reads = |field: &RecordField<'_>| readers.iter().any(|one| field.spec.is(*one));
    let module = fields.iter().any(reads).then_some("self");
    let names = module.into_iter().chain(["Nulls", "record"]);
    file.import("use gateway_model_core::codegen", names);
    file.blank();
    let mut nested: Vec<_> = model
        .fields
        .iter()
        .filter_map(|field| field.ty.element().model().map(|id| service.model(id)))
        .filter(|other| other.rust != model.rust)
        .map(|other| {
            let (module, name) = (other.rust.module(), other.rust.pascal());
            let borrowed = other.rust.followed_by("ref").pascal();
            format!("use super::{module}::{{{name}, {borrowed}}};")
        })
        .collect();
    nested.sort();
    nested.dedup();
    for import in nested {
        file.line(import);
    }
    for module in [Module::Enums, Module::Scalars] {
        let values = model.fields.iter().filter_map(|field| field.ty.element().value());
        file.import(&module.path(), values.filter_map(|value| module.name_of(value)));
    }
}

fn sorted(service: &Service) -> Vec<&Model> {
    let mut models: Vec<_> = service.models.iter().collect();
    models.sort_by_key(|model| model.rust.module());
    models
}
