//! Turns a spec's tables into a service: resolves names and checks the rules that the language's types cannot express.

use std::path::Path;

use crate::diag::{say, say_if};
use crate::ir::{Auth, Dispatch, OpenPoint, Place, RustName, SECRET, Secret, SecretPlace, Service};
use crate::spec::context::{CORRECT, Context, RENAME, folded, owned};
use crate::spec::example;
use crate::spec::form::{Formed, Param, Select};
use crate::spec::language::{self, Document};
use crate::spec::read::{At, OneOrMany, key_of, position};

mod operation;
pub(super) mod response;
mod types;

/// Lowers a document. The service may be used only if no error was reported.
pub(super) fn service(cx: &mut Context<'_>, document: &Document, folder: Option<&Path>) -> Service {
    let head = &document.service;
    cx.points = document.open_points.names().map(|id| id.value.clone()).collect();
    let dispatch = dispatch(cx, &document.dispatch);
    let auth = auth(cx, document, &dispatch);
    distinct_names(cx, document);
    let scalars = types::declared(cx, &document.scalars, types::scalar);
    let enums = types::declared(cx, &document.enums, types::one_enum);
    let models = types::models(cx, document);
    let path = match dispatch.place {
        Place::Path => head.path.trim_end_matches('/'),
        Place::Query | Place::Form => head.path.as_str(),
    };
    let mut service = Service {
        name: head.name.value.clone(),
        title: head.title.value.clone(),
        version: head.version.value.clone(),
        path: path.to_owned(),
        dispatch,
        auth,
        accept: head.accept.value.clone(),
        about: cx.about(&head.doc, head.source.as_ref(), &head.open),
        scalars,
        enums,
        models,
        operations: Vec::new(),
        examples: Vec::new(),
        open_points: open_points(cx, document),
    };
    types::contents(cx, document, &service);
    response::envelopes(cx, document);
    service.operations = operation::operations(cx, document, &service);
    service.examples = example::examples(cx, document, &service, folder);
    service
}

/// Reports types and operations with the same name in Rust, ignoring case: `FooBar` and `Foobar` are two types, but one
/// file on a case-insensitive file system.
fn distinct_names(cx: &mut Context<'_>, document: &Document) {
    let Document { scalars, enums, models, operations, .. } = document;
    let types = scalars.names().chain(enums.names()).chain(models.names());
    let names = types.chain(operations.names());
    let names = names.filter_map(|one| Some((RustName::new(one)?.pascal().to_lowercase(), one)));
    let mut names: Vec<_> = names.collect();
    // The second of two declarations is reported, and declarations need not be sorted by section.
    names.sort_by_key(|(_, name)| name.span.start);
    cx.distinct("name", RENAME, names.into_iter());
}

/// Lowers how a call names its operation, and the parameters that every call has.
fn dispatch(cx: &mut Context<'_>, given: &At<language::Dispatch>) -> Dispatch {
    let (place, selector) = (given.place.unwrap_or(Place::Query), given.selector.as_ref());
    let selectors = selector.map(|one| texts::<Param>(cx, "selector", one)).unwrap_or_default();
    say_if!(cx, place == Place::Path, selector, "cannot use `selector` together with `in = \"path\"`: the path itself names the operation"
        => "remove `selector`, or `in = \"path\"`");
    let key = key_of(cx.text, &given.span).unwrap_or_else(|| given.span.clone());
    say_if!(cx, place != Place::Path && selector.is_none(), key, "missing key `selector` in `[dispatch]`"
        => "add `selector`: the parameter that selects the operation; or write `in = \"path\"`");
    let is_one_or_two = place == Place::Path || matches!(selectors.len(), 1 | 2);
    say_if!(cx, !is_one_or_two, selector, "`selector` must name one or two parameters");
    if let [first, second] = selectors.as_slice() {
        say_if!(cx, first == second, selector, "duplicate selector `{first}`" => "{CORRECT}");
    }
    let mut constants = Vec::new();
    for (name, value) in given.constants.iter() {
        say_if!(cx, selectors.contains(&name.value), name,
            "the constant `{name}` has the name of the selector" => "remove it; every call already sends the selector");
        let text = value.text();
        cx.visible(name, &text, value);
        constants.push((name.value.clone(), text));
    }
    Dispatch { place, selectors, constants }
}

/// Returns the texts of a key and reports any that lack the required form.
fn texts<F: Formed>(cx: &mut Context<'_>, key: &str, given: &At<OneOrMany<String>>) -> Vec<String> {
    for text in given.values() {
        let Err(why) = F::FORM.check(text) else { continue };
        let (why, fix) = why.split_once("; ").unwrap_or((&why, ""));
        say!(cx, position(cx.text, &given.span, text), "`{key}` {why}" => "{fix}");
    }
    given.values().to_vec()
}

/// Returns the value of an operation's selector, or the values of two selectors with a `/` between them.
fn select(cx: &mut Context<'_>, given: &At<OneOrMany<String>>, dispatch: &Dispatch) -> String {
    let (texts, number) = (texts::<Select>(cx, "select", given), dispatch.selectors.len().max(1));
    // More than two selectors are reported elsewhere.
    say_if!(cx, texts.len() != number && number < 3, given, "`select` must have one value per selector of `[dispatch]`, which has {number}"
        => "write the value of each selector");
    let split = texts.iter().find(|text| number == 2 && texts.len() == 2 && text.contains('/'));
    say!(cx, split.map(|text| position(cx.text, &given.span, text)),
        "the value of one of two selectors must not contain `/`"
        => "names of operations have a `/` between the two values");
    texts.join("/")
}

/// Reports an operation's parameter if every call already sends a parameter with that name.
fn taken(cx: &mut Context<'_>, name: &At<String>, service: &Service) {
    let Dispatch { selectors, constants, .. } = &service.dispatch;
    let is_sent = |one: &Secret| {
        matches!(one.place, SecretPlace::Query | SecretPlace::Form) && one.name == name.value
    };
    let (what, help) = if selectors.contains(&name.value) {
        ("the selector", "remove it; every call already sends the selector")
    } else if constants.iter().any(|(constant, _)| *constant == name.value) {
        ("a constant", "remove it, or the constant; every call already sends the constants")
    } else if service.auth.secrets().iter().any(is_sent) {
        ("a secret", "remove it; every call already sends the secret")
    } else {
        return;
    };
    say!(cx, name, "parameter `{name}` has the name of {what}" => "{help}");
}

/// Lowers the authentication of a service.
fn auth(cx: &mut Context<'_>, document: &Document, dispatch: &Dispatch) -> Auth {
    let secrets = match &document.auth {
        language::Auth::Secrets(secrets) => secrets.as_slice(),
        _ => &[],
    };
    let lowered: Vec<_> = secrets.iter().map(|one| secret(cx, one, dispatch)).collect();
    let names = secrets.iter().filter_map(|one| one.name.as_deref());
    cx.distinct("secret", RENAME, names.map(folded));

    // The path has a placeholder if, and only if, a secret is in the path.
    let path = &document.service.path;
    let in_path = lowered.iter().filter(|one| one.place == SecretPlace::Path).count();
    say_if!(cx, path.matches(SECRET).count() != in_path || in_path > 1, path,
        "the path must have `{{secret}}` once if, and only if, a secret is in the path"
        => "write a path such as `/bot{{secret}}`, or move the secret to `query`, `form` or `header`");
    match document.auth {
        language::Auth::None(_) => Auth::None,
        language::Auth::Bearer(_) => Auth::Bearer,
        language::Auth::Secrets(_) => Auth::Secrets(lowered),
    }
}

fn secret(cx: &mut Context<'_>, given: &At<language::Secret>, dispatch: &Dispatch) -> Secret {
    let place = given.place;
    let Some(name) = &given.name else {
        say_if!(cx, place != SecretPlace::Path, given, "missing key `name` of a secret in the {}", place.word()
            => "add `name`: the name of the parameter or header");
        return Secret { name: "secret".to_owned(), place, doc: given.doc.value.clone() };
    };
    let is_set = HEADERS.split(' ').any(|header| header.eq_ignore_ascii_case(name));
    let taken = match place {
        SecretPlace::Query | SecretPlace::Form if dispatch.sends(name) => {
            "every call sends a parameter with this name"
        }
        SecretPlace::Header if is_set => "the client sets this header itself",
        _ => "",
    };
    say_if!(cx, !taken.is_empty(), name, "cannot use `{name}` as the name of the secret: {taken}"
        => "choose another name or place");
    Secret { name: name.value.clone(), place, doc: given.doc.value.clone() }
}

/// Headers that the client or its transport sets.
const HEADERS: &str = "accept accept-encoding connection content-length content-type cookie expect host keep-alive \
    proxy-authorization proxy-connection te trailer transfer-encoding upgrade user-agent";

/// Lowers the open points.
fn open_points(cx: &mut Context<'_>, document: &Document) -> Vec<OpenPoint> {
    let given = &document.open_points;
    cx.distinct("open point", RENAME, given.names().map(folded));
    let points = given.iter().map(|(id, point)| OpenPoint {
        id: id.value.clone(),
        question: point.question.value.clone(),
        client: point.client.value.clone(),
        server: point.server.value.clone(),
        source: owned(point.source.as_ref()).unwrap_or_default(),
    });
    points.collect()
}
