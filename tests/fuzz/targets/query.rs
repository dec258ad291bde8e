//! Any parameters: an encoded query decodes to the same parameters, and contains only allowed characters.

#![no_main]

#[path = "../../../crates/gateway-model/tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use gateway_model::{ListCandidates, Operation, RawQuery, StatusName};
use libfuzzer_sys::fuzz_target;

use crate::support::{percent_decoded, travels};

/// A method, parameters, a vacancy and a status; and a query that is random itself.
type Input<'a> = (&'a str, Vec<(&'a str, &'a str)>, &'a str, StatusName, RawQuery);

fuzz_target!(|input: Input<'_>| {
    let (method, pairs, vacancy, status, random) = input;
    let query =
        pairs.iter().fold(RawQuery::new(method), |query, (name, value)| query.pair(*name, *value));
    let mut expected = vec![("method".to_owned(), method.to_owned())];
    expected.extend(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    assert_eq!(decoded(&query).unwrap(), expected);

    // A vacancy is decimal digits that fit, with any leading zeros; a status is not empty.
    let digits = !vacancy.is_empty() && vacancy.bytes().all(|byte| byte.is_ascii_digit());
    let number = vacancy.parse::<u64>().ok().filter(|_| digits);
    let query = ListCandidates::new().vacancy_status(vacancy, &status);
    match decoded(&query) {
        Some(pairs) => {
            let number = number.expect("a vacancy that is not a number is refused").to_string();
            let values: Vec<&str> = pairs.iter().map(|(_, value)| value.as_str()).collect();
            assert_eq!(values, ["candidates/list", number.as_str(), status.as_str()]);
        }
        None => assert!(number.is_none() || status.as_str().is_empty()),
    }

    // Random queries are always valid.
    assert!(!decoded(&random).unwrap().is_empty());
});

/// The pairs of a query, or `None` if it is invalid.
fn decoded(operation: &impl Operation) -> Option<Vec<(String, String)>> {
    let text = operation.query().ok()?.into_string();
    assert!(text.bytes().all(travels), "{text}");
    let pairs = text.split('&').map(|pair| {
        let (name, value) = pair.split_once('=').expect("every pair contains `=`");
        (percent_decoded(name), percent_decoded(value))
    });
    Some(pairs.collect())
}
