//! The three operations, with tokens, filters, entity tags and content codings.

use std::io::Read as _;

use serde_json::Value;

use crate::support::{call, exchange, get, parse};

#[test]
fn candidates_are_listed_and_filtered() {
    let demo = gateway_server::demo::start().unwrap();
    let list = |query: &str| {
        let response = get(demo.base_url(), demo.token(), query);
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(response.header("content-type"), Some("application/json"));
        let json = response.json();
        assert_eq!(json["status"], "success");
        let Value::Array(result) = json["result"].clone() else {
            panic!("`result` is not an array")
        };
        let ids: Vec<u64> =
            result.iter().map(|one| one["id"].as_str().unwrap().parse().unwrap()).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        result
    };
    let all = list("method=candidates/list");
    assert_eq!(all.len(), 24);
    let of_vacancy = list("method=candidates/list&vacancy_id=101");
    let new = list("method=candidates/list&vacancy_id=101&status=New");
    assert!(all.len() > of_vacancy.len() && of_vacancy.len() > new.len() && !new.is_empty());
    assert!(of_vacancy.iter().all(|one| all.contains(one)));
    assert!(new.iter().all(|one| of_vacancy.contains(one)));
    assert!(list("method=candidates/list&vacancy_id=999999").is_empty());
    assert!(list("method=candidates/list&vacancy_id=18446744073709551615").is_empty());
    assert!(list("method=candidates/list&vacancy_id=101&status=new").is_empty());
    assert_eq!(list("method=candidates%2Flist&status=New"), all);
}

#[test]
fn vacancies_and_credits_are_answered() {
    let demo = gateway_server::demo::start().unwrap();
    let vacancies = get(demo.base_url(), demo.token(), "method=vacancies/list").json();
    assert_eq!(vacancies[0]["id"], "101");
    assert_eq!(vacancies.as_array().unwrap().len(), 6);
    let credits = get(demo.base_url(), demo.token(), "method=credits/get").json();
    assert_eq!(
        (&credits["credits_number"], &credits["currency"]),
        (&"184.50".into(), &"EUR".into())
    );
}

#[test]
fn without_a_valid_token_the_method_is_not_looked_at() {
    let demo = gateway_server::demo::start().unwrap();
    let address = demo.base_url().strip_prefix("http://").unwrap();
    let request =
        "GET /c/oauth/v1?method=nonsense HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let response = parse(&exchange(address, request.as_bytes()));
    assert_eq!(response.status, 401);
    assert_eq!(response.header("www-authenticate"), Some("Bearer realm=\"gateway\""));
    assert_eq!(response.json()["type"], "urn:gateway:problem:token-missing");
    let response = get(demo.base_url(), "gwt_unknown", "method=nonsense");
    assert_eq!(response.status, 401);
    assert_eq!(
        response.header("www-authenticate"),
        Some("Bearer realm=\"gateway\", error=\"invalid_token\"")
    );
}

#[test]
fn head_answers_like_get() {
    let demo = gateway_server::demo::start().unwrap();
    for query in
        ["method=candidates/list", "method=vacancies/list", "method=credits/get", "method=x"]
    {
        let without = |head: &str| -> Vec<String> {
            let varying =
                |line: &&str| !line.starts_with("date:") && !line.starts_with("x-request-id:");
            head.lines().filter(varying).map(str::to_owned).collect()
        };
        let with_body = get(demo.base_url(), demo.token(), query);
        let head = call(demo.base_url(), demo.token(), "HEAD", query, "");
        assert_eq!(without(&head.head), without(&with_body.head), "{query}");
        assert!(head.body.is_empty() && !with_body.body.is_empty());
    }
}

#[test]
fn an_unmodified_response_gets_304() {
    let demo = gateway_server::demo::start().unwrap();
    let query = "method=candidates/list";
    let first = get(demo.base_url(), demo.token(), query);
    let tag = first.header("etag").unwrap();
    let more = format!("If-None-Match: {tag}\r\n");
    let second = call(demo.base_url(), demo.token(), "GET", query, &more);
    assert_eq!((second.status, second.body.len()), (304, 0));
    assert_eq!(second.header("etag"), Some(tag));
}

#[test]
fn gzip_is_used_when_asked_for() {
    let demo = gateway_server::demo::start().unwrap();
    let query = "method=candidates/list";
    let plain = get(demo.base_url(), demo.token(), query);
    assert_eq!(plain.header("content-encoding"), None);
    let coded = call(demo.base_url(), demo.token(), "GET", query, "Accept-Encoding: br, gzip\r\n");
    assert_eq!(coded.header("content-encoding"), Some("gzip"));
    assert_eq!(coded.header("vary"), plain.header("vary"));
    let mut decoded = Vec::new();
    flate2::read::GzDecoder::new(&*coded.body).read_to_end(&mut decoded).unwrap();
    assert_eq!(decoded, plain.body);
    assert!(coded.body.len() < plain.body.len() / 2);
}
