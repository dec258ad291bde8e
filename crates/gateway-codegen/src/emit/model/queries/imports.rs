//! The imports of the queries. A spec without lists or enums must not leave an unused import.

use crate::emit::model::modules::Module;
use crate::emit::model::states::States;
use crate::ir::{Operation, Primitive, Response, Service, Type};
use crate::text::RustFile;

pub(super) fn write(file: &mut RustFile, service: &Service) {
    let operations = &service.operations;
    let params = || operations.iter().flat_map(|operation| &operation.params);
    let lists = operations.iter().any(|operation| operation.response.is_list());
    let envelopes =
        operations.iter().any(|operation| matches!(operation.response, Response::Envelope { .. }));
    let counts: Vec<_> = operations.iter().map(|one| States::of(one).len()).collect();
    let (states, several) = (counts.iter().any(|one| *one > 0), counts.iter().any(|one| *one > 1));
    let primitives = || params().map(|param| (param.ty.name(), param.ty.in_record()));
    let values = || operations.iter().filter_map(|operation| operation.response.value());
    let elements = || values().filter_map(|ty| ty.element().value());
    let is_value = |one| elements().any(|ty| (ty.name(), ty.in_record()) == (None, one));
    let strings =
        primitives().any(|one| one == (None, Primitive::Text)) || is_value(Primitive::Text);
    let floats = primitives().any(|one| one == (None, Primitive::Float));
    let numbers = floats
        || primitives()
            .any(|(_, primitive)| primitive.is_integer() || primitive == Primitive::Coded);

    let external = [
        (strings, "use alloc::string::String;"),
        (numbers, "use alloc::string::ToString as _;"),
        (
            params().any(|param| param.list.is_some()) || values().any(|ty| ty.has(Type::is_list)),
            "use alloc::vec::Vec;",
        ),
        (states, "use core::marker::PhantomData;"),
    ];
    for (_, line) in external.into_iter().filter(|(used, _)| *used) {
        file.line(line);
    }
    if external.iter().any(|(used, _)| *used) {
        file.blank();
    }

    let bodies = || operations.iter().filter_map(|operation| operation.response.body());
    let classes = bodies()
        .any(|body| body.verdict.as_ref().is_some_and(|verdict| !verdict.classes.is_empty()));
    let objects =
        operations.iter().any(|one| !one.response.is_list() && one.response.body().is_none());
    let borrows =
        operations.iter().any(|one| one.response.is_list() && one.response.beside().is_none());
    let layouts = lists
        || bodies().any(|body| body.verdict.as_ref().is_some_and(|one| !one.classes.is_empty()));
    let mut root = vec!["Error", "Operation", "Query"];
    root.extend(
        lists.then_some(["ListOperation", "Listing", "StreamDecoder"]).into_iter().flatten(),
    );
    root.extend(states.then_some(["Set", "Unset"]).into_iter().flatten());
    root.extend(several.then_some(["At", "With"]).into_iter().flatten());
    root.extend(classes.then_some("ErrorClass"));
    root.extend((floats || is_value(Primitive::Float)).then_some("Float"));
    root.extend(values().any(|ty| ty.has(Type::is_map)).then_some("Map"));
    let paged = operations.iter().any(|one| one.paging.is_some());
    root.extend(paged.then_some("PagedOperation"));
    root.extend(operations.iter().any(|one| one.post.is_some()).then_some("BodyFormat"));
    let mut support = vec!["QueryBuilder"];
    support.extend(layouts.then_some("Layout"));
    support.extend(borrows.then_some("borrowed"));
    support.extend(lists.then_some(["decoder", "list"]).into_iter().flatten());
    support.extend(envelopes.then_some("Envelope"));
    support.extend(objects.then_some("object"));
    support.extend(states.then_some(["Given", "needs"]).into_iter().flatten());
    if bodies().next().is_some() || operations.iter().any(Operation::is_continued) {
        file.line("use gateway_model_core::codegen;");
    }
    file.import("use gateway_model_core::codegen", support);
    if paged {
        file.line("use gateway_model_core::paging;");
    }
    file.import("use gateway_model_core", root);
    file.blank();
    let models = operations.iter().flat_map(|operation| {
        let model = service.response_model(operation);
        let listed = model.filter(|_| operation.response.is_list());
        let borrowed = listed.map(|model| model.rust.followed_by("ref").pascal());
        let beside = operation.response.beside().map(|id| service.model(id).rust.pascal());
        let element = operation.response.value().and_then(|ty| ty.element().model());
        let element = element.map(|id| service.model(id).rust.pascal());
        [model.map(|model| model.rust.pascal()), borrowed, beside, element].into_iter().flatten()
    });
    let named = |module: Module| {
        let types = params().map(|param| &param.ty).chain(elements());
        types.filter_map(move |ty| module.name_of(ty)).collect::<Vec<_>>()
    };
    file.import(&Module::Enums.path(), named(Module::Enums));
    file.import("use crate::generated::models", models);
    file.import(&Module::Scalars.path(), named(Module::Scalars));
    file.line("use crate::generated::service;");
}
