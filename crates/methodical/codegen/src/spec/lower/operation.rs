//! Lowers operations, and their parameters with the ones they need.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diag::say;
use crate::ir::{
    BodyFormat, BuiltIn, ListStyle, Operation, Param, Place, Post, Primitive, Response, RustName,
    SecretPlace, Service, Type, ValueType,
};
use crate::spec::context::{COMMANDS, CORRECT, Context, FLAGS, RENAME, RUST_NAME, owned};
use crate::spec::form::Bracketed;
use crate::spec::language::{self, Document, Verb};
use crate::spec::lower::{paging, response, select, taken};
use crate::spec::read::{At, Named};

pub(super) fn operations(
    cx: &mut Context<'_>,
    document: &Document,
    service: &Service,
) -> Vec<Operation> {
    let given = &document.operations;
    if given.is_empty() {
        say!(cx, given.span, "the service has no operations" => "add an `[operation.…]`");
    }
    let selects = given.iter().map(|(_, one)| &one.select);
    let selects: Vec<_> =
        selects.map(|one| (select(cx, one, &service.dispatch), &one.span)).collect();
    let names = selects.iter().map(|(select, span)| (select.clone(), select.as_str(), *span));
    cx.distinct("selector value", CORRECT, names);
    let lowered = given.iter().filter_map(|(name, given)| {
        Some((given, operation(cx, document, (name, given), service)?))
    });
    let lowered: Vec<_> = lowered.collect();
    commands(cx, &lowered);
    lowered.into_iter().map(|(_, operation)| operation).collect()
}

/// Reports operations with the same command, or with a command that is the first word of another.
fn commands(cx: &mut Context<'_>, operations: &[(&language::Operation, Operation)]) {
    // A duplicate selector is reported elsewhere.
    let mut selectors = BTreeSet::new();
    let mut nouns = BTreeSet::new();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for (given, operation) in operations {
        let (span, select) = (&given.select.span, operation.select.as_str());
        if !selectors.insert(select) {
            continue;
        }
        let command = operation.command();
        // Commands with a verb share their noun; a command without a verb does not.
        if nouns.insert(command.noun.clone()) || command.verb.is_none() {
            above.push((command.noun.clone(), select, span));
        }
        below.extend(command.verb.map(|verb| (format!("{} {verb}", command.noun), select, span)));
    }
    cx.distinct("selector", COMMANDS, above.into_iter());
    cx.distinct("selector", COMMANDS, below.into_iter());
}

/// Reports parameters of an operation with the same flag.
fn flags(cx: &mut Context<'_>, keys: &[&At<String>], params: &[Param]) {
    // Parameters with the same Rust name are reported elsewhere.
    let mut names = BTreeSet::new();
    let flags: Vec<_> = keys
        .iter()
        .zip(params)
        .filter(|(_, param)| names.insert(param.rust.snake()))
        .map(|(key, param)| (param.flag(), key.as_str(), &key.span))
        .collect();
    cx.distinct("parameter", FLAGS, flags.into_iter());
}

fn operation(
    cx: &mut Context<'_>,
    document: &Document,
    (name, given): (&At<String>, &language::Operation),
    service: &Service,
) -> Option<Operation> {
    let about = cx.about(&given.doc, given.source.as_ref(), &given.open);
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
    // The setter of a parameter that needs others has all of their names.
    let joined = given.params.names().zip(&operation.params);
    let joined = joined.filter(|(_, one)| operation.needed_options(one).next().is_some());
    let joined = joined.map(|(key, one)| (operation.setter(one), key.as_str(), &key.span));
    cx.distinct("parameter", RUST_NAME, joined);
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
    if let Some(verb) = given.verb.as_ref().filter(|verb| is_form && ***verb == Verb::Get) {
        say!(cx, verb.span, "cannot call by GET: the selector is in the form, and a GET has none"
            => "remove `verb`, or `in = \"form\"` in `[dispatch]`");
    }
    if let Some(body) = given.body.as_ref().filter(|_| is_form && format == BodyFormat::Json) {
        say!(cx, body.span, "the body must be a form, which has the selector"
            => "remove `body`, or `in = \"form\"` in `[dispatch]`");
    }
    let spans = [
        ("body", given.body.as_ref().map(|one| &one.span)),
        ("idempotent", given.idempotent.as_ref().map(|one| &one.span)),
    ];
    for (key, span) in spans {
        if let Some(span) = span.filter(|_| !is_post) {
            say!(cx, *span, "`{key}` applies only to a POST" => "add `verb = \"post\"`, or remove `{key}`");
        }
    }
    let hidden = service.auth.secrets().iter().find(|one| one.place == SecretPlace::Form);
    if let Some(secret) = hidden.filter(|_| !is_post || format == BodyFormat::Json) {
        say!(cx, name.span, "the secret `{}` is in the form, but this call has no form", secret.name
            => "write `verb = \"post\"` and `body = \"form\"`, or choose another place of the secret");
    }
    let is_idempotent = given.idempotent.as_deref() == Some(&true);
    is_post.then_some(Post { format, is_idempotent })
}

/// Lowers the parameters of an operation; `None` if one is invalid, because without it the positions of the others
/// would be wrong.
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
    flags(cx, &given.names().collect::<Vec<_>>(), &params);
    Some(params)
}

/// Returns the positions of the parameters listed in `needs`, all of which precede this one.
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
                say!(cx, need.span, "`needs` lists a parameter that is not declared above `{key}`"
                    => "move `{need}` above it, or remove it");
            }
            None => {
                let others = given.names().map(|other| other.as_str());
                let names: Vec<_> = others.filter(|other| *other != key.value).collect();
                let message = format_args!("unknown parameter `{need}` in `needs`");
                cx.unknown(need, message, &names, "");
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
    let ty = cx.resolve(&given.ty)?;
    let is_list = ty.is_list();
    let single = if let Type::List(of) = &ty { of } else { &ty };
    let Type::Value(ty) = single else {
        let types = Context::built_in_list(", ");
        say!(cx, given.ty.span, "a parameter is a single value or a list of single values"
            => "use {types}, a scalar or an enum");
        return None;
    };
    limits(cx, given, ty);
    let list = style(cx, key, given, is_list, is_json);
    let needed: Vec<_> = direct.iter().filter_map(|&index| before.get(index)?.as_ref()).collect();
    if let (Some(needs), true, Some(optional)) =
        (&given.needs, given.required, needed.iter().find(|param| !param.required))
    {
        say!(cx, needs.span,
            "a required parameter needs the optional parameter `{}`", optional.wire
            => "remove `needs`, or make the parameter optional");
    }
    // The needs of these parameters are also its needs.
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
        min: given.min.as_ref().map(|one| one.value),
        max: given.max.as_ref().map(|one| one.value),
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
    match &given.style {
        Some(style) if !is_list || is_json => {
            say!(cx, style.span, "`style` applies only to lists in a query or a form" => "remove `style`");
        }
        None if is_list && !is_json => {
            say!(cx, key.span, "a list in a query or a form needs a `style`"
                => "add `style`: `comma`, `pipe`, `repeat`, `bracket` or `index`");
        }
        _ => {}
    }
    if let Some(recovers) = given.recovers.as_ref().filter(|_| is_list) {
        say!(cx, recovers.span, "a list cannot recover an attribute: its records may have different values of it"
            => "remove `recovers`");
    }
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
    cx.distinct_texts("attribute", RENAME, attributes());
    let fields = response.model().map(|id| service.model(id).fields.as_slice()).unwrap_or_default();
    for attribute in attributes() {
        if !response.is_list {
            say!(cx, attribute.span, "only a parameter of a list recovers an attribute"
                => "remove `recovers`: the response is not a list of records");
        } else if fields.iter().any(|field| field.wire == attribute.value) {
            say!(cx, attribute.span, "the records have a field `{attribute}`, so nothing recovers it"
                => "remove `recovers`, or choose another name");
        }
    }
}

fn limits(cx: &mut Context<'_>, given: &language::Parameter, ty: &ValueType) {
    let (is_text, has_range) =
        (ty.in_query == Primitive::Text, ty.built_in == Some(BuiltIn::Integer));
    let (chars, min, max) = (&given.max_chars, &given.min, &given.max);
    for (key, span, fits, what) in [
        ("max-chars", chars.as_ref().map(|at| &at.span), is_text, "text"),
        ("min", min.as_ref().map(|at| &at.span), has_range, "`integer`"),
        ("max", max.as_ref().map(|at| &at.span), has_range, "`integer`"),
    ] {
        if let Some(span) = span.filter(|_| !fits) {
            say!(cx, *span, "`{key}` applies only to {what} parameters"
                => "remove `{key}`, or change the type");
        }
    }
    if let (Some(min), Some(max)) = (min, max)
        && min.value > max.value
    {
        say!(cx, min.span, "`min` ({min}) is greater than `max` ({max})"
            => "lower `min` or raise `max`");
    }
}
