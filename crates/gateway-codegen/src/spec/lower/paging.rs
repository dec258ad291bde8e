//! Lowers the paging of a list.

use std::ops::Range;

use crate::diag::{Diagnostic, code};
use crate::ir::{
    BuiltIn, Field, Mark, ModelId, PagedBy, Paging, Param, Primitive, Response, Says, Service,
    Type, ValueType,
};
use crate::spec::context::Context;
use crate::spec::lower::envelope::path;
use crate::spec::node::{Entry, Node};

/// Lowers the paging of an operation.
pub(super) fn paging(
    cx: &mut Context<'_>,
    node: &Node,
    service: &Service,
    params: &[Param],
    response: &Response,
) -> Option<Paging> {
    let entry = node.get("paging")?.entries().first()?;
    if !response.is_list() {
        say(
            cx,
            &entry.key_span,
            "only a list has pages",
            "remove `paging`: the response is not a list of records",
        );
        return None;
    }
    let by = match entry.key.as_str() {
        "page" => PagedBy::Number { first: entry.node.integer("first").unwrap_or(1) },
        "offset" => PagedBy::Offset,
        "cursor" => PagedBy::Cursor,
        _ => PagedBy::Continuation,
    };
    if by == PagedBy::Continuation && node.text("body") == "json" {
        let message = "a continuation cannot be in a JSON body";
        let help = "write `body = \"form\"`, or describe the pages in another way";
        cx.say(Diagnostic::new(&code::UNSUPPORTED, &entry.key_span, message).help(help));
        return None;
    }
    let mut reader = Reader { cx, service, params, by };
    let param = reader.param(&entry.node, "param");
    let size = reader.param(&entry.node, "size");
    let short_page_ends = reader.short_page(entry);
    let marks = reader.marks(&entry.node, response.beside());
    Some(Paging { by, param, size, short_page_ends, marks })
}

struct Reader<'c, 'd, 's> {
    cx: &'c mut Context<'d>,
    service: &'s Service,
    params: &'s [Param],
    by: PagedBy,
}

impl Reader<'_, '_, '_> {
    /// Returns the position of the parameter that a key names.
    fn param(&mut self, node: &Node, key: &str) -> Option<usize> {
        let named = node.get(key)?;
        let name = named.as_text()?;
        let found = self.params.iter().enumerate().find(|(_, param)| param.wire == name);
        let Some((position, param)) = found else {
            if !self.params.is_empty() || !self.cx.is_rejected(name) {
                let message = format!("unknown parameter `{name}` in `{key}`");
                let known: Vec<_> = self.params.iter().map(|param| param.wire.as_str()).collect();
                let diagnostic = Diagnostic::new(&code::UNKNOWN_PARAM, &named.span, message);
                self.cx.say(
                    diagnostic
                        .help("declare it as a parameter of the operation")
                        .suggest(name, &known),
                );
            }
            return None;
        };
        let is_cursor = key == "param" && self.by == PagedBy::Cursor;
        let (fits, needed) = match &param.ty {
            _ if param.list.is_some() => (false, "a single value"),
            ty if is_cursor => (is_text(ty), "`text` or a scalar with `wire = \"string\"`"),
            ty => (is_integer(ty), "an `integer`"),
        };
        if !fits {
            let message = format!("the parameter `{name}` must be {needed}, as `{key}`");
            say(self.cx, &named.span, &message, "change its type, or name another parameter");
            return None;
        }
        if key == "param" && !param.needs.is_empty() {
            let message =
                format!("the parameter `{name}` needs another one, so not every query has pages");
            say(self.cx, &named.span, &message, "remove its `needs`");
            return None;
        }
        if key == "size" && node.get("param").and_then(Node::as_text) == Some(name) {
            let message = format!("`{name}` is both `param` and `size`");
            say(self.cx, &named.span, &message, "name two parameters");
            return None;
        }
        Some(position)
    }

    fn short_page(&mut self, entry: &Entry) -> bool {
        let node = &entry.node;
        let Some(flag) = node.get("short-page-ends") else { return false };
        if node.get("size").is_none() {
            let help = "add `size`: the parameter with the maximum number of records";
            say(self.cx, &flag.span, "a page is short only in comparison with its size", help);
        }
        node.flag("short-page-ends")
    }

    /// Returns the fields that say how the list goes on.
    fn marks(&mut self, node: &Node, beside: Option<ModelId>) -> Vec<Mark> {
        let given = Says::ALL.into_iter().filter_map(|says| Some((says, node.get(says.word())?)));
        let given: Vec<_> = given.collect();
        if let [(says, _), (other, second), ..] = *given
            && (says, other) != (Says::Next, Says::More)
        {
            let message =
                format!("`{}` and `{}` both say where the list ends", says.word(), other.word());
            say(self.cx, &second.span, &message, "remove one of them");
            return Vec::new();
        }
        given.into_iter().filter_map(|(says, named)| self.mark(says, named, beside)).collect()
    }

    /// Returns a field that says how the list goes on.
    fn mark(&mut self, says: Says, named: &Node, beside: Option<ModelId>) -> Option<Mark> {
        let Some(beside) = beside else {
            let message =
                format!("`{}` names a field beside the list, which has none", says.word());
            say(
                self.cx,
                &named.span,
                &message,
                "add `beside`, the model of these fields, to `response.list`",
            );
            return None;
        };
        let path = path(self.cx, named)?;
        let Some(fields) = self.service.fields_at(beside, &path) else {
            let model = self.service.model(beside);
            let name = named.as_text().unwrap_or_default();
            let message = format!("the model `{}` has no field `{name}`", model.rust.plain());
            let known: Vec<_> = model.fields.iter().map(|field| field.wire.as_str()).collect();
            let diagnostic = Diagnostic::new(&code::PAGING, &named.span, message);
            self.cx.say(
                diagnostic.help("declare it in the model `beside` the list").suggest(name, &known),
            );
            return None;
        };
        self.fits(says, named, &fields)?;
        Some(Mark { says, path })
    }

    /// Checks the type of a field.
    fn fits(&mut self, says: Says, named: &Node, fields: &[&Field]) -> Option<()> {
        let field = fields.last()?;
        let needed = match (says, self.by) {
            (Says::Next, PagedBy::Continuation) => {
                let fits = match &field.ty {
                    Type::Map(of) => of.value().is_some_and(is_single),
                    Type::Value(_) | Type::Model(_) | Type::List(_) => false,
                };
                (!fits).then_some("a `map` of single values, such as `map<text>`")
            }
            (Says::More, _) => {
                let fits = field.ty.value().is_some_and(is_boolean);
                (!fits).then_some("a `boolean`, or a scalar with `meaning = \"boolean\"`")
            }
            (Says::Last | Says::Total | Says::Next, _) => {
                let fits = field.ty.value().is_some_and(is_single);
                (!fits).then_some("an integer or text")
            }
        };
        if let Some(needed) = needed {
            let message =
                format!("the field `{}` must be {needed}, as `{}`", field.wire, says.word());
            say(self.cx, &named.span, &message, "change its type, or name another field");
            return None;
        }
        // An empty text means that the page is the last one.
        let is_always =
            fields.iter().all(|field| field.required) && !field.ty.value().is_some_and(is_text);
        if says == Says::Next && is_always && self.by != PagedBy::Continuation {
            let message =
                format!("the field `{}` is required, so no page is the last one", field.wire);
            say(self.cx, &named.span, &message, "write `presence = \"optional\"` in the field");
            return None;
        }
        Some(())
    }
}

fn is_integer(ty: &ValueType) -> bool {
    matches!(ty, ValueType::BuiltIn(BuiltIn { form, .. }) if form.primitive == Primitive::Signed)
}

fn is_text(ty: &ValueType) -> bool {
    match ty {
        ValueType::BuiltIn(built_in) => built_in.form.primitive == Primitive::Text,
        ValueType::Scalar(scalar) => scalar.form.primitive == Primitive::Text,
        ValueType::Enum(_) => false,
    }
}

fn is_boolean(ty: &ValueType) -> bool {
    matches!(ty.in_record(), Primitive::Boolean | Primitive::Coded)
}

/// Returns whether a value has a text that identifies it: text or an integer.
fn is_single(ty: &ValueType) -> bool {
    ty.as_enum().is_none() && (is_text(ty) || ty.in_record().is_integer())
}

fn say(cx: &mut Context<'_>, span: &Range<usize>, message: &str, help: &str) {
    cx.say(Diagnostic::new(&code::PAGING, span, message).help(help));
}
