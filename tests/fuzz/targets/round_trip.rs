//! Any records: serialized in any notation, they deserialize to the same records.

#![no_main]

#[path = "../../../crates/gateway-model/tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use gateway_model::{Candidate, Credits, GetCredits, ListCandidates, ListVacancies, Vacancy};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;

use crate::support::every_way;

fuzz_target!(|input: (Vec<Candidate>, Vec<Vacancy>, Credits, bool)| {
    let (candidates, vacancies, credits, pretty) = input;
    let body = written(&vacancies, pretty);
    assert!(every_way::<ListVacancies>(body.as_bytes()).unwrap().strict().unwrap() == vacancies);
    let body = format!(r#"{{"status":"success","result":{}}}"#, written(&candidates, pretty));
    assert!(every_way::<ListCandidates>(body.as_bytes()).unwrap().strict().unwrap() == candidates);
    assert!(GetCredits::decode(written(&credits, pretty).as_bytes()).unwrap() == credits);
});

fn written(value: &impl Serialize, pretty: bool) -> String {
    if pretty {
        serde_json::to_string_pretty(value).unwrap()
    } else {
        serde_json::to_string(value).unwrap()
    }
}
