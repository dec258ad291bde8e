//! Lowers operations, and their parameters with the ones they need.

use crate::diag::{Diagnostic, code};
use crate::ir::{
    BodyFormat, ListStyle, Operation, Otherwise, Param, Place, Post, Primitive, Response, RustName,
    SecretPlace, Service, Type, ValueType,
};
use crate::spec::context::{Context, doc, owned, source};
use crate::spec::example;
use crate::spec::form::Bracketed;
use crate::spec::language::{self, Document, Verb};
use crate::spec::lower::{names, paging, response, select, taken};
use crate::spec::value::{At, Named};

/// An operation with its declaration.
pub(super) struct Lowered<'d> {
    pub(super) name: &'d At<String>,
    pub(super) given: &'d language::Operation,
    pub(super) operation: Operation,
}

pub(super) fn operations(
    cx: &mut Context<'_>,
    document: &Document,
    service: &Service,
) -> Vec<Operation> {
    let given = &document.operations;
    if given.is_empty() {
        cx.say(
            &code::EMPTY,
            &given.span,
            "the service has no operations",
            "add an `[operation.…]`",
        );
    }
    let selects: Vec<_> = given
        .iter()
        .map(|(_, one)| (select(cx, &one.select, &service.dispatch), &one.select.span))
        .collect();
    let names = selects.iter().map(|(select, span)| (select.clone(), select.as_str(), *span));
    cx.distinct(&code::DUPLICATE_WIRE, "selector value", names);
    let mut lowered = Vec::new();
    for (name, given) in given.iter() {
        if let Some(operation) = operation(cx, document, (name, given), service) {
            lowered.push(Lowered { name, given, operation });
        }
    }
    names::commands(cx, &lowered);
    paging::gauges(cx, &lowered);
    lowered.into_iter().map(|one| one.operation).collect()
}

fn operation(
    cx: &mut Context<'_>,
    document: &Document,
    (name, given): (&At<String>, &language::Operation),
    service: &Service,
) -> Option<Operation> {
    let open = cx.open(&given.open);
    let post = post(cx, name, given, service);
    let is_json = post.is_some_and(|post| post.format == BodyFormat::Json);
    let params = params(cx, &given.params, service, is_json);
    let response = response::response(cx, document, &given.response, service);
    if let Some(response) = &response {
        recoveries(cx, given, service, response);
    }
    let (params, response) = (params?, response?);
    let paging = given.paging.as_ref();
    let paging = paging.and_then(|paging| paging::paging(cx, paging, service, &params, &response));
    let gauge = given.gauge.as_ref();
    let gauge = gauge.and_then(|gauge| paging::gauge(cx, gauge, service, &params, &response));
    Some(Operation {
        rust: RustName::new(name)?,
        select: given.select.texts().join("/"),
        params,
        post,
        response,
        paging,
        gauge,
        doc: doc(&given.doc),
        source: source(given.source.as_ref()),
        open,
        deprecated: owned(given.deprecated.as_ref()),
    })
}

/// Lowers the keys of an operation about its POST; `None` if it is called by GET.
fn post(
    cx: &mut Context<'_>,
    name: &At<String>,
    given: &language::Operation,
    service: &Service,
) -> Option<Post> {
    let is_form = service.dispatch.place == Place::Form;
    let is_post = is_form || given.verb.as_deref() == Some(&Verb::Post);
    let format = given.body.as_deref().copied().unwrap_or(BodyFormat::Form);
    if let Some(verb) = given.verb.as_ref().filter(|verb| is_form && ***verb == Verb::Get) {
        let message = "a GET has no form, and the selector is in the form";
        cx.say(
            &code::BODY,
            &verb.span,
            message,
            "remove `verb`, or `in = \"form\"` in `[dispatch]`",
        );
    }
    if let Some(body) = given.body.as_ref().filter(|_| is_form && format == BodyFormat::Json) {
        let message = "the body must be a form, which has the selector";
        cx.say(
            &code::BODY,
            &body.span,
            message,
            "remove `body`, or `in = \"form\"` in `[dispatch]`",
        );
    }
    let spans = [
        ("body", given.body.as_ref().map(|one| &one.span)),
        ("idempotent", given.idempotent.as_ref().map(|one| &one.span)),
    ];
    for (key, span) in spans {
        if let Some(span) = span.filter(|_| !is_post) {
            let help = format!("add `verb = \"post\"`, or remove `{key}`");
            cx.say(&code::BODY, span, format!("`{key}` applies only to a POST"), &help);
        }
    }
    let hidden = service.auth.secrets().iter().find(|one| one.place == SecretPlace::Form);
    if let Some(secret) = hidden.filter(|_| !is_post || format == BodyFormat::Json) {
        let message =
            format!("the secret `{}` is in the form, but this call has no form", secret.name);
        let help =
            "write `verb = \"post\"` and `body = \"form\"`, or choose another place of the secret";
        cx.say(&code::SECRETS, &name.span, message, help);
    }
    let is_idempotent = given.idempotent.as_deref() == Some(&true);
    is_post.then_some(Post { format, is_idempotent })
}

/// Lowers the parameters of an operation; `None` if one of them is not valid, because the positions of the others are
/// wrong without it.
fn params(
    cx: &mut Context<'_>,
    given: &Named<Bracketed, language::Parameter>,
    service: &Service,
    is_json: bool,
) -> Option<Vec<Param>> {
    let names = given.iter().map(|(key, param)| (&**key, param.rust_name.as_deref()));
    cx.distinct_rust_names("parameter", names);
    let mut params: Vec<Param> = Vec::new();
    let mut complete = true;
    for (index, (key, one)) in given.iter().enumerate() {
        taken(cx, key, service);
        let needs = needs(cx, given, index);
        // After a parameter with a mistake, the others are only checked.
        let (needs, before) =
            if complete { (needs, params.as_slice()) } else { (Vec::new(), &[][..]) };
        match param(cx, key, one, needs, before, is_json) {
            Some(param) if complete => params.push(param),
            Some(_) => {}
            None => complete = false,
        }
    }
    if !complete {
        return None;
    }
    names::flags(cx, &given.names().collect::<Vec<_>>(), &params);
    // A list with the style `index` has values with the names of these parameters.
    for (key, param) in given.names().zip(&params) {
        let Some((outer, inner)) =
            param.wire.strip_suffix(']').and_then(|name| name.rsplit_once('['))
        else {
            continue;
        };
        let is_index = inner.bytes().all(|byte| byte.is_ascii_digit());
        let mut lists = params.iter().filter(|list| list.list == Some(ListStyle::Index));
        if is_index && lists.any(|list| list.wire == outer) {
            let message = format!("the list `{outer}` has values with the name `{}`", param.wire);
            cx.say(&code::DUPLICATE_WIRE, &key.span, message, "remove or rename one of them");
        }
    }
    Some(params)
}

/// Returns the positions of the parameters that `needs` lists, all of which precede the parameter.
fn needs(
    cx: &mut Context<'_>,
    given: &Named<Bracketed, language::Parameter>,
    index: usize,
) -> Vec<usize> {
    let Some((key, param)) = given.get(index) else { return Vec::new() };
    let mut needs = Vec::new();
    for need in param.needs.iter().flat_map(|needs| needs.iter()) {
        let name = &need.value;
        match given.names().position(|other| other.value == *name) {
            Some(other) if other < index => needs.push(other),
            Some(other) if other == index || leads_to(given, other, index) => {
                let message = if other == index {
                    format!("`{name}` needs itself")
                } else {
                    format!("`{}` and `{name}` need each other", key.value)
                };
                cx.say(
                    &code::NEEDS_CYCLE,
                    &need.span,
                    message,
                    &format!("remove `{name}` from `needs`"),
                );
            }
            Some(other) => {
                let message =
                    format!("`{}` is declared before `{name}`, which it needs", key.value);
                let mut diagnostic = Diagnostic::new(&code::NEEDS_ORDER, &need.span, message);
                if let Some((other, _)) = given.get(other) {
                    diagnostic =
                        diagnostic.related(&other.span, format!("move this above `{}`", key.value));
                }
                cx.push(diagnostic);
            }
            None => {
                let message = format!("unknown parameter `{name}` in `needs`");
                let others = given.names().map(|other| other.as_str());
                let names: Vec<_> = others.filter(|other| *other != key.value).collect();
                cx.push(
                    Diagnostic::new(&code::UNKNOWN_PARAM, &need.span, message)
                        .suggest(name, &names),
                );
            }
        }
    }
    needs
}

/// Returns whether a parameter needs another, directly or through others.
fn leads_to(given: &Named<Bracketed, language::Parameter>, from: usize, to: usize) -> bool {
    let mut seen = vec![from];
    let mut next = 0;
    while let Some(&index) = seen.get(next) {
        next += 1;
        let needs = given.get(index).and_then(|(_, param)| param.needs.as_ref());
        for need in needs.into_iter().flat_map(|needs| needs.iter()) {
            match given.names().position(|name| name.value == need.value) {
                Some(found) if found == to => return true,
                Some(found) if !seen.contains(&found) => seen.push(found),
                _ => {}
            }
        }
    }
    false
}

fn param(
    cx: &mut Context<'_>,
    key: &At<String>,
    given: &language::Parameter,
    direct: Vec<usize>,
    before: &[Param],
    is_json: bool,
) -> Option<Param> {
    let rust = cx.rust_name(key, given.rust_name.as_deref());
    let open = cx.open(&given.open);
    let ty = cx.resolve(&given.ty)?;
    let is_list = ty.is_list();
    let ty = match ty {
        Type::Value(value) => value,
        Type::List(of) if of.value().is_some() => of.value()?.clone(),
        _ => {
            let message = match ty {
                Type::Model(_) => {
                    format!("the model `{}` cannot be a query parameter", given.ty.value)
                }
                _ => "a parameter is a single value or a list of single values".to_owned(),
            };
            let help = format!("use {}, a scalar or an enum", Context::built_in_list(", "));
            cx.say(&code::UNFIT_TYPE, &given.ty.span, message, &help);
            return None;
        }
    };
    limits(cx, given, &ty);
    let list = style(cx, key, given, is_list, is_json);
    dependence(cx, given, &direct, before);

    // A parameter also needs the ones that these need.
    let mut needs = direct;
    for index in needs.clone() {
        needs.extend(before.get(index).map(|param| param.needs.as_slice()).unwrap_or_default());
    }
    needs.sort_unstable();
    needs.dedup();
    let mut param = Param {
        rust: rust?,
        wire: key.value.clone(),
        ty,
        list,
        required: given.required,
        needs,
        otherwise: given.otherwise.as_deref().copied().unwrap_or(Otherwise::NoEffect),
        recovers: owned(given.recovers.as_ref()),
        default: None,
        max_chars: given.max_chars.as_deref().copied(),
        min: given.min.as_deref().copied(),
        max: given.max.as_deref().copied(),
        doc: doc(&given.doc),
        source: source(given.source.as_ref()),
        open,
        deprecated: owned(given.deprecated.as_ref()),
    };
    param.default = default(cx, given, &param);
    Some(param)
}

/// Lowers the style of a parameter; `None` if its value is not a list.
fn style(
    cx: &mut Context<'_>,
    key: &At<String>,
    given: &language::Parameter,
    is_list: bool,
    is_json: bool,
) -> Option<ListStyle> {
    match &given.style {
        Some(style) if !is_list => {
            let help = "remove `style`, or write `list<…>`";
            cx.say(&code::STYLE, &style.span, "`style` applies only to lists", help);
        }
        Some(style) if is_json => {
            cx.say(
                &code::STYLE,
                &style.span,
                "a list in a JSON body is an array",
                "remove `style`",
            );
        }
        None if is_list && !is_json => {
            let help = "add `style`: `comma`, `pipe`, `repeat`, `bracket` or `index`";
            cx.say(&code::STYLE, &key.span, "a list in a query or a form needs a `style`", help);
        }
        _ => {}
    }
    if let Some(recovers) = given.recovers.as_ref().filter(|_| is_list) {
        let message = "a list recovers no attribute: records have different values of it";
        cx.say(&code::RECOVERS, &recovers.span, message, "remove `recovers`");
    }
    let style = given.style.as_deref().copied().unwrap_or(ListStyle::Repeat);
    is_list.then_some(if is_json { ListStyle::Array } else { style })
}

/// Lowers the value that the service uses without a parameter.
fn default(cx: &mut Context<'_>, given: &language::Parameter, param: &Param) -> Option<String> {
    let value = &given.default.as_ref()?.0;
    let message = match (param.required, param.list) {
        (true, _) => "a required parameter has no `default`".to_owned(),
        (_, Some(_)) => "a list has no `default`".to_owned(),
        _ => match example::value(param, value.get_ref()) {
            Ok(value) => return Some(value),
            Err(expected) => format!("`default` must be {expected}"),
        },
    };
    cx.say(&code::UNFIT_TYPE, &value.span(), message, "correct or remove it");
    None
}

/// Checks the attributes that parameters recover.
fn recoveries(
    cx: &mut Context<'_>,
    given: &language::Operation,
    service: &Service,
    response: &Response,
) {
    let attributes: Vec<&At<String>> =
        given.params.iter().filter_map(|(_, param)| param.recovers.as_deref()).collect();
    cx.distinct_texts(&code::RECOVERS, "attribute", &attributes);
    for attribute in attributes {
        let fields =
            response.model().map(|id| service.model(id).fields.as_slice()).unwrap_or_default();
        let (message, help) = if !response.is_list {
            (
                "only a parameter of a list recovers an attribute".to_owned(),
                "remove `recovers`: the response is not a list of records",
            )
        } else if fields.iter().any(|field| field.wire == attribute.value) {
            (
                format!("the records have a field `{}`, so nothing recovers it", attribute.value),
                "remove `recovers`, or choose another name",
            )
        } else {
            continue;
        };
        cx.say(&code::RECOVERS, &attribute.span, message, help);
    }
}

fn limits(cx: &mut Context<'_>, given: &language::Parameter, ty: &ValueType) {
    let (is_text, has_range) = (ty.in_query() == Primitive::Text, ty.has_range());
    let (chars, min, max) = (&given.max_chars, &given.min, &given.max);
    for (key, span, fits, what) in [
        ("max-chars", chars.as_ref().map(|at| &at.span), is_text, "text"),
        ("min", min.as_ref().map(|at| &at.span), has_range, "`integer`"),
        ("max", max.as_ref().map(|at| &at.span), has_range, "`integer`"),
    ] {
        if let Some(span) = span.filter(|_| !fits) {
            let message = format!("`{key}` applies only to {what} parameters");
            cx.say(
                &code::UNFIT_TYPE,
                span,
                message,
                &format!("remove `{key}`, or change the type"),
            );
        }
    }
    if let (Some(min), Some(max)) = (min, max)
        && min.value > max.value
    {
        let message = format!("`min` ({}) is greater than `max` ({})", min.value, max.value);
        cx.say(&code::LIMITS_CROSSED, &min.span, message, "lower `min` or raise `max`");
    }
}

fn dependence(
    cx: &mut Context<'_>,
    given: &language::Parameter,
    direct: &[usize],
    before: &[Param],
) {
    match (&given.needs, &given.otherwise) {
        (Some(needs), None) => {
            let message = "missing key `otherwise` in a parameter with `needs`";
            let help = "add `otherwise`: the effect if a needed parameter is missing, \
                        `no-effect` or `error`";
            cx.say(&code::MISSING_KEY, &needs.span, message, help);
        }
        (None, Some(otherwise)) => {
            let message = "missing key `needs` in a parameter with `otherwise`";
            cx.say(
                &code::MISSING_KEY,
                &otherwise.span,
                message,
                "add `needs`, or remove `otherwise`",
            );
        }
        _ => {}
    }
    let optional =
        direct.iter().filter_map(|&index| before.get(index)).find(|param| !param.required);
    if let (Some(needs), true, Some(optional)) = (&given.needs, given.required, optional) {
        let message =
            format!("a required parameter needs the optional parameter `{}`", optional.wire);
        let help = "remove `needs`, or make the parameter optional";
        cx.say(&code::REQUIRED_NEEDS, &needs.span, message, help);
    }
}
