//! Records: one file for each model, with its owned form, its borrowed form, and how they are read and written.

use self::field::{Form, forms};
use crate::emit::GeneratedFile;
use crate::ir::{Model, RustName, Service, Type};
use crate::text::Rust;

mod declare;
mod example;
mod fast;
mod field;
mod serde;

pub(super) fn emit(service: &Service) -> Vec<GeneratedFile> {
    let file = |path: &str, text: Rust| GeneratedFile {
        path: format!("crates/gateway-model/src/generated/models{path}.rs"),
        text: text.finish(),
    };
    let models = service
        .models
        .iter()
        .map(|model| file(&format!("/{}", model.rust.module()), one(service, model)));
    std::iter::once(file("", root(service))).chain(models).collect()
}

fn root(service: &Service) -> Rust {
    let mut file = Rust::new("The models of the service.");
    for model in sorted(service) {
        file.line(format_args!("mod {};", model.rust.module()));
    }
    file.blank();
    for model in sorted(service) {
        file.line(format_args!("pub use self::{}::{};", model.rust.module(), both_names(model)));
    }
    file
}

fn one(service: &Service, model: &Model) -> Rust {
    let forms = forms(service, model);
    let mut file =
        Rust::new(&format!("{}: owned, borrowed, read and written.", model.rust.pascal()));
    imports(&mut file, service, model, &forms);
    declare::write(&mut file, service, model, &forms);
    serde::write(&mut file, model, &forms);
    fast::write(&mut file, model, &forms);
    file
}

fn imports(file: &mut Rust, service: &Service, model: &Model, forms: &[Form<'_>]) {
    for (needed, import) in [
        (forms.iter().any(Form::is_text), "use alloc::borrow::Cow;"),
        (forms.iter().any(|form| form.field.boxed), "use alloc::boxed::Box;"),
        (forms.iter().any(|form| form.field.ty == Type::Text), "use alloc::string::String;"),
    ] {
        if needed {
            file.line(import);
        }
    }
    file.line("use core::fmt;");
    file.blank();
    file.line("use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};");
    file.line("use serde::ser::{Serialize, SerializeMap as _, Serializer};");
    file.blank();
    let mut nested: Vec<_> = model
        .fields
        .iter()
        .filter_map(|field| match field.ty {
            Type::Model(index) => service.models.get(index),
            _ => None,
        })
        .filter(|other| other.rust != model.rust)
        .map(|other| {
            let (module, name) = (other.rust.module(), other.rust.pascal());
            let borrowed = other.rust.followed_by("ref").pascal();
            format!("use super::{module}::{{self, {name}, {borrowed}}};")
        })
        .collect();
    nested.sort();
    nested.dedup();
    for import in nested {
        file.line(import);
    }
    file.line("use crate::decode::cursor::{Cursor, Fast, Span, members};");
    file.line("use crate::decode::shape::{Member, Object, Shape};");
    file.line("use crate::decode::slot::Slot;");
    file.line("use crate::decode::text::CowText;");
    file.line("use crate::decode::{Record, Sealed};");
    file.line("use crate::extra::Extra;");
    named(file, service, model, "enums", |ty| matches!(ty, Type::Enum(_)));
    named(file, service, model, "scalars", |ty| matches!(ty, Type::Scalar(_)));
    file.line("use crate::nulls::Nulls;");
    if model.fields.iter().any(|field| field.personal && !field.required) {
        file.line("use crate::redact::Redacted;");
    }
}

fn named(
    file: &mut Rust,
    service: &Service,
    model: &Model,
    module: &str,
    belongs: impl Fn(Type) -> bool,
) {
    let mut names: Vec<_> = model
        .fields
        .iter()
        .filter(|field| belongs(field.ty))
        .filter_map(|field| service.type_name(field.ty))
        .map(RustName::pascal)
        .collect();
    names.sort();
    names.dedup();
    match names.as_slice() {
        [] => {}
        [name] => file.line(format_args!("use crate::generated::{module}::{name};")),
        names => {
            file.line(format_args!("use crate::generated::{module}::{{{}}};", names.join(", ")));
        }
    }
}

fn sorted(service: &Service) -> Vec<&Model> {
    let mut models: Vec<_> = service.models.iter().collect();
    models.sort_by_key(|model| model.rust.module());
    models
}

fn both_names(model: &Model) -> String {
    format!("{{{}, {}}}", model.rust.pascal(), model.rust.followed_by("ref").pascal())
}
