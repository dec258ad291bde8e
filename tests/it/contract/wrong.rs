//! Servers with one defect each: our own server, behind a transport that changes its responses.

use bytes::Bytes;
use gateway_transport::http::{Method, StatusCode};
use serde_json::{Value, json};

use super::altered::{Asked, Change, Reply};

impl Asked {
    fn is(&self, method: &str) -> bool {
        self.query.starts_with(&format!("method={method}"))
    }

    fn is_exactly(&self, query: &str) -> bool {
        self.query == query && self.method == Method::GET
    }

    fn token(&self) -> &str {
        self.header("authorization")
    }
}

impl Reply {
    /// Changes every record, if the body is a list.
    fn records(&mut self, change: impl Fn(&mut Value)) {
        self.list(|list| list.iter_mut().for_each(change));
    }

    /// Changes every field of every record except its identity, even if the body is a single record.
    fn fields(&mut self, change: impl Fn(&mut Value)) {
        let of = |record: &mut Value| {
            let fields = record.as_object_mut().into_iter().flatten();
            fields.filter(|(name, _)| *name != "id").for_each(|(_, value)| change(value));
        };
        self.records(of);
        self.json(|json| {
            if json.get("currency").is_some() {
                of(json);
            }
        });
    }

    /// Answers 200 with credits, regardless of the request.
    fn succeed_with_credits(&mut self) {
        self.succeed(&json!({"credits_number": "1", "currency": "EUR"}));
    }
}

/// Reverses the records.
pub(crate) fn reverse_lists(_: &Asked, reply: &mut Reply) {
    reply.list(|list| list.reverse());
}

/// The servers whose failed checks depend on the fields in the spec.
pub(crate) const FOLLOW_THE_FIELDS: [&str; 3] =
    ["dates_in_another_format", "fields_are_arrays", "impossible_dates"];

fn is_date(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    text.len() == 19 && text.get(10..11) == Some(" ") && text.get(13..14) == Some(":")
}

macro_rules! wrong {
    ($($name:ident: $change:expr;)+) => {
        /// The name of each server, and its defect.
        pub(crate) const WRONG_SERVERS: &[(&str, Change)] = &[$((stringify!($name), $change)),+];
    };
}

wrong! {
    never_answers: |_, reply| reply.refuse(418);
    fails_every_request: |_, reply| reply.refuse(500);
    wraps_vacancies: |asked, reply| if asked.is("vacancies/list") {
        reply.json(|json| *json = json!({"result": json.clone()}));
    };
    unwraps_candidates: |asked, reply| if asked.is("candidates/list") {
        reply.json(|json| *json = json["result"].clone());
    };
    records_are_text: |_, reply| reply.list(|list| list.iter_mut().for_each(|one| *one = json!("x")));
    ids_are_numbers: |_, reply| reply.records(|record| {
        record["id"] = record["id"].as_str().and_then(|id| id.parse::<u64>().ok()).into();
    });
    ids_are_all_equal: |_, reply| reply.records(|record| record["id"] = json!("1"));
    fields_are_arrays: |_, reply| reply.fields(|value| *value = json!([]));
    dates_in_another_format: |_, reply| reply.fields(|value| if is_date(value) {
        *value = json!("20/11/2026");
    });
    impossible_dates: |_, reply| reply.fields(|value| if is_date(value) {
        *value = json!("0000-00-00 00:00:00");
    });
    portal_is_text: |_, reply| reply.records(|record| if record.get("portal").is_some() {
        record["portal"] = json!("Jobs");
    });
    records_have_a_status: |asked, reply| if asked.is("candidates/list") {
        reply.records(|record| record["status"] = json!("New"));
    };
    failure_with_status_200: |asked, reply| if asked.is("candidates/list") {
        reply.json(|json| json["status"] = json!("failure"));
    };
    result_is_an_object: |asked, reply| if asked.is("candidates/list") {
        reply.json(|json| json["result"] = json!({}));
    };
    reverses_lists: reverse_lists;
    omits_fields: |_, reply| reply.records(|record| if let Some(record) = record.as_object_mut() {
        record.remove("project");
        record.remove("phone");
    });
    adds_fields: |_, reply| {
        reply.records(|record| record["extra"] = json!(1));
        reply.json(|json| if json.get("currency").is_some() {
            json["extra"] = json!(1);
        });
    };
    vacancy_filter_returns_unknown_candidates: |asked, reply| if asked.has("vacancy_id=") {
        reply.records(|record| record["id"] = json!("999999999999"));
    };
    filters_fail: |asked, reply| if asked.has("vacancy_id=") || asked.has("status=") {
        reply.refuse(500);
    };
    status_filter_returns_unknown_candidates: |asked, reply| if asked.has("status=New") {
        reply.records(|record| record["id"] = json!("999999999999"));
    };
    unmatched_filters_return_a_candidate: |asked, reply| {
        if asked.has("status=no%20record") || asked.has("status=NEW") || asked.has("vacancy_id=18446744073709551615") {
            reply.list(|list| list.push(json!({"id": "5"})));
        }
    };
    applies_status_without_vacancy: |asked, reply| if asked.has("list&status=New") {
        reply.list(|list| list.truncate(1));
    };
    omits_the_notice: |_, reply| reply.remove("gateway-notice");
    accepts_invalid_requests: |_, reply| if reply.status == StatusCode::BAD_REQUEST {
        reply.succeed_with_credits();
    };
    refuses_unknown_parameters: |asked, reply| if asked.has("undefined_parameter") {
        reply.refuse(400);
    };
    refuses_repeated_parameters: |asked, reply| if asked.query.matches("vacancy_id=").count() > 1 {
        reply.refuse(400);
    };
    does_not_percent_decode: |asked, reply| {
        if asked.has("credits%2Fget") {
            reply.refuse(400);
        }
    };
    balance_is_a_number: |asked, reply| if asked.is("credits/get") {
        reply.json(|json| json["credits_number"] = json!(12.5));
    };
    balance_has_an_exponent: |asked, reply| if asked.is("credits/get") {
        reply.json(|json| json["credits_number"] = json!("1e3"));
    };
    currency_is_empty: |asked, reply| if asked.is("credits/get") {
        reply.json(|json| json["currency"] = json!(""));
    };
    credits_in_an_array: |asked, reply| if asked.is("credits/get") {
        reply.json(|json| *json = json!([json.clone()]));
    };
    accepts_unknown_methods: |asked, reply| if asked.is("CREDITS") || asked.is("nothing") || asked.is_exactly("undefined_parameter=1") {
        reply.succeed_with_credits();
    };
    omits_the_known_methods: |asked, reply| if asked.is("nothing") {
        reply.set_json(&json!({"type": "t", "title": "t", "status": 400}));
    };
    accepts_a_missing_token: |asked, reply| if asked.token().is_empty() {
        reply.succeed_with_credits();
    };
    accepts_invalid_tokens: |asked, reply| if asked.token().contains("no-service") || asked.token().starts_with("Basic") {
        reply.succeed_with_credits();
    };
    answers_403_instead_of_401: |_, reply| if reply.status == StatusCode::UNAUTHORIZED {
        reply.refuse(403);
    };
    wrong_challenge: |_, reply| if reply.status == StatusCode::UNAUTHORIZED {
        reply.insert("www-authenticate", "Basic realm=\"x\", error=\"expired\"");
    };
    wrong_challenge_for_malformed_tokens: |asked, reply| if asked.token().contains("not a token") {
        reply.insert("www-authenticate", "Bearer error=\"invalid_token\"");
    };
    refusals_contain_data: |_, reply| if reply.status == StatusCode::UNAUTHORIZED {
        reply.set_json(&json!({"credits_number": "1", "currency": "EUR"}));
    };
    refusals_are_html: |_, reply| if reply.status.is_client_error() {
        reply.insert("content-type", "text/html");
        reply.body = Bytes::from_static(b"<p>no</p>");
    };
    problem_has_another_status: |_, reply| if reply.status.is_client_error() {
        reply.set_json(&json!({"type": "t", "title": "t", "status": 500}));
    };
    problem_echoes_the_query: |asked, reply| if reply.status.is_client_error() {
        let detail = format!("unknown query {}", asked.query);
        reply.set_json(&json!({"detail": detail}));
    };
    answers_on_every_path: |asked, reply| if !asked.path.ends_with("/c/oauth/v1") {
        reply.succeed_with_credits();
    };
    answers_as_plain_text: |_, reply| if reply.status == StatusCode::OK {
        reply.insert("content-type", "text/plain");
    };
    starts_with_a_byte_order_mark: |_, reply| if reply.status == StatusCode::OK {
        reply.body = [b"\xEF\xBB\xBF", &reply.body[..]].concat().into();
        reply.remove("content-length");
    };
    refuses_accept_any: |asked, reply| if asked.headers.get("accept").is_some_and(|value| value == "*/*") {
        reply.refuse(406);
    };
    ignores_accept: |_, reply| if reply.status == StatusCode::NOT_ACCEPTABLE {
        reply.succeed_with_credits();
    };
    refuses_head: |asked, reply| if asked.method == Method::HEAD {
        reply.refuse(405);
    };
    head_has_a_body: |asked, reply| if asked.method == Method::HEAD {
        reply.body = Bytes::from_static(b"{}");
    };
    head_omits_headers: |asked, reply| if asked.method == Method::HEAD {
        reply.remove("content-type");
    };
    strong_etags: |_, reply| if reply.status == StatusCode::OK {
        reply.insert("etag", "\"1\"");
    };
    ignores_if_none_match: |_, reply| if reply.status == StatusCode::NOT_MODIFIED {
        reply.succeed_with_credits();
    };
    always_gzip: |_, reply| reply.insert("content-encoding", "gzip");
    never_gzip: |_, reply| reply.remove("content-encoding");
}
