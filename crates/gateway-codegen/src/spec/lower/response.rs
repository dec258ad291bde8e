//! Lowers the shape of a response, with its place in the body.

use crate::diag::{Diagnostic, code};
use crate::ir::{Body, Decides, ModelId, Response, Service, Type, Verdict, other_form};
use crate::spec::context::Context;
use crate::spec::lower::envelope::{self, Envelope, path};
use crate::spec::node::{Entry, Node};

/// Lowers the response of an operation.
pub(super) fn response(
    cx: &mut Context<'_>,
    root: &Node,
    node: &Node,
    service: &Service,
) -> Option<Response> {
    let entry = node.entries().first()?;
    let shape = &entry.node;
    let key = entry.key.as_str();
    match key {
        "value" => {
            let of = value(cx, shape)?;
            let body = Place::of(cx, root, entry)?.body(cx, service)?;
            return Some(Response::Value { of, body });
        }
        "nothing" => {
            let body = Place::of(cx, root, entry)?.body(cx, service)?;
            return Some(Response::Nothing { body });
        }
        _ => {}
    }
    let of = model(cx, shape, "of")?;
    Some(match key {
        "envelope" => {
            let [marker, items] = [shape.get("marker")?, shape.get("items")?];
            if marker.as_text() == items.as_text() {
                same_place(cx, marker, items);
            }
            Response::Envelope {
                marker: shape.text("marker"),
                success: shape.text("success"),
                items: shape.text("items"),
                of,
            }
        }
        "array" => Response::Array { of },
        _ => {
            let body = Place::of(cx, root, entry)?.body(cx, service)?;
            simple(body, of)
        }
    })
}

/// Returns the type of a response that is a value.
fn value(cx: &mut Context<'_>, shape: &Node) -> Option<Type> {
    let named = shape.get("of")?;
    let ty = cx.resolve(named.as_text()?, &named.span)?;
    let (message, help) = match &ty {
        Type::Model(_) => ("a record is not a value", "write `response.object`"),
        Type::List(of) if of.model().is_some() => {
            ("a list of records is not a value", "write `response.list` with the name of the model")
        }
        Type::Value(_) | Type::List(_) | Type::Map(_) => return Some(ty),
    };
    cx.say(Diagnostic::new(&code::UNFIT_TYPE, &named.span, message).help(help));
    None
}

/// Returns the simplest form of a response.
fn simple(body: Body, of: ModelId) -> Response {
    if body == (Body { is_list: body.is_list, ..Body::default() }) {
        return if body.is_list { Response::Array { of } } else { Response::Object { of } };
    }
    if let ([items], Some(verdict)) = (body.at.as_slice(), &body.verdict)
        && let Decides::Success { at, is } = &verdict.decides
        && let ([marker], [success]) = (at.as_slice(), is.as_slice())
        && verdict.is_plain()
        && other_form(success).is_none()
        && body.is_plain_list()
    {
        let [marker, success, items] = [marker, success, items].map(String::clone);
        return Response::Envelope { marker, success, items, of };
    }
    Response::Body { of, body }
}

/// The data of a response, and the envelope around it.
struct Place<'n> {
    shape: &'n Node,
    /// The kind of the data: a key of `response`.
    key: &'n str,
    envelope: Option<Envelope<'n>>,
}

impl<'n> Place<'n> {
    fn of(cx: &mut Context<'_>, root: &'n Node, entry: &'n Entry) -> Option<Self> {
        let (key, shape) = (entry.key.as_str(), &entry.node);
        let envelope = match envelope::around(root, shape) {
            Some(named) => Some(envelope::named(cx, root, named)?),
            None => None,
        };
        Some(Self { shape, key, envelope })
    }

    fn is_list(&self) -> bool {
        self.key == "list"
    }

    fn body(&self, cx: &mut Context<'_>, service: &Service) -> Option<Body> {
        let at = match self.shape.get("at") {
            Some(node) => path(cx, node)?,
            None => Vec::new(),
        };
        if let Some(envelope) = &self.envelope {
            self.marker(cx, envelope, &at)?;
        }
        let beside_above = match self.shape.get("beside-at") {
            Some(node) => self.beside_above(cx, node, &at)?,
            None => 0,
        };
        let mut body = Body {
            is_list: self.is_list(),
            verdict: self.envelope.as_ref().map(|envelope| self.verdict(envelope)),
            beside_above,
            ..Body::default()
        };
        for node in self.shape.list_of("lenient") {
            match node.as_text()? {
                "absent-as-empty" if at.is_empty() => {
                    refuse(cx, node, "a list that is the whole body cannot be absent");
                }
                "absent-as-empty" => body.absent_as_empty = true,
                "one-as-list" if at.is_empty() && self.envelope.is_some() => {
                    let message = "a single record and a failure are both objects";
                    refuse(cx, node, message);
                }
                "one-as-list" => body.one_as_list = true,
                other => {
                    let message = format!("unknown value `{other}` of `lenient`");
                    let diagnostic = Diagnostic::new(&code::UNKNOWN_CHOICE, &node.span, message);
                    cx.say(diagnostic.suggest(other, &["absent-as-empty", "one-as-list"]));
                }
            }
        }
        let body = Body { at, ..body };
        let beside = match self.shape.get("beside") {
            Some(named) => Some(self.beside(cx, service, named, &body)?),
            None => None,
        };
        Some(Body { beside, ..body })
    }

    /// Returns how the body reports a failure. Only a list can be empty.
    fn verdict(&self, envelope: &Envelope<'_>) -> Verdict {
        let verdict = envelope.verdict.clone();
        if self.is_list() {
            return verdict;
        }
        Verdict { empty_codes: Vec::new(), empty_messages: Vec::new(), ..verdict }
    }

    /// Checks that the marker is beside the data.
    fn marker(&self, cx: &mut Context<'_>, envelope: &Envelope<'_>, at: &[String]) -> Option<()> {
        let decides = &envelope.verdict.decides;
        let marker = decides.path();
        if at.is_empty() {
            let alone = matches!(self.key, "list" | "value");
            if alone && matches!(decides, Decides::Success { .. }) {
                let key = self.key;
                let message = format!("a {key} that is the whole body has no success marker");
                let help =
                    format!("write where the {key} is with `at`, or add `envelope = \"none\"`");
                let diagnostic = Diagnostic::new(&code::ENVELOPE, &self.shape.span, message);
                cx.say(diagnostic.help(help).related(&envelope.marker.span, "the marker"));
                return None;
            }
        } else if marker.starts_with(at) || at.starts_with(marker) {
            same_place(cx, envelope.marker, self.shape.get("at").unwrap_or(self.shape));
            return None;
        }
        Some(())
    }

    /// Returns the model of the fields beside the list.
    fn beside(
        &self,
        cx: &mut Context<'_>,
        service: &Service,
        named: &Node,
        body: &Body,
    ) -> Option<ModelId> {
        let id = model(cx, self.shape, "beside")?;
        let Some(list) = body.at.get(body.beside_at().len()) else {
            let message = "a list that is the whole body has no fields beside it";
            let help = "write where the list is with `at`, or remove `beside`";
            cx.say(Diagnostic::new(&code::ENVELOPE, &named.span, message).help(help));
            return None;
        };
        if service.model(id).fields.iter().any(|field| field.wire == *list) {
            let message =
                format!("the fields beside the list contain `{list}`, which leads to the list");
            let help = "remove the field from the model";
            cx.say(Diagnostic::new(&code::ENVELOPE, &named.span, message).help(help));
            return None;
        }
        Some(id)
    }

    /// Returns the number of objects between the fields beside the list and the list.
    fn beside_above(&self, cx: &mut Context<'_>, node: &Node, at: &[String]) -> Option<usize> {
        let place = if node.as_text() == Some("$") { Vec::new() } else { path(cx, node)? };
        let message = if self.shape.get("beside").is_none() {
            "`beside-at` is the place of the fields of `beside`, which is missing"
        } else if place.len() >= at.len() || !at.starts_with(&place) {
            "the object at `beside-at` is not around the list"
        } else {
            return Some(at.len() - place.len() - 1);
        };
        let help = "write the beginning of the path in `at`, or `$` for the whole body";
        cx.say(Diagnostic::new(&code::ENVELOPE, &node.span, message).help(help));
        None
    }
}

fn model(cx: &mut Context<'_>, shape: &Node, key: &str) -> Option<ModelId> {
    let named = shape.get(key)?;
    if let Type::Model(of) = cx.resolve(named.as_text()?, &named.span)? {
        return Some(of);
    }
    let message = format!("a response must be a model, and `{}` is not one", named.as_text()?);
    let help = "use a type that is declared as `[model.…]`";
    cx.say(Diagnostic::new(&code::UNFIT_TYPE, &named.span, message).help(help));
    None
}

fn refuse(cx: &mut Context<'_>, node: &Node, message: &str) {
    let help = "remove it, or write where the list is with `at`";
    cx.say(Diagnostic::new(&code::ENVELOPE, &node.span, message).help(help));
}

fn same_place(cx: &mut Context<'_>, marker: &Node, items: &Node) {
    let message = if marker.as_text() == items.as_text() {
        "the marker and the list have the same key"
    } else {
        "one of the marker and the data is inside the other"
    };
    cx.say(
        Diagnostic::new(&code::DUPLICATE_WIRE, &items.span, message)
            .help("correct one of them")
            .related(&marker.span, "the marker"),
    );
}
