//! The access log: an event for each request, emitted when its response has ended. It never contains a name, a token,
//! or a query.

use std::time::Duration;

use http::StatusCode;

use crate::front::ended::{End, EndedResponse, version};
use crate::generated::operation::Operation;
use crate::token::TokenId;

/// Emits the event of a response.
pub(crate) fn write(response: &EndedResponse) {
    macro_rules! emit {
        ($level:ident) => {
            tracing::$level!(
                name: "request",
                request_id = response.request_id.to_str().ok(),
                trace_id = response.trace_id.as_deref(),
                client = response.client.map(tracing::field::display),
                http = response.version.map(version),
                http_method = response.method,
                operation = response.operation.map(Operation::method),
                account = response.account,
                token = response.token.as_ref().map(TokenId::as_str),
                status = response.status.as_ref().map(StatusCode::as_u16),
                problem = response.problem,
                cause = response.cause.as_deref(),
                bytes = response.bytes,
                first_byte = response.first_byte.as_ref().map(Duration::as_secs_f64),
                duration = response.took.as_secs_f64(),
                end = response.end.name(),
            )
        };
    }
    // A cause is a failure of the server, except that a slow client causes a response timeout.
    if response.cause.is_some() && response.end != End::ResponseTimeout {
        emit!(error);
    } else {
        emit!(info);
    }
}
