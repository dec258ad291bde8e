//! A transport that changes each response.

use gateway_transport::bytes::Bytes;
use gateway_transport::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use gateway_transport::{BlockingResponse, BlockingTransport, Request, TransportError};
use serde_json::Value;

pub(crate) type Change = fn(&Asked, &mut Reply);

/// Changes the responses of another transport. Status 418 means no response.
pub(crate) struct Altered<T> {
    pub(crate) inner: T,
    pub(crate) change: Change,
}

/// A request.
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
}

/// A response, before and after the change.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl<T: BlockingTransport> BlockingTransport for Altered<T> {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        let asked = Asked {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            headers: request.headers().clone(),
        };
        let (mut head, body) = self.inner.send(request)?.into_parts();
        let body = body.collect(1 << 24)?;
        let mut reply = Reply { status: head.status, headers: head.headers, body };
        (self.change)(&asked, &mut reply);
        if reply.status == StatusCode::IM_A_TEAPOT {
            return Err(TransportError::from_io(std::io::ErrorKind::ConnectionReset.into()));
        }
        (head.status, head.headers) = (reply.status, reply.headers);
        Ok(Response::from_parts(head, reply.body.into()))
    }
}

impl Asked {
    pub(crate) fn has(&self, part: &str) -> bool {
        self.query.contains(part)
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Reply {
    pub(crate) fn refuse(&mut self, status: u16) {
        self.status = StatusCode::from_u16(status).unwrap();
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.headers.remove(name);
    }

    pub(crate) fn insert(&mut self, name: &'static str, value: &'static str) {
        self.headers.insert(name, HeaderValue::from_static(value));
    }

    pub(crate) fn set_json(&mut self, json: &Value) {
        self.body = json.to_string().into();
        self.remove("content-length");
    }

    /// Answers with 200 and this JSON, regardless of the request.
    pub(crate) fn succeed(&mut self, json: &Value) {
        self.status = StatusCode::OK;
        self.insert("content-type", "application/json");
        self.set_json(json);
    }

    /// Changes the body if the status is 200 and the body is JSON.
    pub(crate) fn json(&mut self, change: impl FnOnce(&mut Value)) {
        if self.status == StatusCode::OK
            && let Ok(mut json) = serde_json::from_slice(&self.body)
        {
            change(&mut json);
            self.set_json(&json);
        }
    }

    /// Changes the records, if the body is a list: on its own, or below `result`.
    pub(crate) fn list(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
        self.json(|json| {
            let list = match json {
                Value::Array(list) => Some(list),
                other => other.get_mut("result").and_then(Value::as_array_mut),
            };
            if let Some(list) = list {
                change(list);
            }
        });
    }
}
