//! Lowers operations, and their parameters with the ones they need.

use crate::diag::{Diagnostic, code};
use crate::ir::{
    BodyFormat, Operation, Otherwise, Param, Primitive, Response, RustName, Service, Type,
    ValueType,
};
use crate::spec::context::{About, Context};
use crate::spec::example;
use crate::spec::grammar::Language;
use crate::spec::lower::dispatch::{self, texts};
use crate::spec::lower::{auth, command, gauge, list, paging, post, response};
use crate::spec::node::{Entry, Node};

pub(super) fn operations(cx: &mut Context<'_>, root: &Node, service: &Service) -> Vec<Operation> {
    let Some(section) = root.get("operation") else { return Vec::new() };
    let given = section.entries();
    if given.is_empty() {
        cx.say(
            Diagnostic::new(&code::EMPTY, &section.span, "the service has no operations")
                .help("add an `[operation.…]`"),
        );
    }
    let selects: Vec<_> = given
        .iter()
        .filter_map(|entry| {
            let select = dispatch::select(cx, &entry.node, &service.dispatch);
            Some((select, &entry.node.get("select")?.span))
        })
        .collect();
    let names = selects.iter().map(|(select, span)| (select.clone(), select.as_str(), *span));
    cx.distinct(&code::DUPLICATE_WIRE, "selector value", names);
    let operations: Vec<_> = given
        .iter()
        .filter_map(|entry| operation(cx, root, entry, service).map(|operation| (entry, operation)))
        .collect();
    command::operations(cx, &operations);
    gauge::groups(cx, &operations);
    operations.into_iter().map(|(_, operation)| operation).collect()
}

fn operation(
    cx: &mut Context<'_>,
    root: &Node,
    entry: &Entry,
    service: &Service,
) -> Option<Operation> {
    let node = &entry.node;
    let about = About::of(cx, node);
    let post = post::post(cx, entry, service);
    let is_json = post.is_some_and(|post| post.format == BodyFormat::Json);
    let params = params(cx, node, service, is_json);
    let response =
        node.get("response").and_then(|response| response::response(cx, root, response, service));
    if let Some(response) = &response {
        recoveries(cx, node, service, response);
    }
    let paging = response
        .as_ref()
        .zip(params.as_ref())
        .and_then(|(response, params)| paging::paging(cx, node, service, params, response));
    let gauge = response
        .as_ref()
        .zip(params.as_ref())
        .and_then(|(response, params)| gauge::gauge(cx, node, service, params, response));
    Some(Operation {
        rust: RustName::new(&entry.key)?,
        select: texts(node.get("select")?).join("/"),
        params: params?,
        post,
        response: response?,
        paging,
        gauge,
        doc: about.doc,
        source: about.source,
        open: about.open,
        deprecated: about.deprecated,
    })
}

/// Lowers the parameters of an operation; `None` if one of them is not valid, because the positions of the others are
/// wrong without it.
fn params(
    cx: &mut Context<'_>,
    operation: &Node,
    service: &Service,
    is_json: bool,
) -> Option<Vec<Param>> {
    let given = operation.entries_of("param");
    cx.distinct_rust_names("parameter", given);

    let mut params: Vec<Param> = Vec::new();
    for (index, entry) in given.iter().enumerate() {
        if cx.language == Language::One && entry.key.contains('[') {
            let message = "brackets in the name of a parameter need `spec-language = 2`";
            cx.say(Diagnostic::new(&code::OTHER_LANGUAGE, &entry.key_span, message));
        }
        dispatch::taken(cx, entry, &service.dispatch);
        auth::taken(cx, entry, &service.auth);
        let needs = needs(cx, given, index);
        if let Some(param) = param(cx, entry, needs, &params, is_json) {
            params.push(param);
        } else {
            // The error was reported. The others are only checked.
            for entry in given.iter().skip(index + 1) {
                param(cx, entry, Vec::new(), &[], is_json);
            }
            return None;
        }
    }
    command::flags(cx, given, &params);
    list::distinct(cx, given, &params);
    Some(params)
}

/// Returns the positions of the parameters that `needs` lists, all of which precede the parameter.
fn needs(cx: &mut Context<'_>, given: &[Entry], index: usize) -> Vec<usize> {
    let Some(entry) = given.get(index) else { return Vec::new() };
    let mut needs = Vec::new();
    for need in entry.node.list_of("needs") {
        let name = need.as_text().unwrap_or_default();
        match given.iter().position(|other| other.key == name) {
            Some(other) if other < index => needs.push(other),
            Some(other) if other == index || leads_to(given, other, index) => {
                let message = if other == index {
                    format!("`{name}` needs itself")
                } else {
                    format!("`{}` and `{name}` need each other", entry.key)
                };
                let help = format!("remove `{name}` from `needs`");
                cx.say(Diagnostic::new(&code::NEEDS_CYCLE, &need.span, message).help(help));
            }
            Some(other) => {
                let message =
                    format!("`{}` is declared before `{name}`, which it needs", entry.key);
                let mut diagnostic = Diagnostic::new(&code::NEEDS_ORDER, &need.span, message);
                if let Some(other) = given.get(other) {
                    let note = format!("move this above `{}`", entry.key);
                    diagnostic = diagnostic.related(&other.key_span, note);
                }
                cx.say(diagnostic);
            }
            None if cx.is_rejected(name) => {}
            None => {
                let message = format!("unknown parameter `{name}` in `needs`");
                let others = given.iter().map(|other| other.key.as_str());
                let names: Vec<_> = others.filter(|other| *other != entry.key).collect();
                cx.say(
                    Diagnostic::new(&code::UNKNOWN_PARAM, &need.span, message)
                        .suggest(name, &names),
                );
            }
        }
    }
    needs
}

/// Returns whether a parameter needs another, directly or through others.
fn leads_to(given: &[Entry], from: usize, to: usize) -> bool {
    let mut seen = vec![from];
    let mut next = 0;
    while let Some(&index) = seen.get(next) {
        next += 1;
        let list = given.get(index).map(|entry| entry.node.list_of("needs"));
        for name in list.unwrap_or_default().iter().filter_map(Node::as_text) {
            match given.iter().position(|entry| entry.key == name) {
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
    entry: &Entry,
    direct: Vec<usize>,
    before: &[Param],
    is_json: bool,
) -> Option<Param> {
    let node = &entry.node;
    let about = About::of(cx, node);
    let rust = cx.rust_name(entry);
    let named = node.get("type")?;
    let ty = cx.resolve(named.as_text()?, &named.span)?;
    let is_list = ty.is_list();
    let ty = match ty {
        Type::Value(value) => value,
        Type::List(of) if matches!(*of, Type::Value(_)) => {
            let Type::Value(value) = *of else { return None };
            value
        }
        Type::Model(_) => {
            let message = format!("the model `{}` cannot be a query parameter", named.as_text()?);
            let help = format!("use {}, a scalar or an enum", cx.built_in_list(", "));
            cx.say(Diagnostic::new(&code::UNFIT_TYPE, &named.span, message).help(help));
            return None;
        }
        Type::List(_) | Type::Map(_) => {
            let message = "a parameter is a single value or a list of single values";
            let help = format!("use {}, a scalar or an enum", cx.built_in_list(", "));
            cx.say(Diagnostic::new(&code::UNFIT_TYPE, &named.span, message).help(help));
            return None;
        }
    };
    limits(cx, node, &ty);
    let list = list::style(cx, entry, is_list, is_json);
    dependence(cx, node, &direct, before);

    // A parameter also needs the ones that these need.
    let mut needs = direct;
    for index in needs.clone() {
        needs.extend(before.get(index).map(|param| param.needs.as_slice()).unwrap_or_default());
    }
    needs.sort_unstable();
    needs.dedup();
    let mut param = Param {
        rust: rust?,
        wire: entry.key.clone(),
        ty,
        list,
        required: node.flag("required"),
        needs,
        otherwise: if node.text("otherwise") == "error" {
            Otherwise::Error
        } else {
            Otherwise::NoEffect
        },
        recovers: node.get("recovers").and_then(Node::as_text).map(str::to_owned),
        default: None,
        max_chars: node.integer("max-chars").and_then(|number| u32::try_from(number).ok()),
        min: node.integer("min"),
        max: node.integer("max"),
        doc: about.doc,
        source: about.source,
        open: about.open,
        deprecated: about.deprecated,
    };
    param.default = default(cx, node, &param);
    Some(param)
}

/// Lowers the value that the service uses without a parameter.
fn default(cx: &mut Context<'_>, node: &Node, param: &Param) -> Option<String> {
    let given = node.get("default")?;
    let value = match (param.required, param.list) {
        (true, _) => Err("a required parameter has no `default`".to_owned()),
        (_, Some(_)) => Err("a list has no `default`".to_owned()),
        _ => example::value(param, &given.value)
            .map_err(|expected| format!("`default` must be {expected}")),
    };
    let message = match value {
        Ok(value) => return Some(value),
        Err(message) => message,
    };
    cx.say(Diagnostic::new(&code::UNFIT_TYPE, &given.span, message).help("correct or remove it"));
    None
}

/// Checks the attributes that parameters recover.
fn recoveries(cx: &mut Context<'_>, operation: &Node, service: &Service, response: &Response) {
    let params = operation.entries_of("param");
    let nodes: Vec<_> = params.iter().map(|entry| &entry.node).collect();
    cx.distinct_texts(&code::RECOVERS, "attribute", "recovers", &nodes);
    for attribute in nodes.iter().filter_map(|node| node.get("recovers")) {
        let name = attribute.as_text().unwrap_or_default();
        let fields = response.of().map(|id| service.model(id).fields.as_slice());
        let is_field = fields.unwrap_or_default().iter().any(|field| field.wire == name);
        let (message, help) = if !response.is_list() {
            (
                "only a parameter of a list recovers an attribute".to_owned(),
                "remove `recovers`: the response is not a list of records",
            )
        } else if is_field {
            (
                format!("the records have a field `{name}`, so nothing recovers it"),
                "remove `recovers`, or choose another name",
            )
        } else {
            continue;
        };
        cx.say(Diagnostic::new(&code::RECOVERS, &attribute.span, message).help(help));
    }
}

fn limits(cx: &mut Context<'_>, node: &Node, ty: &ValueType) {
    for (key, fits, what) in [
        ("max-chars", ty.in_query() == Primitive::Text, "text"),
        ("min", ty.has_range(), "`integer`"),
        ("max", ty.has_range(), "`integer`"),
    ] {
        if let Some(limit) = node.get(key)
            && !fits
        {
            let message = format!("`{key}` applies only to {what} parameters");
            let help = format!("remove `{key}`, or change the type");
            cx.say(Diagnostic::new(&code::UNFIT_TYPE, &limit.span, message).help(help));
        }
    }
    if let (Some(min), Some(max)) = (node.integer("min"), node.integer("max"))
        && min > max
        && let Some(limit) = node.get("min")
    {
        let message = format!("`min` ({min}) is greater than `max` ({max})");
        let help = "lower `min` or raise `max`";
        cx.say(Diagnostic::new(&code::LIMITS_CROSSED, &limit.span, message).help(help));
    }
}

fn dependence(cx: &mut Context<'_>, node: &Node, direct: &[usize], before: &[Param]) {
    let needs = node.get("needs");
    match (needs, node.get("otherwise")) {
        (Some(needs), None) => {
            let message = "missing key `otherwise` in a parameter with `needs`";
            let help = "add `otherwise`: the effect if a needed parameter is missing, \
                        `no-effect` or `error`";
            cx.say(Diagnostic::new(&code::MISSING_KEY, &needs.span, message).help(help));
        }
        (None, Some(otherwise)) => {
            let message = "missing key `needs` in a parameter with `otherwise`";
            let help = "add `needs`, or remove `otherwise`";
            cx.say(Diagnostic::new(&code::MISSING_KEY, &otherwise.span, message).help(help));
        }
        _ => {}
    }
    let optional =
        direct.iter().filter_map(|&index| before.get(index)).find(|param| !param.required);
    if let (Some(needs), true, Some(optional)) = (needs, node.flag("required"), optional) {
        let message =
            format!("a required parameter needs the optional parameter `{}`", optional.wire);
        let help = "remove `needs`, or make the parameter optional";
        cx.say(Diagnostic::new(&code::REQUIRED_NEEDS, &needs.span, message).help(help));
    }
}
