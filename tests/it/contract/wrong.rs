//! Servers that are wrong in one thing: our own, with its answers changed on their way.

use bytes::Bytes;
use gateway_transport::http::{self, HeaderMap, HeaderValue, Method, StatusCode};
use gateway_transport::{BlockingResponse, BlockingTransport, ErrorKind, Request, TransportError};
use serde_json::{Value, json};

/// A change of answers that makes a server wrong.
pub(crate) struct Wrong {
    pub(crate) name: &'static str,
    pub(crate) change: Change,
}

pub(crate) type Change = fn(&Asked, &mut Reply);

/// What was asked.
pub(crate) struct Asked {
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
}

/// What is answered.
pub(crate) struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// A transport that changes what comes back.
pub(crate) struct Wronged<T> {
    inner: T,
    change: Change,
}

impl<T> Wronged<T> {
    pub(crate) fn new(inner: T, change: Change) -> Self {
        Self { inner, change }
    }
}

impl<T: BlockingTransport> BlockingTransport for Wronged<T> {
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
            return Err(TransportError::new(ErrorKind::Interrupted, "the connection broke"));
        }
        head.headers = reply.headers;
        head.status = reply.status;
        Ok(http::Response::from_parts(head, reply.body.into()))
    }
}

impl Asked {
    fn is(&self, method: &str) -> bool {
        self.query.starts_with(&format!("method={method}"))
    }

    fn is_exactly(&self, query: &str) -> bool {
        self.query == query && self.method == Method::GET
    }

    fn has(&self, part: &str) -> bool {
        self.query.contains(part)
    }

    fn token(&self) -> &str {
        self.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Reply {
    fn set_json(&mut self, json: &Value) {
        self.body = json.to_string().into();
        self.headers.remove("content-length");
    }

    /// Changes the body, if it is JSON and a success.
    fn json(&mut self, change: impl FnOnce(&mut Value)) {
        if self.status == StatusCode::OK
            && let Ok(mut json) = serde_json::from_slice(&self.body)
        {
            change(&mut json);
            self.set_json(&json);
        }
    }

    /// Changes every record of a list.
    fn records(&mut self, change: impl Fn(&mut Value)) {
        self.json(|json| {
            let list = match json {
                Value::Array(list) => Some(list),
                other => other.get_mut("result").and_then(Value::as_array_mut),
            };
            list.into_iter().flatten().for_each(change);
        });
    }

    /// Changes a list.
    fn list(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
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

    fn refuse(&mut self, status: u16) {
        self.status = StatusCode::from_u16(status).unwrap();
    }

    /// Answers with a success that has nothing to do with what was asked.
    fn succeed(&mut self) {
        self.status = StatusCode::OK;
        self.headers.insert("content-type", HeaderValue::from_static("application/json"));
        self.set_json(&json!({"credits_number": "1", "currency": "EUR"}));
    }

    fn remove(&mut self, name: &str) {
        self.headers.remove(name);
    }

    fn insert(&mut self, name: &'static str, value: &'static str) {
        self.headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The records in the other order.
pub(crate) fn list_backwards(_: &Asked, reply: &mut Reply) {
    reply.list(|list| list.reverse());
}

macro_rules! wrong {
    ($($name:ident: $change:expr;)+) => {
        pub(crate) const WRONG: &[Wrong] =
            &[$(Wrong { name: stringify!($name), change: $change }),+];
    };
}

wrong! {
    never_answers: |_, reply| reply.refuse(418);
    refuses_everything: |_, reply| reply.refuse(500);
    wraps_vacancies: |asked, reply| if asked.is("vacancies/list") {
        reply.json(|json| *json = json!({"result": json.clone()}));
    };
    unwraps_candidates: |asked, reply| if asked.is("candidates/list") {
        reply.json(|json| *json = json["result"].clone());
    };
    lists_texts: |_, reply| reply.list(|list| list.iter_mut().for_each(|one| *one = json!("x")));
    numbers_as_ids: |_, reply| reply.records(|record| {
        record["id"] = record["id"].as_str().and_then(|id| id.parse::<u64>().ok()).into();
    });
    same_id_for_all: |_, reply| reply.records(|record| record["id"] = json!("1"));
    numbers_as_texts: |_, reply| reply.records(|record| {
        for name in ["project", "name", "email", "phone", "phone_mobile", "type"] {
            if let Some(value) = record.get_mut(name) {
                *value = json!(7);
            }
        }
    });
    other_dates: |_, reply| reply.records(|record| if record.get("date").is_some() {
        record["date"] = json!("20/11/2026");
    });
    dates_of_no_day: |_, reply| reply.records(|record| if record.get("date").is_some() {
        record["date"] = json!("0000-00-00 00:00:00");
    });
    portal_as_text: |_, reply| reply.records(|record| if record.get("portal").is_some() {
        record["portal"] = json!("Jobs");
    });
    status_in_the_record: |asked, reply| if asked.is("candidates/list") {
        reply.records(|record| record["status"] = json!("New"));
    };
    says_failure_at_200: |asked, reply| if asked.is("candidates/list") {
        reply.json(|json| json["status"] = json!("failure"));
    };
    result_as_an_object: |asked, reply| if asked.is("candidates/list") {
        reply.json(|json| json["result"] = json!({}));
    };
    lists_backwards: list_backwards;
    leaves_out_fields: |_, reply| reply.records(|record| if let Some(record) = record.as_object_mut() {
        record.remove("project");
        record.remove("phone");
    });
    adds_fields: |_, reply| {
        reply.records(|record| record["extra"] = json!(1));
        reply.json(|json| if json.get("currency").is_some() {
            json["extra"] = json!(1);
        });
    };
    finds_strangers: |asked, reply| if asked.has("vacancy_id=") {
        reply.records(|record| record["id"] = json!("999999999999"));
    };
    knows_no_filters: |asked, reply| if asked.has("vacancy_id=") || asked.has("status=") {
        reply.refuse(500);
    };
    strangers_of_a_status: |asked, reply| if asked.has("status=New") {
        reply.records(|record| record["id"] = json!("999999999999"));
    };
    everybody_has_every_status: |asked, reply| {
        if asked.has("status=no%20status") || asked.has("status=NEW") || asked.has("vacancy_id=18446744073709551615") {
            reply.list(|list| list.push(json!({"id": "5"})));
        }
    };
    filters_by_status_alone: |asked, reply| if asked.has("list&status=New") {
        reply.list(|list| list.truncate(1));
    };
    tells_no_notice: |_, reply| reply.remove("gateway-notice");
    takes_everything: |_, reply| if reply.status == StatusCode::BAD_REQUEST {
        reply.succeed();
    };
    minds_what_nobody_defined: |asked, reply| if asked.has("undefined_parameter") {
        reply.refuse(400);
    };
    minds_a_parameter_twice: |asked, reply| if asked.query.matches("vacancy_id=").count() > 1 {
        reply.refuse(400);
    };
    decodes_nothing: |asked, reply| {
        if asked.has("%4Eew") {
            reply.list(Vec::clear);
        }
        if asked.has("credits%2Fget") {
            reply.refuse(400);
        }
    };
    number_as_a_number: |asked, reply| if asked.is("credits/get") {
        reply.json(|json| json["credits_number"] = json!(12.5));
    };
    number_with_an_exponent: |asked, reply| if asked.is("credits/get") {
        reply.json(|json| json["credits_number"] = json!("1e3"));
    };
    no_currency: |asked, reply| if asked.is("credits/get") {
        reply.json(|json| json["currency"] = json!(""));
    };
    balance_as_a_list: |asked, reply| if asked.is("credits/get") {
        reply.json(|json| *json = json!([json.clone()]));
    };
    knows_any_method: |asked, reply| if asked.is("CREDITS") || asked.is("nothing") || asked.is_exactly("vacancy_id=1") {
        reply.succeed();
    };
    names_no_methods: |asked, reply| if asked.is("nothing") {
        reply.set_json(&json!({"type": "t", "title": "t", "status": 400}));
    };
    minds_no_token: |asked, reply| if asked.token().is_empty() {
        reply.succeed();
    };
    minds_no_wrong_token: |asked, reply| if asked.token().contains("no-service") || asked.token().starts_with("Basic") {
        reply.succeed();
    };
    forbids: |_, reply| if reply.status == StatusCode::UNAUTHORIZED {
        reply.refuse(403);
    };
    challenges_otherwise: |_, reply| if reply.status == StatusCode::UNAUTHORIZED {
        reply.insert("www-authenticate", "Basic realm=\"x\", error=\"expired\"");
    };
    minds_the_case_of_a_scheme: |asked, reply| if asked.token().starts_with("bearer ") {
        reply.refuse(401);
    };
    challenges_a_malformed_token_otherwise: |asked, reply| if asked.token().contains("not a token") {
        reply.insert("www-authenticate", "Bearer error=\"invalid_token\"");
    };
    answers_and_refuses: |_, reply| if reply.status == StatusCode::UNAUTHORIZED {
        reply.set_json(&json!({"credits_number": "1", "currency": "EUR"}));
    };
    refuses_in_html: |_, reply| if reply.status.is_client_error() {
        reply.insert("content-type", "text/html");
        reply.body = Bytes::from_static(b"<p>no</p>");
    };
    tells_another_status: |_, reply| if reply.status.is_client_error() {
        reply.set_json(&json!({"type": "t", "title": "t", "status": 500}));
    };
    repeats_what_was_sent: |asked, reply| if reply.status.is_client_error() {
        let told = format!("no {}", asked.query);
        reply.set_json(&json!({"detail": told}));
    };
    answers_everywhere: |asked, reply| if !asked.path.ends_with("/c/oauth/v1") {
        reply.succeed();
    };
    answers_as_text: |_, reply| if reply.status == StatusCode::OK {
        reply.insert("content-type", "text/plain");
    };
    marks_the_byte_order: |_, reply| if reply.status == StatusCode::OK {
        reply.body = [b"\xEF\xBB\xBF", &reply.body[..]].concat().into();
        reply.remove("content-length");
    };
    miscounts: |_, reply| reply.insert("content-length", "1");
    has_no_clock: |_, reply| reply.remove("date");
    minds_accept: |asked, reply| if asked.headers.get("accept").is_some_and(|value| value == "*/*") {
        reply.refuse(406);
    };
    minds_no_accept: |_, reply| if reply.status == StatusCode::NOT_ACCEPTABLE {
        reply.succeed();
    };
    knows_no_head: |asked, reply| if asked.method == Method::HEAD {
        reply.refuse(405);
    };
    heads_with_bodies: |asked, reply| if asked.method == Method::HEAD {
        reply.body = Bytes::from_static(b"{}");
    };
    heads_without_headers: |asked, reply| if asked.method == Method::HEAD {
        reply.remove("content-type");
    };
    has_strong_tags: |_, reply| if reply.status == StatusCode::OK {
        reply.insert("etag", "\"1\"");
    };
    minds_no_tag: |_, reply| if reply.status == StatusCode::NOT_MODIFIED {
        reply.succeed();
    };
    not_modified_with_a_body: |_, reply| if reply.status == StatusCode::NOT_MODIFIED {
        reply.body = Bytes::from_static(b"{}");
    };
    never_modified: |asked, reply| if asked.headers.contains_key("if-none-match") {
        reply.refuse(304);
    };
    always_encodes: |_, reply| reply.insert("content-encoding", "gzip");
    never_encodes: |_, reply| reply.remove("content-encoding");
    does_not_vary: |_, reply| reply.remove("vary");
}
