//! A subscriber that records spans and events in order, indented by depth.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The lines so far: `+` for a new span, `=` for fields recorded on it, `-` for its end, `*` for an event, with
/// `WARN` if that is its level.
#[derive(Clone, Default)]
pub(super) struct Story(Arc<Mutex<String>>);

impl Story {
    pub(super) fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    fn add<S>(&self, span: Option<&Id>, mark: &str, context: &Context<'_, S>, fields: &Fields)
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let depth = span.and_then(|id| context.span_scope(id)).map_or(0, Iterator::count);
        let depth = if mark.starts_with('*') { depth + 1 } else { depth };
        let name = match (span.and_then(|id| context.metadata(id)), mark) {
            (Some(metadata), "+" | "=" | "-") => format!(" {}", metadata.name()),
            _ => String::new(),
        };
        let mut story = self.0.lock().unwrap();
        writeln!(story, "{:indent$}{mark}{name}{}", "", fields.0, indent = 2 * depth).unwrap();
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Story {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        self.add(Some(id), "+", &context, &fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        self.add(Some(id), "=", &context, &fields);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let span = context.event_span(event).map(|span| span.id());
        let is_warning = *event.metadata().level() == Level::WARN;
        self.add(span.as_ref(), if is_warning { "* WARN" } else { "*" }, &context, &fields);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        self.add(Some(&id), "-", &context, &Fields::default());
    }
}

/// Names and values of fields. Durations are masked, because they vary.
#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => write!(self.0, " {value:?}").unwrap(),
            "gateway.elapsed_ms" => write!(self.0, " gateway.elapsed_ms=…").unwrap(),
            name => write!(self.0, " {name}={value:?}").unwrap(),
        }
    }
}
