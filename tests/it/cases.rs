//! The examples of the spec, run against our clients, our server and our mocks, and its JSON Schemas.

use std::path::Path;

use gateway_client::model::{
    Candidate, Credits, GetCredits, ListCandidates, ListVacancies, Operation, Portal, RawQuery,
    StatusName, Vacancy,
};
use gateway_client::{AccessToken, Client, blocking};
use gateway_server::demo;
use gateway_testkit::mocks::{self, Mock};
use methodical_codegen::ir::{Example, Service};
use wiremock::MockServer;

use crate::agree::agree;

fn service() -> Service {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/gateway.toml");
    methodical_codegen::spec::read_file(&spec, "spec/gateway.toml").unwrap()
}

/// Returns the value of the selector of an example.
fn select<'a>(service: &'a Service, example: &Example) -> &'a str {
    service.operations.get(example.operation).map_or("", |one| &one.select)
}

/// Decodes a response with the decoder of its operation, and returns the indexes of the rejected records. Returns
/// `None` for an unknown operation.
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

/// The JSON Schemas and the decoders accept the same JSON values.
#[test]
fn schemas_and_decoders_agree() {
    agree::<Candidate>("docs/generated/json-schema/candidate");
    agree::<Portal>("docs/generated/json-schema/portal");
    agree::<Vacancy>("docs/generated/json-schema/vacancy");
    agree::<Credits>("docs/generated/json-schema/credits");
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

async fn gateway() -> (MockServer, Client) {
    let server = MockServer::start().await;
    let token = AccessToken::new("secret").unwrap();
    let client = Client::builder(server.uri()).token(token).build().unwrap();
    (server, client)
}

#[tokio::test]
async fn a_mock_answers_only_requests_with_its_parameters() {
    let (server, client) = gateway().await;
    let (all, new) = ([Candidate::new("1"), Candidate::new("2")], [Candidate::new("2")]);
    Mock::of(&ListCandidates::new()).only().token("secret").answers(&all).mount(&server).await;
    let narrow = ListCandidates::new().vacancy_status(52, StatusName::New);
    Mock::of(&narrow).answers(&new).mount(&server).await;

    assert_eq!(client.send(&ListCandidates::new()).await.unwrap().items, all);
    let narrow = ListCandidates::new().vacancy_status(52, "New");
    assert_eq!(client.send(&narrow).await.unwrap().items, new);
    let other = ListCandidates::new().vacancy_id(53);
    assert_eq!(client.send(&other).await.unwrap_err().status().unwrap(), 404);
}

#[tokio::test]
async fn a_mock_returns_an_example_of_the_spec() {
    let (server, client) = gateway().await;
    mocks::like_candidates_one_bad_record().mount(&server).await;
    mocks::like_candidates_status_with_spaces().mount(&server).await;
    let listing = client.send(&ListCandidates::new()).await.unwrap();
    assert_eq!((listing.items.len(), listing.rejected.len()), (2, 1));
    let odd = ListCandidates::new().vacancy_status(52, "On hold & waiting");
    assert_eq!(client.send(&odd).await.unwrap().items, []);
}
