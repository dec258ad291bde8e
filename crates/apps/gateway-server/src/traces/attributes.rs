//! The content of a span, by the semantic conventions of OpenTelemetry for HTTP servers. Never a token, a query or the
//! data of a record: a path other than that of the service is left out too, because a client may put anything there.

use std::borrow::Cow;
use std::sync::Arc;

use http::StatusCode;
use opentelemetry::trace::Status;
use opentelemetry::{KeyValue, StringValue};

use crate::front::recorder::{End, EndedResponse, version};
use crate::generated::operation::Operation;

/// The attributes that all spans of a server share.
#[derive(Debug, Default)]
pub(super) struct Service {
    path: Arc<str>,
    scheme: &'static str,
}

impl Service {
    pub(super) fn new(path: &str, is_https: bool) -> Self {
        Self { path: path.into(), scheme: if is_https { "https" } else { "http" } }
    }

    /// Returns whether `path` is that of the service.
    pub(super) fn is_at(&self, path: &str) -> bool {
        *self.path == *path
    }
}

/// Returns the name of the span, such as `GET candidates/list`. There are few different names.
pub(super) fn name(response: &EndedResponse) -> Cow<'static, str> {
    let method = response.method.filter(|method| *method != "other").unwrap_or("HTTP");
    match response.operation {
        Some(operation) => format!("{method} {}", operation.method()).into(),
        None => method.into(),
    }
}

/// Returns the status of the span: unset, or an error. Only failures of the server and cut responses are errors.
pub(super) fn status(response: &EndedResponse) -> Option<Status> {
    error(response).map(|_error| Status::error(""))
}

/// Returns the attribute `error.type`.
fn error(response: &EndedResponse) -> Option<Cow<'static, str>> {
    match response.end {
        End::Failed | End::Stalled | End::ResponseTimeout | End::Drained => {
            Some(response.end.name().into())
        }
        End::Complete | End::ClientGone => {
            let status = response.status.filter(StatusCode::is_server_error)?;
            let problem = response.problem.map(Cow::Borrowed);
            Some(problem.unwrap_or_else(|| status.as_str().to_owned().into()))
        }
    }
}

/// Returns the attributes of the span. `is_service_path` says that the request named the path of the service.
pub(super) fn of(
    response: &EndedResponse,
    service: &Service,
    is_service_path: bool,
) -> Vec<KeyValue> {
    let method = response.method.filter(|method| *method != "other").unwrap_or("_OTHER");
    let bytes = i64::try_from(response.bytes).unwrap_or(i64::MAX);
    let request_id = response.request_id.to_str().unwrap_or_default().to_owned();
    let always = [
        KeyValue::new("http.request.method", method),
        KeyValue::new("url.scheme", service.scheme),
        KeyValue::new("http.response.body.size", bytes),
        KeyValue::new("gateway.request.id", request_id),
        KeyValue::new("gateway.response.end", response.end.name()),
    ];
    let status = response.status.map(|status| i64::from(status.as_u16()));
    let operation = response.operation.map(Operation::method);
    let path = || StringValue::from(Arc::clone(&service.path));
    let sometimes = [
        is_service_path.then(|| KeyValue::new("url.path", path())),
        status.map(|status| KeyValue::new("http.response.status_code", status)),
        response.version.map(|one| KeyValue::new("network.protocol.version", version(one))),
        response.client.map(|client| KeyValue::new("client.address", client.to_string())),
        error(response).map(|error| KeyValue::new("error.type", error)),
        operation.map(|operation| KeyValue::new("gateway.operation", operation)),
        response.account.map(|account| KeyValue::new("gateway.account.id", account)),
        response.problem.map(|problem| KeyValue::new("gateway.problem", problem)),
    ];
    always.into_iter().chain(sometimes.into_iter().flatten()).collect()
}
