//! The description of the service from which the contract checks follow.

use crate::emit::model::service::{auth_code, dispatch_code};
use crate::emit::testkit::names::{group, points};
use crate::emit::testkit::param;
use crate::ir::{
    Body, BodyFormat, Code, Decides, Field, Leniency, Model, ModelId, OpenRef, Operation, Paging,
    Param, Response, Says, Service, Source, Type, ValueType, Wire,
};
use crate::project::Project;
use crate::text::{RustFile, string};

pub(super) fn emit(project: &Project<'_>) -> RustFile {
    let service = project.service;
    let mut file = RustFile::new("The contract of the service, for the checks.");
    // The checks judge records.
    let operations = service.operations.iter().filter(|one| one.response.of().is_some());
    let operations: Vec<_> = operations.collect();
    let has_params = operations.iter().any(|one| !one.params.is_empty());
    let has_secrets = !service.auth.secrets().is_empty();
    let of_operations = ["Field", "Kind", "Operation", "Record", "Response"];
    let of_operations = of_operations.into_iter().filter(|_| !operations.is_empty());
    let names = ["Auth", "Contract", "Dispatch"].into_iter().chain(of_operations);
    let of_params = ["Param", "Values"].into_iter().filter(|_| has_params);
    let of_secrets = ["Secret", "SecretPlace"].into_iter().filter(|_| has_secrets);
    let has_bodies = operations.iter().any(|one| one.response.body().is_some());
    let has_codes = fields(service, &operations).any(|ty| kind(service, ty).contains("Code::"));
    let paging = || operations.iter().filter_map(|one| one.paging.as_ref());
    let paged = paging().next().is_some();
    let has_more = paging().any(|paging| paging.mark(Says::More).is_some());
    let code = (has_codes || has_more).then_some("Code");
    let data = (has_bodies || paged).then_some("Data");
    let of_pages = ["PagedBy", "Pages"].into_iter().filter(|_| paged);
    let has_posts = operations.iter().any(|one| one.post.is_some());
    let of_posts = ["BodyFormat", "Post"].into_iter().filter(|_| has_posts);
    let names = names
        .chain(of_params)
        .chain(of_secrets)
        .chain(of_posts)
        .chain(of_pages)
        .chain(data)
        .chain(code);
    file.import("use gateway_testkit_core::codegen", names);
    file.blank();
    file.doc("The contract of the service.");
    file.open("pub static CONTRACT: Contract = Contract {");
    file.line(format_args!("path: {},", string(&service.path)));
    file.line(format_args!("dispatch: {},", dispatch_code(&service.dispatch)));
    file.line(format_args!("auth: {},", auth_code(&service.auth)));
    file.line(format_args!("accept: {},", string(&service.accept)));
    file.line(format_args!("source: {},", string(&service.source.0)));
    file.line(format_args!("token_source: {},", string(&token_source(service).0)));
    file.open("operations: &[");
    for one in &operations {
        operation(&mut file, service, one);
    }
    file.close("],");
    file.close("};");
    let mut shown: Vec<ModelId> = Vec::new();
    for operation in &operations {
        shown.extend(operation.response.of().into_iter().flat_map(|id| service.reachable(id)));
    }
    for model in service.models.iter().filter(|model| shown.contains(&model.id)) {
        file.blank();
        record(&mut file, service, model);
    }
    file
}

/// Returns the types of the fields that a response of some operations can have.
fn fields<'a>(
    service: &'a Service,
    operations: &[&'a Operation],
) -> impl Iterator<Item = &'a Type> {
    let models = operations.iter().filter_map(|one| one.response.of());
    let models = models.flat_map(|id| service.reachable(id));
    models.flat_map(|id| &service.model(id).fields).map(|field| &field.ty)
}

/// Returns the sections about access tokens: those of the open point `D-auth` if the spec has it, else those of the service.
fn token_source(service: &Service) -> &Source {
    let about = service.open_point(&OpenRef("D-auth".to_owned()));
    about.map_or(&service.source, |point| &point.source)
}

fn operation(file: &mut RustFile, service: &Service, operation: &Operation) {
    file.open("Operation {");
    file.line(format_args!("group: {},", string(&group(service, operation))));
    file.line(format_args!("select: {},", string(&operation.select)));
    file.line(format_args!("source: {},", string(&operation.source.0)));
    file.line(format_args!("post: {},", post(operation)));
    file.line(match &operation.response {
        response if operation.paging.is_some() => {
            format!("response: Response::Body({}),", place(service, &response.in_body(), operation))
        }
        Response::Envelope { marker, success, items, .. } => {
            let [marker, success, items] = [marker, success, items].map(|text| string(text));
            format!("response: Response::Envelope {{ marker: {marker}, success: {success}, items: {items} }},")
        }
        Response::Array { .. } => "response: Response::Array,".to_owned(),
        Response::Object { .. } => "response: Response::Object,".to_owned(),
        Response::Body { body, .. } | Response::Value { body, .. } | Response::Nothing { body } => {
            format!("response: Response::Body({}),", place(service, body, operation))
        }
    });
    let record = service.response_model(operation).map(name).unwrap_or_default();
    file.line(format_args!("record: &{record},"));
    file.open("params: &[");
    for one in &operation.params {
        param::emit(file, service, operation, one);
    }
    file.close("],");
    file.close("},");
}

/// Returns the expression for how an operation is called by POST.
fn post(operation: &Operation) -> String {
    let Some(post) = operation.post else { return "None".to_owned() };
    let is_json = post.format == BodyFormat::Json;
    let names = |fits: fn(&Param) -> bool| {
        let params = operation.params.iter().filter(|param| is_json && fits(param));
        texts(&params.map(|param| param.wire.clone()).collect::<Vec<_>>())
    };
    format!(
        "Some(Post {{ format: {}, is_idempotent: {}, literals: {}, lists: {} }})",
        post.format.variant(),
        post.is_idempotent,
        names(|param| param.ty.is_json_literal()),
        names(|param| param.list.is_some())
    )
}

/// Returns the expression for the place of the data.
fn place(service: &Service, body: &Body, operation: &Operation) -> String {
    let (success, failure) = match body.verdict.as_ref().map(|verdict| &verdict.decides) {
        Some(Decides::Success { at, is }) => {
            (format!("Some(({}, {}))", texts(at), texts(is)), "None".to_owned())
        }
        Some(Decides::Failure { present }) => {
            ("None".to_owned(), format!("Some({})", texts(present)))
        }
        None => ("None".to_owned(), "None".to_owned()),
    };
    format!(
        "Data {{ is_list: {}, at: {}, success: {success}, failure: {failure}, \
         absent_as_empty: {}, one_as_list: {}, pages: {} }}",
        body.is_list,
        texts(&body.at),
        body.absent_as_empty,
        body.one_as_list,
        pages(service, body, operation)
    )
}

/// Returns the expression for how the pages of a list follow each other.
fn pages(service: &Service, body: &Body, operation: &Operation) -> String {
    let Some(paging) = &operation.paging else { return "None".to_owned() };
    let path = |says: Says| {
        let mark = paging.mark(says);
        texts(&mark.map(|mark| [body.beside_at(), &mark.path].concat()).unwrap_or_default())
    };
    format!(
        "Some(Pages {{ by: {}, param: {}, last: {}, total: {}, next: {}, more: {} }})",
        paging.code(),
        string(operation.position_param().map_or("", |param| &param.wire)),
        path(Says::Last),
        path(Says::Total),
        path(Says::Next),
        more(service, body, paging)
    )
}

/// Returns the expression for the field that is false on the last page.
fn more(service: &Service, body: &Body, paging: &Paging) -> String {
    let Some(mark) = paging.mark(Says::More) else { return "None".to_owned() };
    let fields = body.beside.and_then(|beside| service.fields_at(beside, &mark.path));
    let field = fields.as_ref().and_then(|fields| fields.last()?.ty.value());
    let no = match field.and_then(ValueType::codes) {
        Some(codes) => codes.no.iter().map(Code::expression).collect::<Vec<_>>().join(", "),
        None => "Code::Boolean(false)".to_owned(),
    };
    let path = texts(&[body.beside_at(), &mark.path].concat());
    format!("Some(({path}, &[{no}]))")
}

fn texts(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| string(text)).collect();
    format!("&[{}]", texts.join(", "))
}

/// Writes the constant of a record.
fn record(file: &mut RustFile, service: &Service, model: &Model) {
    let identity = model.identity_field().map(|field| string(&field.wire));
    let identity = identity.map_or_else(|| "None".to_owned(), |name| format!("Some({name})"));
    file.open(format_args!("static {}: Record = Record {{", name(model)));
    file.line(format_args!("identity: {identity},"));
    file.open("fields: &[");
    for one in &model.fields {
        field(file, service, model, one);
    }
    file.close("],");
    file.close("};");
}

fn field(file: &mut RustFile, service: &Service, model: &Model, field: &Field) {
    let source = [&field.source, &model.source, &service.source];
    let source = source.into_iter().find(|source| !source.0.is_empty());
    let open = field.ty.element().value().map_or(&[][..], |value| value.open());
    file.open("Field {");
    file.line(format_args!("check: {},", string(&field.rust.words())));
    file.line(format_args!("name: {},", string(&field.wire)));
    file.line(format_args!("kind: {},", lenient(service, field)));
    file.line(format_args!("required: {},", field.required));
    file.line(format_args!("source: {},", string(source.map_or("", |source| &source.0))));
    file.line(format_args!("open: {},", points(&field.open, open)));
    file.close("},");
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
        Type::Model(id) => return format!("Kind::Record(&{})", name(service.model(*id))),
        Type::List(of) => return format!("Kind::List(&{})", kind(service, of)),
        Type::Map(of) => return format!("Kind::Map(&{})", kind(service, of)),
        Type::Value(value) => value,
    };
    let closed = value.as_closed_enum();
    if let Some(one) = closed.filter(|one| !one.primitive().is_integer()) {
        let values: Vec<_> = one.values.iter().map(|value| string(&value.wire)).collect();
        return format!("Kind::OneOf(&[{}])", values.join(", "));
    }
    let listed: Option<Vec<_>> = match (value.codes(), closed) {
        (Some(codes), _) => Some(codes.all().map(Code::expression).collect()),
        (None, Some(one)) => {
            let mut codes = Vec::new();
            for value in &one.values {
                codes.push(format!("Code::Integer({})", value.wire));
                if one.wire == Wire::IntegerOrText {
                    codes.push(format!("Code::Text({})", string(&value.wire)));
                }
            }
            Some(codes)
        }
        (None, None) => None,
    };
    match (listed, value.wire()) {
        (Some(codes), _) => format!("Kind::Values(&[{}])", codes.join(", ")),
        (None, Some(Wire::IntegerOrText)) => "Kind::IntegerOrText".to_owned(),
        (None, Some(Wire::TextOrNumber)) => format!("Kind::OrNumber(&Kind::{})", value.check()),
        (None, _) => format!("Kind::{}", value.check()),
    }
}

/// Returns the name of the constant of a record.
fn name(model: &Model) -> String {
    model.rust.followed_by("record").screaming_snake()
}
