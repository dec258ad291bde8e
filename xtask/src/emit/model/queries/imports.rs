//! What the queries use, no more: a spec without lists or enums leaves no unused import.

use std::collections::BTreeSet;

use crate::emit::model::queries::States;
use crate::ir::{Response, RustName, Service, Type, Wire};
use crate::text::Rust;

pub(super) fn write(file: &mut Rust, service: &Service) {
    let operations = &service.operations;
    let params = || operations.iter().flat_map(|operation| &operation.params);
    let lists = operations.iter().any(|operation| operation.response.is_list());
    let envelopes =
        operations.iter().any(|operation| matches!(operation.response, Response::Envelope { .. }));
    let states = operations.iter().any(|operation| States::of(operation).marker().is_some());
    let numbers = params().any(|param| {
        let integer =
            |index: usize| service.scalars.get(index).is_some_and(|one| one.wire == Wire::Integer);
        param.ty == Type::Integer || matches!(param.ty, Type::Scalar(index) if integer(index))
    });

    let before = [
        (params().any(|param| param.ty == Type::Text), "use alloc::string::String;"),
        (numbers, "use alloc::string::ToString as _;"),
        (states, "use core::marker::PhantomData;"),
    ];
    let mut any = false;
    for (_, line) in before.into_iter().filter(|(used, _)| *used) {
        file.line(line);
        any = true;
    }
    if any {
        file.blank();
    }

    let mut decode = vec!["whole"];
    decode.extend(lists.then_some(["Layout", "StreamDecoder"]).into_iter().flatten());
    decode.extend(envelopes.then_some("Envelope"));
    using(file, "decode", decode.into_iter().map(str::to_owned));

    let models = operations.iter().filter_map(|operation| {
        let model = service.response_model(operation)?;
        let borrowed = operation.response.is_list().then(|| model.rust.followed_by("ref").pascal());
        Some([Some(model.rust.pascal()), borrowed].into_iter().flatten())
    });
    let named = |wanted: fn(Type) -> bool| {
        let types = params().map(|param| param.ty).filter(move |ty| wanted(*ty));
        types.filter_map(|ty| service.type_name(ty)).map(RustName::pascal).collect::<BTreeSet<_>>()
    };
    using(file, "generated::enums", named(|ty| matches!(ty, Type::Enum(_))).into_iter());
    using(file, "generated::models", models.flatten());
    using(file, "generated::scalars", named(|ty| matches!(ty, Type::Scalar(_))).into_iter());
    if states {
        file.line("use crate::query::{Given, Set, Unset};");
    }
    let mut root = vec!["Error", "Operation", "Query"];
    root.extend(lists.then_some(["ListOperation", "Listing"]).into_iter().flatten());
    let root: BTreeSet<_> = root.into_iter().collect();
    file.line(format_args!("use crate::{{{}}};", root.into_iter().collect::<Vec<_>>().join(", ")));
}

fn using(file: &mut Rust, module: &str, names: impl Iterator<Item = String>) {
    let names: Vec<_> = names.collect::<BTreeSet<_>>().into_iter().collect();
    match names.as_slice() {
        [] => {}
        [one] => file.line(format_args!("use crate::{module}::{one};")),
        names => file.line(format_args!("use crate::{module}::{{{}}};", names.join(", "))),
    }
}
