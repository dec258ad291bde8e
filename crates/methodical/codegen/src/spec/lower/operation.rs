//! Lowers operations and their parameters, with the parameters that each parameter needs.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diag::{say, say_if};
use crate::ir::{
    BodyFormat, Command, ListStyle, Operation, Param, Place, Post, Primitive, Response, RustName,
    SecretPlace, Service, Type,
};
use crate::spec::context::{COMMANDS, CORRECT, Context, FLAGS, RENAME, RUST_NAME, exact, owned};
use crate::spec::form::Bracketed;
use crate::spec::language::{self, Document, Verb};
use crate::spec::lower::{response, select, taken};
use crate::spec::read::{At, Named};

pub(super) fn operations(
    cx: &mut Context<'_>,
    document: &Document,
    service: &Service,
) -> Vec<Operation> {
    let given = &document.operations;
    say_if!(cx, given.is_empty(), given, "the service has no operations" => "add an `[operation.…]`");
    let mut selectors = Vec::new();
    for (_, one) in given.iter() {
        let value = select(cx, &one.select, &service.dispatch);
        selectors.push(At { value, span: one.select.span.clone() });
    }
    cx.distinct("selector value", CORRECT, selectors.iter().map(exact));
    let lowered = given.iter().zip(&selectors).filter_map(|((name, given), selector)| {
        Some((selector, given, operation(cx, name, given, service)?))
    });
    let lowered: Vec<_> = lowered.collect();
    commands(cx, &lowered);
    lowered.into_iter().map(|(.., operation)| operation).collect()
}

/// Reports operations whose command, or one that a gauge adds, equals another command or is its first word.
fn commands(cx: &mut Context<'_>, operations: &[(&At<String>, &language::Operation, Operation)]) {
    // A duplicate selector is reported elsewhere.
    let mut selectors = BTreeSet::new();
    let (mut nouns, mut names, mut gauges) = (BTreeSet::new(), Vec::new(), Vec::new());
    let operations = operations.iter().filter(|(one, ..)| selectors.insert(&one.value));
    for (selector, given, operation) in operations {
        let Command { noun, verb, .. } = operation.command();
        // Commands with a verb share their noun; a command without a verb does not.
        if nouns.insert(noun.clone()) || verb.is_none() {
            names.push((noun.clone(), At::clone(selector)));
        }
        names.extend(verb.map(|verb| (format!("{noun} {verb}"), At::clone(selector))));
        if let Some(gauge) = &given.gauge {
            let place = At { value: selector.value.clone(), span: gauge.span.clone() };
            let added = ["check", "forecast"].map(|verb| (format!("{noun} {verb}"), place.clone()));
            gauges.extend(added);
        }
    }
    // If an operation and a gauge have the same command, the one of the gauge is reported.
    cx.distinct("selector", COMMANDS, names.into_iter().chain(gauges));
}

fn operation(
    cx: &mut Context<'_>,
    name: &At<String>,
    given: &language::Operation,
    service: &Service,
) -> Option<Operation> {
    let about = cx.about(&given.doc, given.source.as_ref(), &given.open);
    let post = post(cx, name, given, service);
    let is_json = post.is_some_and(|post| post.format == BodyFormat::Json);
    let params = params(cx, &given.params, service, is_json);
    let response = response::response(cx, &given.response, service)?;
    recoveries(cx, given, service, &response);
    let params = params?;
    let paging = given.paging.as_ref();
    let paging =
        paging.and_then(|paging| response::paging(cx, paging, service, &params, &response));
    let gauge = given.gauge.as_ref();
    let gauge = gauge.and_then(|gauge| response::gauge(cx, gauge, service, &params, &response));
    let operation = Operation {
        rust: RustName::new(name)?,
        select: given.select.values().join("/"),
        params,
        post,
        response,
        paging,
        gauge,
        about,
    };
    // If a parameter needs others, the name of its setter contains all of their names.
    let joined = given.params.names().zip(&operation.params);
    let joined = joined.filter(|(_, one)| operation.needed_options(one).next().is_some());
    cx.distinct("parameter", RUST_NAME, joined.map(|(key, one)| (operation.setter(one), key)));
    Some(operation)
}

/// Lowers the POST-related keys of an operation; `None` if it is called by GET.
fn post(
    cx: &mut Context<'_>,
    name: &At<String>,
    given: &language::Operation,
    service: &Service,
) -> Option<Post> {
    let is_form = service.dispatch.place == Place::Form;
    let is_post = is_form || given.verb.as_deref() == Some(&Verb::Post);
    let format = given.body.as_deref().copied().unwrap_or(BodyFormat::Form);
    let is_json = format == BodyFormat::Json;
    say_if!(cx, is_form && given.verb.as_deref() == Some(&Verb::Get), given.verb,
        "cannot use GET: the selector is a form field, and a GET request has no form"
        => "remove `verb`, or `in = \"form\"` in `[dispatch]`");
    say_if!(cx, is_form && is_json, given.body, "the body must be a form, which has the selector"
        => "remove `body`, or `in = \"form\"` in `[dispatch]`");
    say_if!(cx, !is_post, given.body, "`body` applies only to a POST"
        => "add `verb = \"post\"`, or remove `body`");
    say_if!(cx, !is_post, given.idempotent, "`idempotent` applies only to a POST"
        => "add `verb = \"post\"`, or remove `idempotent`");
    let mut secrets = service.auth.secrets().iter();
    if let Some(secret) = secrets.find(|one| one.place == SecretPlace::Form) {
        say_if!(cx, !is_post || is_json, name,
            "the secret `{}` is in the form, but this call has no form", secret.name
            => "write `verb = \"post\"` and `body = \"form\"`, or move the secret to `query` or `header`");
    }
    let is_idempotent = given.idempotent.as_deref() == Some(&true);
    is_post.then_some(Post { format, is_idempotent })
}

/// Lowers an operation's parameters; `None` if one is invalid, because without it the others' indices would be wrong.
fn params(
    cx: &mut Context<'_>,
    given: &Named<Bracketed, language::Parameter>,
    service: &Service,
    is_json: bool,
) -> Option<Vec<Param>> {
    let names = given.iter().map(|(key, param)| (&**key, param.rust_name.as_ref()));
    cx.distinct_rust_names("parameter", names);
    let mut params: Vec<Option<Param>> = Vec::new();
    for (index, (key, one)) in given.iter().enumerate() {
        taken(cx, key, service);
        let needs = needs(cx, given, index);
        let param = param(cx, key, one, &needs, &params, is_json);
        params.push(param);
    }
    let params = params.into_iter().collect::<Option<Vec<_>>>()?;
    for list in params.iter().filter(|one| one.list == Some(ListStyle::Index)) {
        let start = format!("{}[", list.wire);
        let taken = given.names().find(|name| {
            let index = name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(']'));
            index.is_some_and(|index| index.parse::<u32>().is_ok())
        });
        say!(cx, taken, "the list `{}` sends a value with this name", list.wire
            => "remove the parameter, or change the `style` of `{}`", list.wire);
    }
    // Parameters with the same Rust name are reported elsewhere.
    let mut names = BTreeSet::new();
    let flags = given.names().zip(&params).filter(|(_, one)| names.insert(one.rust.snake()));
    cx.distinct("parameter", FLAGS, flags.map(|(key, param)| (param.flag(), key)));
    Some(params)
}

/// Returns the indices of the parameters that `needs` lists. Reports any that is not declared before this parameter.
fn needs(
    cx: &mut Context<'_>,
    given: &Named<Bracketed, language::Parameter>,
    index: usize,
) -> Vec<usize> {
    let Some((key, param)) = given.get(index) else { return Vec::new() };
    let mut needs = Vec::new();
    for need in param.needs.iter().flat_map(|needs| needs.iter()) {
        match given.names().position(|other| other.value == need.value) {
            Some(other) if other < index => needs.push(other),
            Some(_) => {
                say!(cx, need, "`needs` lists a parameter that is not declared above `{key}`"
                    => "move `{need}` above it, or remove it");
            }
            None => {
                let others = given.names().map(|other| &other.value);
                let others = others.filter(|other| **other != key.value);
                cx.unknown(need, format_args!("unknown parameter `{need}` in `needs`"), others, "");
            }
        }
    }
    needs
}

fn param(
    cx: &mut Context<'_>,
    key: &At<String>,
    given: &language::Parameter,
    direct: &[usize],
    before: &[Option<Param>],
    is_json: bool,
) -> Option<Param> {
    let rust = cx.rust_name(key, given.rust_name.as_ref());
    let about = cx.about(&given.doc, given.source.as_ref(), &given.open);
    let ty = cx.resolve(&given.ty, &given.ty.span)?;
    let is_list = ty.is_list();
    let single = if let Type::List(of) = &ty { of } else { &ty };
    let Type::Value(ty) = single else {
        say!(cx, given.ty, "a parameter must be a single value or a list of single values"
            => "use `text`, `integer`, `boolean`, a scalar or an enum");
        return None;
    };
    say_if!(cx, ty.in_query != Primitive::Text, given.max_chars, "`max-chars` applies only to text parameters"
        => "remove `max-chars`, or change the type");
    let list = style(cx, key, given, is_list, is_json);
    let needed: Vec<_> = direct.iter().filter_map(|&index| before.get(index)?.as_ref()).collect();
    if let Some(optional) = needed.iter().find(|param| !param.required) {
        say_if!(cx, given.required, given.needs,
            "a required parameter needs the optional parameter `{}`", optional.wire
            => "remove `needs`, or make the parameter optional");
    }
    // The parameter also needs the parameters that these need.
    let indirect = needed.iter().flat_map(|param| &param.needs);
    let needs: BTreeSet<_> = indirect.chain(direct).copied().collect();
    Some(Param {
        rust: rust?,
        wire: key.value.clone(),
        ty: Arc::clone(ty),
        list,
        required: given.required,
        needs: needs.into_iter().collect(),
        recovers: owned(given.recovers.as_ref()),
        max_chars: given.max_chars.as_ref().map(|one| one.get()),
        about,
    })
}

/// Lowers the style of a parameter; `None` if its value is not a list.
fn style(
    cx: &mut Context<'_>,
    key: &At<String>,
    given: &language::Parameter,
    is_list: bool,
    is_json: bool,
) -> Option<ListStyle> {
    let is_styled = is_list && !is_json;
    say_if!(cx, !is_styled, given.style, "`style` applies only to lists in a query or a form" => "remove `style`");
    say_if!(cx, is_styled && given.style.is_none(), key, "a list in a query or a form needs a `style`"
        => "add `style`: `comma`, `pipe`, `repeat`, `bracket` or `index`");
    say_if!(cx, is_list, given.recovers, "a list cannot recover an attribute: its records may have different values for the attribute"
        => "remove `recovers`");
    let style = given.style.as_ref().map_or(ListStyle::Repeat, |style| style.value);
    is_list.then_some(style)
}

/// Checks the attributes that parameters recover.
fn recoveries(
    cx: &mut Context<'_>,
    given: &language::Operation,
    service: &Service,
    response: &Response,
) {
    let attributes = || given.params.iter().filter_map(|(_, param)| param.recovers.as_deref());
    cx.distinct("attribute", RENAME, attributes().map(exact));
    let fields = response.model().map(|id| service.model(id).fields.as_slice()).unwrap_or_default();
    for attribute in attributes() {
        let is_field = fields.iter().any(|field| field.wire == attribute.value);
        say_if!(cx, !response.is_list, attribute, "only a parameter of a list recovers an attribute"
            => "remove `recovers`: the response is not a list of records");
        say_if!(cx, response.is_list && is_field, attribute,
            "the records already have a field `{attribute}`, so it need not be recovered"
            => "remove `recovers`, or choose another name");
    }
}
