//! The contract cases, run against our clients and our server.

use gateway_client::model::{GetCredits, ListCandidates, ListVacancies, Operation, RawQuery};
use gateway_client::{AccessToken, blocking};
use gateway_server::demo;
use gateway_testkit::cases::{CONTRACT_CASES, ContractCase};

/// Decodes a response with the decoder of its operation, and returns the indexes of the rejected records. Returns `None`
/// for an unknown operation.
fn rejected(case: &ContractCase, body: &[u8]) -> Option<Vec<usize>> {
    let indexes = |rejected: &[gateway_client::model::Rejected]| {
        rejected.iter().map(|one| usize::try_from(one.index()).unwrap()).collect()
    };
    Some(match case.method {
        ListCandidates::METHOD => indexes(&ListCandidates::decode(body).unwrap().rejected),
        ListVacancies::METHOD => indexes(&ListVacancies::decode(body).unwrap().rejected),
        GetCredits::METHOD => GetCredits::decode(body).map(|_| Vec::new()).unwrap(),
        _ => return None,
    })
}

/// Returns the query of a case as an operation, built pair by pair.
fn query(case: &ContractCase) -> RawQuery {
    let decoded = |text: &str| {
        let plain = text.replace("%20", " ").replace("%26", "&").replace("%2F", "/");
        assert!(!plain.contains('%'), "{}: {text}", case.name);
        plain
    };
    case.query.split('&').skip(1).fold(RawQuery::new(case.method), |query, pair| {
        let (name, value) = pair.split_once('=').unwrap();
        query.pair(name, decoded(value))
    })
}

#[test]
fn our_clients_decode_every_response_and_build_every_query() {
    for case in CONTRACT_CASES.iter().filter(|case| case.client) {
        let indexes = rejected(case, case.body.as_bytes());
        assert_eq!(indexes.as_deref(), Some(case.rejected), "{}", case.name);
        assert_eq!(query(case).query().unwrap().as_str(), case.query, "{}", case.name);
    }
}

#[test]
fn our_server_answers_every_query() {
    let demo = demo::start().unwrap();
    let token = AccessToken::new(demo.token()).unwrap();
    let client = blocking::Client::builder(demo.base_url()).token(token).build().unwrap();
    for case in CONTRACT_CASES.iter().filter(|case| case.server) {
        let answer =
            client.send(&query(case)).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(rejected(case, answer.as_str().as_bytes()), Some(Vec::new()), "{}", case.name);
    }
}
