//! The imports of the queries. A spec without lists or enums must not leave an unused import.

use crate::emit::model::service::marker;
use crate::emit::model::states::States;
use crate::ir::{Response, RustName, Service, Type, Wire};
use crate::text::RustFile;

pub(super) fn write(file: &mut RustFile, service: &Service) {
    let operations = &service.operations;
    let params = || operations.iter().flat_map(|operation| &operation.params);
    let lists = operations.iter().any(|operation| operation.response.is_list());
    let envelopes =
        operations.iter().any(|operation| matches!(operation.response, Response::Envelope { .. }));
    let states = operations.iter().any(|operation| States::of(operation).marker().is_some());
    let numbers = params().any(|param| match param.ty {
        Type::Integer => true,
        Type::Scalar(index) => {
            service.scalars.get(index).is_some_and(|one| one.wire == Wire::Integer)
        }
        _ => false,
    });

    let external = [
        (params().any(|param| param.ty == Type::Text), "use alloc::string::String;"),
        (numbers, "use alloc::string::ToString as _;"),
        (states, "use core::marker::PhantomData;"),
    ];
    for (_, line) in external.into_iter().filter(|(used, _)| *used) {
        file.line(line);
    }
    if external.iter().any(|(used, _)| *used) {
        file.blank();
    }

    let objects = operations.iter().any(|operation| !operation.response.is_list());
    let mut root = vec!["Error", "Operation", "Query"];
    root.extend(
        lists.then_some(["ListOperation", "Listing", "StreamDecoder"]).into_iter().flatten(),
    );
    root.extend(states.then_some(["Set", "Unset"]).into_iter().flatten());
    let mut support = vec!["QueryBuilder"];
    support
        .extend(lists.then_some(["Layout", "borrowed", "decoder", "list"]).into_iter().flatten());
    support.extend(envelopes.then_some("Envelope"));
    support.extend(objects.then_some("object"));
    support.extend(states.then_some("Given"));
    file.import("use gateway_model_core::codegen", support);
    file.import("use gateway_model_core", root);
    file.blank();
    let models = operations.iter().filter_map(|operation| {
        let model = service.response_model(operation)?;
        let borrowed = operation.response.is_list().then(|| model.rust.followed_by("ref").pascal());
        Some([Some(model.rust.pascal()), borrowed].into_iter().flatten())
    });
    let named = |belongs: fn(Type) -> bool| {
        let types = params().map(|param| param.ty).filter(move |ty| belongs(*ty));
        types.filter_map(|ty| service.type_name(ty)).map(RustName::pascal)
    };
    file.import("use crate::generated::enums", named(|ty| matches!(ty, Type::Enum(_))));
    file.import("use crate::generated::models", models.flatten());
    file.import("use crate::generated::scalars", named(|ty| matches!(ty, Type::Scalar(_))));
    file.import("use crate::generated::service", [marker(service)]);
}
