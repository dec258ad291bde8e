//! All requests to the service. Each is sent once, and the checks share the responses.

use gateway_transport::{BlockingTransport, Request};
use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, IF_NONE_MATCH};
use http::{HeaderName, HeaderValue, Method};

use crate::contract::exchange::{Exchange, Target};
use crate::contract::record::is_numeric;

macro_rules! evidence {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// The responses of the service.
        pub(super) struct Evidence {
            $($(#[$doc])* pub(super) $name: Exchange,)+
            /// Number of requests sent.
            pub(super) requests: usize,
        }
    };
}

evidence! {
    vacancies,
    candidates,
    /// The same list by HEAD.
    candidates_head,
    credits,
    /// The candidates of an existing vacancy.
    of_vacancy,
    /// The candidates of that vacancy whose status is `New`.
    of_status,
    /// The same, with `N` written as `%4E`.
    of_status_encoded,
    /// The candidates of that vacancy whose status is `NEW`.
    of_status_upper,
    /// The candidates of that vacancy with an unused status name.
    of_no_status,
    /// The candidates of a vacancy that does not exist.
    of_no_vacancy,
    vacancy_text,
    vacancy_empty,
    vacancy_twice,
    vacancy_twice_differently,
    status_alone,
    status_empty,
    percent_malformed,
    percent_not_utf8,
    unknown_parameter,
    method_missing,
    method_unknown,
    method_upper,
    method_encoded,
    method_twice_differently,
    no_token,
    no_token_head,
    unknown_token,
    malformed_token,
    other_scheme,
    lower_scheme,
    token_in_query,
    other_version,
    trailing_slash,
    accept_any,
    accept_other,
    credits_head,
    gzip,
    not_modified,
    other_tag,
}

impl Evidence {
    /// Sends all requests, one after another.
    pub(super) fn gather(target: &Target, transport: &dyn BlockingTransport) -> Self {
        let requests = std::cell::Cell::new(0);
        let ask = |suffix: &str, change: &dyn Fn(&mut Request)| {
            requests.set(requests.get() + 1);
            Exchange::ask(target, transport, suffix, |request| change(request))
        };
        let get = |query: &str| ask(&format!("?{query}"), &|_| {});
        let with = |name: HeaderName, value: &'static str| {
            ask("?method=credits/get", &move |request| {
                request.headers_mut().insert(&name, HeaderValue::from_static(value));
            })
        };
        let head = |query: &str| {
            ask(&format!("?{query}"), &|request| *request.method_mut() = Method::HEAD)
        };
        let anonymous = |request: &mut Request| {
            request.headers_mut().remove(AUTHORIZATION);
        };
        let vacancies = get("method=vacancies/list");
        // An id that is not numeric fails another check, and would change the meaning of the queries here.
        let ids = vacancies.ids().unwrap_or_default();
        let vacancy = ids.into_iter().find(|id| is_numeric(id)).map(ToOwned::to_owned);
        // In an account without vacancies, use one that does not exist.
        let vacancy = vacancy.unwrap_or_else(|| ALSO_UNKNOWN.to_owned());
        let of = |rest: &str| get(&format!("method=candidates/list&vacancy_id={vacancy}{rest}"));
        let credits = get("method=credits/get");
        let tag = match &credits {
            Exchange::Response(response) => response.headers.get("etag").cloned(),
            _ => None,
        };
        Self {
            candidates: get("method=candidates/list"),
            candidates_head: head("method=candidates/list"),
            of_vacancy: of(""),
            of_status: of("&status=New"),
            of_status_encoded: of("&status=%4Eew"),
            of_status_upper: of("&status=NEW"),
            of_no_status: of("&status=no%20status%20has%20this%20name"),
            of_no_vacancy: get(&format!("method=candidates/list&vacancy_id={UNKNOWN}")),
            vacancy_text: get("method=candidates/list&vacancy_id=text"),
            vacancy_empty: get("method=candidates/list&vacancy_id="),
            vacancy_twice: of(&format!("&vacancy_id={vacancy}")),
            vacancy_twice_differently: of(&format!("&vacancy_id={UNKNOWN}")),
            status_alone: get("method=candidates/list&status=New"),
            status_empty: of("&status="),
            percent_malformed: of("&status=%zz"),
            percent_not_utf8: of("&status=%ff"),
            unknown_parameter: get("method=credits/get&undefined_parameter=1"),
            method_missing: get("vacancy_id=1"),
            method_unknown: get("method=nothing/here"),
            method_upper: get("method=CREDITS/GET"),
            method_encoded: get("method=credits%2Fget"),
            method_twice_differently: get("method=credits/get&method=vacancies/list"),
            no_token: ask("?method=credits/get", &anonymous),
            no_token_head: ask("?method=credits/get", &|request| {
                anonymous(request);
                *request.method_mut() = Method::HEAD;
            }),
            unknown_token: with(AUTHORIZATION, "Bearer no-service-has-issued-this-token"),
            malformed_token: with(AUTHORIZATION, "Bearer not a token"),
            other_scheme: with(AUTHORIZATION, "Basic Z2F0ZXdheTpjaGVjaw=="),
            lower_scheme: ask("?method=credits/get", &|request| {
                let value = request.headers().get(AUTHORIZATION).and_then(|value| {
                    let token = value.to_str().ok()?.strip_prefix("Bearer ")?;
                    HeaderValue::from_str(&format!("bearer {token}")).ok()
                });
                if let Some(value) = value {
                    request.headers_mut().insert(AUTHORIZATION, value);
                }
            }),
            token_in_query: get("method=credits/get&access_token=not-a-token"),
            other_version: ask("0?method=credits/get", &|_| {}),
            trailing_slash: ask("/?method=credits/get", &|_| {}),
            accept_any: with(ACCEPT, "*/*"),
            accept_other: with(ACCEPT, "text/html"),
            credits_head: head("method=credits/get"),
            gzip: ask("?method=candidates/list", &|request| {
                request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
            }),
            not_modified: ask("?method=credits/get", &|request| {
                if let Some(tag) = &tag {
                    request.headers_mut().insert(IF_NONE_MATCH, tag.clone());
                }
            }),
            other_tag: with(IF_NONE_MATCH, "\"no-response-has-this-tag\""),
            vacancies,
            credits,
            requests: requests.get(),
        }
    }
}

/// An id that no vacancy has: the largest 64-bit number.
const UNKNOWN: &str = "18446744073709551615";

/// Another id that no vacancy has.
const ALSO_UNKNOWN: &str = "18446744073709551614";
