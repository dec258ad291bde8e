//! Turns the tables of a spec into a service: resolves names, and checks the rules that the types of the language cannot
//! express.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::diag::code;
use crate::ir::{Auth, Dispatch, OpenPoint, Place, SECRET, Secret, SecretPlace, Service};
use crate::spec::context::{Context, doc, source};
use crate::spec::form::Select;
use crate::spec::language::{self, Document};
use crate::spec::value::{At, OneOrTwo};
use crate::spec::{example, written};

mod names;
mod operation;
mod paging;
mod response;
mod types;

/// Lowers a document. The service may be used only if no error was reported.
pub(super) fn service(cx: &mut Context<'_>, document: &Document, folder: Option<&Path>) -> Service {
    let head = &document.service;
    cx.points = document.open_points.names().map(|id| id.value.clone()).collect();
    let dispatch = dispatch(cx, &document.dispatch);
    let auth = auth(cx, document, &dispatch);
    names::distinct(cx, document);
    let scalars = types::scalars(cx, document);
    let enums = types::enums(cx, document);
    let models = types::models(cx, document);
    let path = match dispatch.place {
        Place::Path => head.path.trim_end_matches('/'),
        Place::Query | Place::Form => head.path.as_str(),
    };
    let mut service = Service {
        name: head.name.value.clone(),
        title: head.title.value.clone(),
        version: head.version.value.clone(),
        api_version: head.api_version.value.clone(),
        path: path.to_owned(),
        dispatch,
        auth,
        accept: head.accept.value.clone(),
        doc: doc(&head.doc),
        source: source(head.source.as_ref()),
        open: cx.open(&head.open),
        scalars,
        enums,
        models,
        operations: Vec::new(),
        examples: Vec::new(),
        open_points: open_points(cx, document),
    };
    response::envelopes(cx, document);
    types::columns(cx, document, &mut service);
    service.operations = operation::operations(cx, document, &service);
    service.examples = example::examples(cx, document, &service, folder);
    // After an error, a declaration may look unused only because of it.
    if cx.is_clean() {
        unused(cx, document);
    }
    service
}

/// Lowers how a call names its operation, and the parameters that every call has.
fn dispatch(cx: &mut Context<'_>, given: &At<language::Dispatch>) -> Dispatch {
    let place = given.place.unwrap_or(Place::Query);
    match (place, &given.selector) {
        (Place::Path, Some(selector)) => {
            let message = "a path that names the operation has no `selector`";
            cx.say(
                &code::SELECTORS,
                &selector.span,
                message,
                "remove `selector`, or `in = \"path\"`",
            );
        }
        (Place::Query | Place::Form, None) => {
            let help = "add `selector`: the parameter that selects the operation; or write `in = \"path\"`";
            let span = cx.key_of(&given.span);
            cx.say(&code::MISSING_KEY, &span, "missing key `selector` in `[dispatch]`", help);
        }
        _ => {}
    }
    let selectors = given.selector.as_ref().map(OneOrTwo::texts).unwrap_or_default();
    if let ([first, second], Some(selector)) = (selectors.as_slice(), &given.selector)
        && first == second
    {
        let message = format!("duplicate selector `{first}`");
        cx.say(&code::DUPLICATE_WIRE, &selector.span, message, "remove or correct one of them");
    }
    let mut constants = Vec::new();
    for (name, value) in given.constants.iter() {
        if selectors.contains(&name.value) {
            let message = format!("the constant `{}` has the name of the selector", name.value);
            cx.say(
                &code::SELECTOR_TAKEN,
                &name.span,
                message,
                "remove it; every call sends the selector",
            );
        }
        let text = written(cx.text, &value.0);
        if text.contains('\n') {
            let message = format!("`{}` contains the invisible character U+000A", name.value);
            cx.say(&code::HIDDEN_CHARACTER, &value.0.span(), message, "remove the character");
        }
        constants.push((name.value.clone(), text));
    }
    Dispatch { place, selectors, constants }
}

/// Returns the value of the selector of an operation; those of two selectors with a `/` between them.
fn select(cx: &mut Context<'_>, given: &OneOrTwo<Select>, dispatch: &Dispatch) -> String {
    let texts = given.texts();
    if texts.len() != dispatch.selectors.len().max(1) {
        let message = match dispatch.selectors.as_slice() {
            [first, second] => {
                format!("`select` must have two texts: the values of `{first}` and `{second}`")
            }
            _ => "`select` must be one text: the service has one selector".to_owned(),
        };
        let help = match texts.as_slice() {
            [one] if one.contains('/') => {
                let (first, second) = one.split_once('/').unwrap_or_default();
                format!("write `select = [\"{first}\", \"{second}\"]`")
            }
            _ => "`[dispatch]` names the selectors".to_owned(),
        };
        cx.say(&code::SELECTORS, &given.span, message, &help);
    } else if let (2.., Some(text)) =
        (texts.len(), given.texts.iter().find(|text| text.contains('/')))
    {
        let message = "the value of one of two selectors must not contain `/`";
        cx.say(
            &code::SELECTORS,
            &text.span,
            message,
            "names of operations have a `/` between the two values",
        );
    }
    texts.join("/")
}

/// Reports a parameter of an operation that every call has anyway.
fn taken(cx: &mut Context<'_>, name: &At<String>, service: &Service) {
    let Dispatch { selectors, constants, .. } = &service.dispatch;
    let is_sent = |one: &Secret| {
        matches!(one.place, SecretPlace::Query | SecretPlace::Form) && one.name == name.value
    };
    let (what, help) = if selectors.contains(&name.value) {
        ("the selector", "remove it; every call sends the selector")
    } else if constants.iter().any(|(constant, _)| *constant == name.value) {
        ("a constant", "remove it, or the constant; every call sends the constants")
    } else if service.auth.secrets().iter().any(is_sent) {
        ("a secret", "remove it; every call sends the secret")
    } else {
        return;
    };
    let message = format!("parameter `{}` has the name of {what}", name.value);
    cx.say(&code::SELECTOR_TAKEN, &name.span, message, help);
}

/// Lowers the authentication of a service.
fn auth(cx: &mut Context<'_>, document: &Document, dispatch: &Dispatch) -> Auth {
    let given = &document.auth;
    let secrets: Vec<_> = given.secret.iter().chain(&given.secrets).collect();
    let lowered: Vec<_> = secrets.iter().map(|one| secret(cx, one, dispatch)).collect();
    let names = secrets.iter().filter_map(|one| {
        let name = one.name.as_ref()?;
        Some((name.to_ascii_lowercase(), name.as_str(), &name.span))
    });
    cx.distinct(&code::SECRETS, "secret", names);

    // The path has a placeholder if, and only if, a secret is in the path.
    let path = &document.service.path;
    let in_path = lowered.iter().filter(|one| one.place == SecretPlace::Path).count();
    let (message, help) = match (path.matches(SECRET).count(), in_path) {
        (0, 0) | (1, 1) => ("", ""),
        (0, _) => (
            "the path has no place for the secret",
            "write `{secret}` in the path, such as `/bot{secret}`",
        ),
        (_, 0) => (
            "the path has a place for a secret, but no secret is in the path",
            "remove `{secret}`, or write `secret = { in = \"path\", … }` in `[auth]`",
        ),
        _ => {
            ("the path can have only one secret", "keep one `{secret}` and one secret in the path")
        }
    };
    if !message.is_empty() {
        cx.say(&code::SECRETS, &path.span, message, help);
    }
    match given {
        _ if !lowered.is_empty() => Auth::Secrets(lowered),
        language::Auth { none: Some(_), .. } => Auth::None,
        _ => Auth::Bearer,
    }
}

fn secret(cx: &mut Context<'_>, given: &At<language::Secret>, dispatch: &Dispatch) -> Secret {
    let place = given.place;
    let Some(name) = &given.name else {
        if place != SecretPlace::Path {
            let message = format!("missing key `name` of a secret in the {}", place.word());
            let help = "add `name`: the name of the parameter or header";
            cx.say(&code::MISSING_KEY, &given.span, message, help);
        }
        return Secret { name: "secret".to_owned(), place, doc: doc(&given.doc) };
    };
    let taken = match place {
        SecretPlace::Query | SecretPlace::Form => {
            dispatch.sends(name).then_some("every call has this parameter anyway")
        }
        SecretPlace::Header => HEADERS
            .contains(&name.to_ascii_lowercase().as_str())
            .then_some("the client sets this header itself"),
        SecretPlace::Path => None,
    };
    if let Some(why) = taken {
        let message = format!("the secret `{}` is not possible: {why}", name.value);
        cx.say(&code::SECRETS, &name.span, message, "choose another name or place");
    }
    Secret { name: name.value.clone(), place, doc: doc(&given.doc) }
}

/// Headers that the client or its transport sets.
const HEADERS: [&str; 11] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "te",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

fn open_points(cx: &mut Context<'_>, document: &Document) -> Vec<OpenPoint> {
    let given = &document.open_points;
    let names = given.names().map(|id| (id.to_lowercase(), id.as_str(), &id.span));
    cx.distinct(&code::NAMES_COLLIDE, "open point", names);
    let taken: BTreeSet<_> = given.iter().map(|(_, point)| *point.number).collect();
    let mut numbered = BTreeMap::new();
    for (id, point) in given.iter() {
        let (number, span) = (*point.number, &point.number.span);
        if let Some(OpenPoint { id: first, .. }) = numbered.get(&number) {
            let message = format!("open point `{first}` already has the number {number}");
            let free = (1..10_000).find(|free| !taken.contains(free)).unwrap_or_default();
            cx.say(&code::NUMBERING, span, message, &format!("use {free}, the first free number"));
            continue;
        }
        if usize::try_from(number).unwrap_or(usize::MAX) > given.len() {
            let message =
                format!("number {number} leaves a gap; the highest allowed is {}", given.len());
            cx.say(&code::NUMBERING, span, message, "number open points 1, 2, 3, … without gaps");
        }
        let point = OpenPoint {
            number,
            id: id.value.clone(),
            question: doc(&point.question),
            client: doc(&point.client),
            server: doc(&point.server),
            source: source(point.source.as_ref()),
        };
        numbered.insert(number, point);
    }
    numbered.into_values().collect()
}

fn unused(cx: &mut Context<'_>, document: &Document) {
    let Document { scalars, enums, models, envelope, open_points, .. } = document;
    let sections: [(&str, Vec<&At<String>>); 5] = [
        ("scalar", scalars.names().collect()),
        ("enum", enums.names().collect()),
        ("model", models.names().collect()),
        ("envelope", envelope.names().collect()),
        ("open-point", open_points.names().collect()),
    ];
    for (section, names) in sections {
        for name in names {
            if !cx.used.contains(&name.value) {
                let message = format!("`{section}.{}` is never used", name.value);
                cx.say(&code::UNUSED, &name.span, message, "remove it, or refer to it");
            }
        }
    }
}
