//! The examples of the spec, run against our clients and our server.

use std::path::Path;

use gateway_client::model::{GetCredits, ListCandidates, ListVacancies, Operation, RawQuery};
use gateway_client::{AccessToken, blocking};
use gateway_server::demo;
use methodical_codegen::ir::{Example, Service};

fn service() -> Service {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/gateway.toml");
    methodical_codegen::spec::read_file(&spec, "spec/gateway.toml").unwrap()
}

/// Returns the value of the selector of an example.
fn select<'a>(service: &'a Service, example: &Example) -> &'a str {
    service.operations.get(example.operation).map_or("", |one| &one.select)
}

/// Decodes a response with the decoder of its operation, and returns the indexes of the rejected records. Returns `None`
/// for an unknown operation.
fn rejected(select: &str, body: &[u8]) -> Option<Vec<usize>> {
    let indexes = |rejected: &[gateway_client::model::Rejected]| {
        rejected.iter().map(|one| usize::try_from(one.index()).unwrap()).collect()
    };
    Some(match select {
        ListCandidates::METHOD => indexes(&ListCandidates::decode(body).unwrap().rejected),
        ListVacancies::METHOD => indexes(&ListVacancies::decode(body).unwrap().rejected),
        GetCredits::METHOD => GetCredits::decode(body).map(|_| Vec::new()).unwrap(),
        _ => return None,
    })
}

/// Returns the query of an example as an operation, built pair by pair.
fn query(select: &str, example: &Example) -> RawQuery {
    let decoded = |text: &str| {
        let plain = text.replace("%20", " ").replace("%26", "&").replace("%2F", "/");
        assert!(!plain.contains('%'), "{}: {text}", example.path);
        plain
    };
    example.query.split('&').skip(1).fold(RawQuery::new(select), |query, pair| {
        let (name, value) = pair.split_once('=').unwrap();
        query.pair(name, decoded(value))
    })
}

#[test]
fn our_clients_decode_every_response_and_build_every_query() {
    let service = service();
    for example in service.examples.iter().filter(|example| example.client) {
        let select = select(&service, example);
        let indexes = rejected(select, example.body.as_bytes());
        assert_eq!(indexes.as_deref(), Some(&*example.rejected), "{}", example.path);
        assert_eq!(query(select, example).query().unwrap().as_str(), example.query);
    }
}

#[test]
fn our_server_answers_every_query() {
    let demo = demo::start().unwrap();
    let token = AccessToken::new(demo.token()).unwrap();
    let client = blocking::Client::builder(demo.base_url()).token(token).build().unwrap();
    let service = service();
    for example in service.examples.iter().filter(|example| example.server) {
        let select = select(&service, example);
        let answer = client
            .send(&query(select, example))
            .unwrap_or_else(|error| panic!("{}: {error}", example.path));
        let indexes = rejected(select, answer.as_str().as_bytes());
        assert_eq!(indexes, Some(Vec::new()), "{}", example.path);
    }
}
